"""An installation in memory that keeps every promise, but for the fault that a test gives it."""

import threading
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime, timedelta
from itertools import count
from typing import Any
from uuid import UUID, uuid4

from tributary.doctor.golden import cosine, golden
from tributary.doctor.topics import topic_of
from tributary.domain.errors import NotFoundError, TransientError
from tributary.domain.lesson import Lesson, Status
from tributary.domain.plan import Outcome
from tributary.ports import AuditEntry, Decision, Embedding, Learned, RecalledLesson

START = datetime(2026, 1, 1, tzinfo=UTC)
Fault = str


class GoldenEmbedder:
    """The shipped model, as far as golden texts go; `spoil` changes its vectors."""

    model = "golden"

    def __init__(self, spoil: Callable[[list[float]], list[float]] = list) -> None:
        self._spoil = spoil
        self._known = {one.text: list(one.vector) for one in golden().values()}

    def embed(self, text: str) -> Embedding:
        return Embedding(self._spoil(self._known[text]), self.model, truncated=False)


@dataclass
class Tribe:
    """What one tribe holds."""

    lessons: dict[UUID, Lesson] = field(default_factory=dict)
    audit: list[AuditEntry] = field(default_factory=list)
    decisions: dict[UUID, Decision] = field(default_factory=dict)
    keys: dict[str, Learned] = field(default_factory=dict)


@dataclass
class Installation:
    """Implements door.Door. `fault` is what it does wrong; see where it is asked for."""

    fault: Fault = ""
    embedder: Any = None
    connect: None = None
    name: str = "a fake"
    life: timedelta = timedelta(hours=1)
    tribes: dict[str, Tribe] = field(default_factory=dict)
    opened: int = 0
    learns: int = 0
    open_callers: int = 0
    before_learn: Callable[[], None] = lambda: None
    lock: threading.RLock = field(default_factory=threading.RLock)
    ticks: Iterator[int] = field(default_factory=lambda: count(1))

    def open(self) -> "FakeRoom":
        self.opened += 1
        made = FakeRoom(self, f"~{self.opened}", datetime.now(UTC) + self.life)
        self.tribes[made.tribe] = Tribe()
        return made

    def now(self) -> datetime:
        return START + timedelta(seconds=next(self.ticks))


@dataclass
class FakeRoom:
    """Implements door.Room."""

    at: Installation
    tribe: str
    expires_at: datetime

    def caller(self) -> "FakeCaller":
        self.at.open_callers += 1
        return FakeCaller(self.at, self.at.tribes[self.tribe])

    def remove(self) -> None:
        if self.at.fault == "is not removed":
            raise TransientError("busy")
        del self.at.tribes[self.tribe]


