"""What the benchmark asks of a system, and what it gives to all of them alike."""

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Protocol, Self

DIMENSIONS = 384


@dataclass(frozen=True, slots=True)
class Lesson:
    """One statement of a tenant, with its unit vector of 384 dimensions."""

    tenant: str
    text: str
    vector: Sequence[float]


@dataclass(frozen=True, slots=True)
class Place:
    """Where a system keeps its data: a database of its own, and a folder of its own."""

    dsn: str
    folder: Path


class System(Protocol):
    """A memory that is searched by meaning. Its vectors are given: no model is measured."""

    name: str
    version: str

    def open(self) -> None:
        """Make what it needs in its place, and connect."""

    def add(self, lessons: Sequence[Lesson]) -> None:
        """Store lessons by the bulk path that its documentation gives."""

    def fill(self, lessons: Sequence[Lesson]) -> None:
        """Store lessons that contradict nothing, as fast as it goes; never measured."""

    def search(self, tenant: str, text: str, vector: Sequence[float], k: int) -> list[str]:
        """The texts of the `k` best lessons of a tenant, best first."""

    def another(self) -> Self:
        """A further client of the same data, as another agent would open it."""

    def close(self) -> None: ...


class Given:
    """Stands in for an embedding model: text to the vector that was made before.

    Its methods are those that LangChain, LangGraph, mem0 and Tributary call.
    """

    def __init__(self) -> None:
        self._vectors: dict[str, Sequence[float]] = {}

    def know(self, lessons: Sequence[Lesson]) -> None:
        """Forget what was known, and answer for these."""
        self._vectors = {lesson.text: lesson.vector for lesson in lessons}

    def vector(self, text: str) -> list[float]:
        return list(self._vectors[text])

    def embed_query(self, text: str) -> list[float]:
        return self.vector(text)

    async def aembed_query(self, text: str) -> list[float]:
        return self.vector(text)

    def embed_documents(self, texts: Sequence[str]) -> list[list[float]]:
        return [self.vector(text) for text in texts]
