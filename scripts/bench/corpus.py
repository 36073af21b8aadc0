"""What is stored and asked: a made corpus of any size, or conversations of LoCoMo."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from random import Random

import numpy as np
from numpy.typing import NDArray

from scripts.bench.systems.base import DIMENSIONS, Lesson

Vectors = NDArray[np.float32]

PER_TOPIC = 50  # lessons of the made corpus about one thing
SPREAD = 0.9  # length of a lesson's own part against its topic's: cosine about 0.55 in a topic
WORDS = 4_000
TOPIC_WORDS = 6
BLOCK = 1_000


@dataclass(frozen=True, slots=True)
class Question:
    """A search, and the lessons that answer it where that is known."""

    tenant: str
    text: str
    vector: Sequence[float]
    evidence: frozenset[str] = frozenset()


@dataclass(frozen=True, slots=True)
class Corpus:
    """Lessons of some tenants, and questions about them."""

    name: str
    lessons: tuple[Lesson, ...]
    questions: tuple[Question, ...]

    @property
    def tenants(self) -> tuple[str, ...]:
        return tuple(dict.fromkeys(lesson.tenant for lesson in self.lessons))


class Made:
    """Lessons without end for one tenant: topics of like vectors and words, the same every run.

    Words are common or rare as in speech (Zipf); `vectors` keeps what was made, for exact scans.
    """

    def __init__(self, tenant: str, seed: int = 7) -> None:
        self._tenant = tenant
        self._numbers = np.random.default_rng(seed)
        self._random = Random(seed)  # noqa: S311  the same lessons every time
        self.blocks: list[Vectors] = []
        self.texts: list[str] = []

    def blocks_up_to(self, size: int) -> Iterator[list[Lesson]]:
        """The lessons that are still missing up to `size`, in blocks."""
        while len(self.texts) < size:
            yield self._block(min(BLOCK, size - len(self.texts)))

    def _block(self, number: int) -> list[Lesson]:
        topics = -(-number // PER_TOPIC)
        centres = _unit(self._numbers.standard_normal((topics, DIMENSIONS), np.float32))
        own = _unit(self._numbers.standard_normal((number, DIMENSIONS), np.float32))
        vectors = _unit(np.repeat(centres, PER_TOPIC, axis=0)[:number] + SPREAD * own)
        themes = [self._words(TOPIC_WORDS) for _ in range(topics)]
        texts = [
            f"{' '.join(self._random.sample(themes[n // PER_TOPIC], 4))}"
            f" {' '.join(self._words(8))} {len(self.texts) + n}"
            for n in range(number)
        ]
        self.blocks.append(vectors)
        self.texts += texts
        return [
            Lesson(self._tenant, text, vector)
            for text, vector in zip(texts, vectors.tolist(), strict=True)
        ]

    def _words(self, number: int) -> list[str]:
        return [f"word{int(WORDS ** self._random.random())}" for _ in range(number)]

    def questions(self, number: int) -> list[Question]:
        """Near a lesson each, in six of its words."""
        vectors = np.concatenate(self.blocks)
        picked = self._numbers.integers(len(vectors), size=number)
        own = _unit(self._numbers.standard_normal((number, DIMENSIONS), np.float32))
        asked = _unit(vectors[picked] + 0.5 * own).tolist()
        return [
            Question(self._tenant, " ".join(self.texts[n].split()[2:8]), vector)
            for n, vector in zip(picked, asked, strict=True)
        ]


def made(tenants: int, each: int, questions: int) -> Corpus:
    """A made corpus of several tenants."""
    lessons: list[Lesson] = []
    asked: list[Question] = []
    for number in range(tenants):
        source = Made(f"tenant-{number}", seed=number)
        for block in source.blocks_up_to(each):
            lessons += block
        asked += source.questions(-(-questions // tenants))
    return Corpus("made", tuple(lessons), tuple(asked))


def _unit(vectors: Vectors) -> Vectors:
    length: Vectors = np.linalg.norm(vectors, axis=1, keepdims=True)
    return (vectors / length).astype(np.float32)
