"""Embedders that break their promise: the lesson is not stored, and can be learnt again."""

from dataclasses import dataclass
from math import inf, nan

import pytest

from tests.support.fakes import WordEmbedder
from tests.support.sql import dump
from tributary.domain.errors import EmbeddingFailedError
from tributary.domain.plan import Outcome
from tributary.ports import Embedding

FACT = "the billing port is 7001"


@dataclass
class Broken:
    """Answers one vector for everything, or raises."""

    answer: list[float] | Exception
    model: str = "broken"

    def embed(self, text):
        if isinstance(self.answer, Exception):
            raise self.answer
        return Embedding(self.answer, self.model, truncated=False)


BROKEN = {
    "zeros": [0.0] * 384,
    "not numbers": [nan] * 384,
    "one not a number": [0.1] * 383 + [nan],
    "infinite": [0.1] * 383 + [inf],
    "too short": [0.1] * 383,
    "too long": [0.1] * 385,
    "empty": [],
    "says so": EmbeddingFailedError("out of order"),
    "raises": ValueError("shape mismatch"),
}


@pytest.mark.parametrize("answer", BROKEN.values(), ids=BROKEN)
def test_nothing_is_stored_and_the_same_call_succeeds_later(memories, tribe, admin, answer):
    memories()
    before = dump(admin, tribe)
    broken = memories(embedder=Broken(answer))
    with pytest.raises(EmbeddingFailedError):
        broken.learn(FACT, idempotency_key="k")
    with pytest.raises(EmbeddingFailedError):
        broken.recall(FACT)
    assert dump(admin, tribe) == before
    mended = memories(embedder=WordEmbedder())
    assert mended.learn(FACT, idempotency_key="k").outcome is Outcome.INSERTED
    assert len(mended.recall(FACT).lessons) == 1


@pytest.mark.parametrize("factor", [1e9, 1e-9])
def test_a_vector_of_another_length_is_scaled_and_compares_the_same(memories, factor):
    embedding = WordEmbedder().embed(FACT)
    scaled = [value * factor for value in embedding.vector]
    memories(embedder=Broken(scaled)).learn(FACT)
    (found,) = memories().recall(FACT).lessons
    assert found.similarity == pytest.approx(1, abs=1e-3)


def test_each_vector_says_which_model_made_it(memories, tribe, admin):
    memories(embedder=WordEmbedder(model="words-2")).learn(FACT)
    assert [row["model"] for row in dump(admin, tribe)["lesson_vectors"]] == ["words-2"]
