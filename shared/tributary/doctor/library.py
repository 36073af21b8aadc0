"""The doctor's way in through the library: every caller has a connection of its own."""

from collections.abc import Iterator
from dataclasses import dataclass, replace
from datetime import datetime
from typing import TypeVar
from uuid import UUID

from tributary.adapters.postgres.database import Connect
from tributary.domain.errors import DatabaseUnavailableError, NotFoundError
from tributary.domain.lesson import Lesson, draft
from tributary.domain.roles import Actor, Role
from tributary.edge.wiring import Wiring
from tributary.ports import (
    AuditEntry,
    Decision,
    Embedder,
    Learned,
    LessonFilter,
    RecalledLesson,
)
from tributary.usecases.learn.attempt import new_attempt
from tributary.usecases.recall import recall_query
from tributary.usecases.scratch import ScratchTribe

Thing = TypeVar("Thing")
PAGE = 1_000
ASKING = Actor("doctor", "doctor", Role.CURATOR)  # a tribe that need not exist


@dataclass(frozen=True, slots=True)
class LibraryDoor:
    """Implements door.Door over a wiring, whose embedder all callers share."""

    wiring: Wiring
    name: str = "the library"

    @property
    def connect(self) -> Connect:
        return self.wiring.connect

    @property
    def embedder(self) -> Embedder:
        return self.wiring.embedder

    def open(self) -> "LibraryRoom":
        return LibraryRoom(self.wiring, self.wiring.scratch.open(ASKING))


@dataclass(frozen=True, slots=True)
class LibraryRoom:
    """Implements door.Room."""

    wiring: Wiring
    opened: ScratchTribe

    @property
    def tribe(self) -> str:
        return self.opened.tribe

    @property
    def expires_at(self) -> datetime:
        return self.opened.expires_at

    @property
    def actor(self) -> Actor:
        """Who works in it."""
        return Actor(self.tribe, "doctor", Role.CURATOR)

    def caller(self) -> "LibraryCaller":
        shared = self.wiring.embedder
        return LibraryCaller(replace(self.wiring, make_embedder=lambda: shared), self.actor)

    def remove(self) -> None:
        if not self.wiring.scratch.remove(self.actor).finished:
            raise DatabaseUnavailableError(f"{self.tribe} is removed in part only")


@dataclass(frozen=True, slots=True)
class LibraryCaller:
    """Implements door.Caller."""

    wiring: Wiring
    actor: Actor

    def learn(self, content: str, key: str) -> Learned:
        attempt = new_attempt(self.actor, draft(content), self.wiring.ids, key)
        return self.wiring.learn(attempt)

    def recall(self, query: str, k: int) -> tuple[RecalledLesson, ...]:
        return self.wiring.recall(self.actor, recall_query(query, k=k)).lessons

    def lesson(self, lesson_id: UUID) -> Lesson:
        return _known(self.wiring.ledger.lesson(self.actor.tribe, lesson_id), "lesson", lesson_id)

    def history(self, lesson_id: UUID) -> tuple[Lesson, ...]:
        return self.wiring.curate.history(self.actor, lesson_id).chain

    def decision(self, decision_id: UUID) -> Decision:
        found = self.wiring.ledger.decision(self.actor.tribe, decision_id)
        return _known(found, "decision", decision_id)

    def lessons(self) -> Iterator[Lesson]:
        after: UUID | None = None
        while True:
            wanted = LessonFilter(after=after, limit=PAGE)
            page = self.wiring.ledger.lessons(self.actor.tribe, wanted)
            yield from page
            if len(page) < PAGE:
                return
            after = page[-1].id

    def audit(self) -> Iterator[AuditEntry]:
        after: UUID | None = None
        while True:
            page = self.wiring.ledger.audit(self.actor.tribe, None, after, PAGE)
            yield from page
            if len(page) < PAGE:
                return
            after = page[-1].id

    def retire(self, lesson_id: UUID) -> None:
        self.wiring.curate.retire(self.actor, lesson_id, "tried out by the doctor")

    def close(self) -> None:
        self.wiring.database.close()


def _known(found: Thing | None, kind: str, key: UUID) -> Thing:
    if found is None:
        raise NotFoundError(kind, str(key))
    return found