@dataclass
class FakeCaller:
    """Implements door.Caller."""

    at: Installation
    tribe: Tribe

    def learn(self, content: str, key: str) -> Learned:
        self.at.before_learn()
        with self.at.lock:
            self.at.learns += 1
            if self.at.fault == "refuses" or (self.at.fault == "asks again" and self.at.learns % 2):
                raise TransientError("come again")
            keys = self._everywhere("takes keys of others").keys
            if key not in keys:
                keys[key] = self._learn(content)
            return keys[key]

    def _learn(self, content: str) -> Learned:
        fault, at = self.at.fault, self.at.now()
        rivals = [
            one for one in self.tribe.lessons.values()
            if one.status is Status.ACTIVE and topic_of(one.content) == topic_of(content)
        ]  # fmt: skip
        old = rivals[0] if rivals and fault != "splits" else None
        lesson = new_lesson(content, at, old)
        decision_id = uuid4()
        if old:
            self._supersede(old, lesson, decision_id)
        outcome = Outcome.SUPERSEDED if old else Outcome.INSERTED
        told = Learned(outcome, lesson.id, old.id if old else None, None, decision_id)
        retries = 1 if fault == "retries" else 0
        decision = Decision(
            decision_id, lesson.id, "doctor", outcome, told.target_id, None, "fake", (),
            2 if old else 1, retries, None, False, at,
        )  # fmt: skip
        self.tribe.decisions[decision_id] = decision
        if fault != "loses" or not old:
            self.tribe.lessons[lesson.id] = lesson
            self._audit(lesson, "active", decision_id, at)
        if fault == "lies" and old:
            return replace(told, outcome=Outcome.INSERTED, target_id=None)
        return told

    def _supersede(self, old: Lesson, new: Lesson, decision_id: UUID) -> None:
        at = new.activated_at
        assert at is not None
        link = uuid4() if self.at.fault == "breaks chains" else new.id
        self.tribe.lessons[old.id] = replace(
            old, status=Status.SUPERSEDED, superseded_by=link, deactivated_at=at
        )
        if self.at.fault != "forgets the audit":
            self._audit(old, "superseded", decision_id, at)

    def _audit(self, lesson: Lesson, action: str, decision_id: UUID, at: datetime) -> None:
        entry = AuditEntry(uuid4(), lesson.id, action, "doctor", at, decision_id, {})
        self.tribe.audit.append(entry)

    def _everywhere(self, fault: Fault) -> Tribe:
        """This tribe, or with the fault the oldest of all."""
        oldest = next(iter(self.at.tribes.values()))
        return oldest if self.at.fault == fault else self.tribe

    def recall(self, query: str, k: int) -> tuple[RecalledLesson, ...]:
        found = self._everywhere("recalls from others").lessons.values()
        return tuple(recalled(one, query, self.at.fault) for one in found)[:k]

    def lesson(self, lesson_id: UUID) -> Lesson:
        return known(self._everywhere("finds others by id").lessons, lesson_id)

    def history(self, lesson_id: UUID) -> tuple[Lesson, ...]:
        return (known(self._everywhere("tells histories of others").lessons, lesson_id),)

    def decision(self, decision_id: UUID) -> Decision:
        return known(self._everywhere("tells decisions of others").decisions, decision_id)

    def lessons(self) -> Iterator[Lesson]:
        return iter(list(self._everywhere("lists others").lessons.values()))

    def audit(self) -> Iterator[AuditEntry]:
        return iter(list(self._everywhere("audits others").audit))

    def retire(self, lesson_id: UUID) -> None:
        lessons = self._everywhere("retires others").lessons
        lessons[lesson_id] = replace(known(lessons, lesson_id), status=Status.RETIRED)

    def close(self) -> None:
        self.at.open_callers -= 1


def known(things: dict[UUID, Any], key: UUID) -> Any:
    if key not in things:
        raise NotFoundError("thing", str(key))
    return things[key]


def new_lesson(content: str, at: datetime, old: Lesson | None) -> Lesson:
    """An active lesson that follows `old`."""
    id_ = uuid4()
    return Lesson(
        id=id_, lineage=old.lineage if old else id_, status=Status.ACTIVE, content=content,
        situation=None, tags=(), revision=1, confidence=1.0, strength=30.0, source_agent="doctor",
        created_at=at, activated_at=at, deactivated_at=None, valid_from=None, valid_to=None,
        supersedes=old.id if old else None, superseded_by=None, excepts=(), protected=False,
        reinforcements=0, flag=None,
    )  # fmt: skip


def recalled(one: Lesson, query: str, fault: Fault) -> RecalledLesson:
    """With the golden similarity, where there is one."""
    texts = {known.text: known.vector for known in golden().values()}
    near = cosine(texts[query], texts[one.content]) if query in texts else 1.0
    return RecalledLesson(
        id=one.id, content=one.content, situation=None, tags=(), score=near,
        similarity=near + (0.05 if fault == "has another model" else 0), status=one.status,
        confidence=1.0, agent="doctor", lineage=one.lineage, supersedes=None,
        activated_at=one.activated_at or START, valid_from=None, valid_to=None,
    )  # fmt: skip
