"""What the doctor needs of an installation, whether it is a library's database or an API."""

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from datetime import datetime
from typing import Protocol
from uuid import UUID

from tributary.adapters.postgres.database import Connect
from tributary.domain.lesson import Lesson
from tributary.ports import AuditEntry, Decision, Embedder, Learned, RecalledLesson


class Caller(Protocol):
    """A curator of one tribe, on a connection of its own.

    What is not there raises NotFoundError; what may succeed later raises TransientError.
    """

    def learn(self, content: str, key: str) -> Learned: ...
    def recall(self, query: str, k: int) -> tuple[RecalledLesson, ...]: ...
    def lesson(self, lesson_id: UUID) -> Lesson: ...
    def history(self, lesson_id: UUID) -> tuple[Lesson, ...]: ...
    def decision(self, decision_id: UUID) -> Decision: ...
    def lessons(self) -> Iterator[Lesson]: ...
    def audit(self) -> Iterator[AuditEntry]: ...
    def retire(self, lesson_id: UUID) -> None: ...
    def close(self) -> None: ...


class Room(Protocol):
    """A scratch tribe."""

    @property
    def tribe(self) -> str: ...
    @property
    def expires_at(self) -> datetime: ...
    def caller(self) -> Caller: ...
    def remove(self) -> None:
        """Raises TransientError when something of it is left."""


class Door(Protocol):
    """The way in."""

    @property
    def name(self) -> str:
        """What people call it."""

    @property
    def connect(self) -> Connect | None:
        """To the database itself; None where only the API can be reached."""

    @property
    def embedder(self) -> Embedder | None:
        """None where it runs on the other side."""

    def open(self) -> Room:
        """A new scratch tribe. Raises ConfigurationError saying what to do."""


Tick = Callable[[str, int, int], None]  # what is going on, how much of it is done, and of what


@dataclass(frozen=True, slots=True)
class Load:
    """How hard to press."""

    learners: int = 16
    rounds: int = 40
