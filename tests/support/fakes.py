"""Stand-ins for the outside world that behave, instead of being told what to answer."""

import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from hashlib import sha256
from math import sqrt
from uuid import UUID

from tributary.domain.verdict import Candidate, Comparable, Relation, Verdict
from tributary.ports import Embedding

DIMENSIONS = 384


@dataclass
class WordEmbedder:
    """Texts that share words are near each other: each word is a fixed direction."""

    model: str = "words"
    calls: int = 0

    def embed(self, text: str) -> Embedding:
        self.calls += 1
        return Embedding(words_vector(text), self.model, truncated=False)


def words_vector(text: str) -> list[float]:
    vector = [0.0] * DIMENSIONS
    for word in re.findall(r"\w+", text.casefold()) or [text]:
        digest = sha256(word.encode("utf-8", "surrogatepass")).digest()
        for byte in range(0, 32, 2):
            slot = int.from_bytes(digest[byte : byte + 2]) % DIMENSIONS
            vector[slot] += 1.0 if digest[byte] % 2 else -1.0
    length = sqrt(sum(value * value for value in vector)) or 1.0
    return [value / length for value in vector]


@dataclass
class ValueClassifier:
    """Same words but for one: contradicts. Same words: duplicate. Else novel."""

    name: str = "value"
    calls: int = 0
    before: Callable[[], None] = lambda: None  # runs while the verdict is pending

    def classify(self, new: str, candidates: Sequence[Comparable]) -> Verdict:
        self.calls += 1
        self.before()
        for candidate in candidates:
            ours, theirs = new.casefold().split(), candidate.content.casefold().split()
            if ours == theirs:
                return Verdict(Relation.DUPLICATE, candidate.id, 0.9)
            if ours[:-1] == theirs[:-1]:
                return Verdict(Relation.CONTRADICTS, candidate.id, 0.9)
        return Verdict(Relation.NOVEL)


@dataclass
class FixedClassifier:
    """Always the same answer, or the same error."""

    answer: Verdict | Exception
    name: str = "fixed"

    def classify(self, new: str, candidates: Sequence[Comparable]) -> Verdict:
        if isinstance(self.answer, Exception):
            raise self.answer
        return self.answer


@dataclass
class StoppedClock:
    """Stands still; sleeping moves it and is written down."""

    instant: datetime = datetime(2026, 1, 1, tzinfo=UTC)
    slept: list[float] = field(default_factory=list)

    def now(self) -> datetime:
        return self.instant

    def sleep(self, seconds: float) -> None:
        self.slept.append(seconds)
        self.instant += timedelta(seconds=seconds)


@dataclass
class CountingIds:
    """Version-7 ids in order."""

    issued: int = 0

    def new(self) -> UUID:
        self.issued += 1
        return UUID(int=(7 << 76) | (2 << 62) | self.issued)


def candidate(number: int, content: str = "", agent: str = "ada", **changes: object) -> Candidate:
    """A candidate with a recognisable id."""
    return Candidate(
        **{
            "id": UUID(int=number),
            "lineage": UUID(int=number + 1_000),
            "content": content,
            "source_agent": agent,
            "similarity": 0.9,
            **changes,
        }  # type: ignore[arg-type]
    )
