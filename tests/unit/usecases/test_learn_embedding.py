"""An embedder that answers rubbish: the learn fails loudly, stores nothing, and can be retried."""

from dataclasses import dataclass, field
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest

from tests.support.fakes import FixedClassifier, WordEmbedder
from tests.unit.usecases.flows import TRIBE, Bench
from tributary.adapters.embedding.onnx import OnnxEmbedder
from tributary.domain.errors import ClassifierFailedError, EmbeddingFailedError
from tributary.domain.plan import Outcome
from tributary.domain.verdict import Relation, Verdict
from tributary.edge.guarded import GuardedClassifier, GuardedEmbedder
from tributary.ports import Embedder, Embedding

PORT = "billing API port is 7001"


class Session:
    """ONNX Runtime, answering the same number for every token and dimension."""

    def __init__(self, answer: float | Exception, width: int) -> None:
        self._answer, self._width = answer, width

    def run(self, _outputs: None, feed: dict[str, Any]) -> list[Any]:
        if isinstance(self._answer, Exception):
            raise self._answer
        return [np.full((1, feed["input_ids"].shape[1], self._width), self._answer, np.float32)]


def onnx(answer: float | Exception, width: int = 384) -> OnnxEmbedder:
    """The shipped embedder over a scripted session."""
    made = OnnxEmbedder.__new__(OnnxEmbedder)
    encoding = SimpleNamespace(ids=[1, 2], attention_mask=[1, 1], type_ids=[0, 0], overflowing=[])
    made.model, made._pooling, made._inputs = "scripted", "mean", ["input_ids"]
    made._tokenizer = SimpleNamespace(encode=lambda text: encoding)
    made._session = Session(answer, width)
    return made


@dataclass
class Scripted:
    """An embedder of somebody else's."""

    answer: Any
    model: str = field(default="scripted")

    def embed(self, text: str) -> Embedding:
        if isinstance(self.answer, Exception):
            raise self.answer
        return Embedding(self.answer, self.model, truncated=False)


def own(answer: Any) -> GuardedEmbedder:
    return GuardedEmbedder(Scripted(answer))


FAILURES = {
    "onnx zeros": onnx(0.0),
    "onnx NaN": onnx(float("nan")),
    "onnx too short": onnx(0.5, width=383),
    "onnx throws": onnx(RuntimeError("out of memory")),
    "own zeros": own([0.0] * 384),
    "own NaN": own([float("nan")] * 384),
    "own infinity": own([float("inf")] * 384),
    "own too long": own([0.1] * 385),
    "own none": own(None),
    "own words": own(["a"] * 384),
    "own throws": own(TimeoutError("40 s")),
}


@pytest.mark.parametrize("embedder", FAILURES.values(), ids=FAILURES)
def test_a_useless_embedding_fails_the_learn_and_stores_nothing(
    bench: Bench, embedder: Embedder
) -> None:
    failing = bench.with_(embedder=embedder)
    with pytest.raises(EmbeddingFailedError):
        failing.learn(PORT, key="k")
    assert failing.taken == {"prepare": 1}
    assert bench.store.of(TRIBE) == []
    assert bench.learn(PORT, key="k").outcome is Outcome.INSERTED


@pytest.mark.parametrize("value", [1e-30, 1.0, 1e300])
def test_a_vector_of_any_length_is_scaled_to_one(value: float) -> None:
    vector = own([value] * 384).embed("x").vector
    assert vector == pytest.approx([384**-0.5] * 384)


def test_a_unit_vector_is_left_as_it_is() -> None:
    words = WordEmbedder()
    assert GuardedEmbedder(words).embed("x").vector == words.embed("x").vector
    assert GuardedEmbedder(words).model == words.model


def test_a_classifier_that_raises_anything_counts_as_failed() -> None:
    guarded = GuardedClassifier(FixedClassifier(TimeoutError("said: " + PORT)))
    with pytest.raises(ClassifierFailedError, match=r"^no usable verdict: it raised TimeoutError$"):
        guarded.classify(PORT, [])
    assert guarded.name == "fixed"


def test_what_a_classifier_says_passes_the_guard() -> None:
    verdict = Verdict(Relation.NOVEL)
    assert GuardedClassifier(FixedClassifier(verdict)).classify(PORT, []) is verdict
    busy = ClassifierFailedError("busy")
    with pytest.raises(ClassifierFailedError) as caught:
        GuardedClassifier(FixedClassifier(busy)).classify(PORT, [])
    assert caught.value is busy
