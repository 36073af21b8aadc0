"""What callers are told, written down, and checked against what the database holds."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from typing import Any, Protocol

import psycopg

from tests.support.invariants import Rows, check_found, found_lessons
from tests.support.sql import Admin, dump
from tributary.adapters.postgres import rows
from tributary.doctor.consistency import Topic
from tributary.doctor.histories import Told, violations
from tributary.domain.errors import TributaryError
from tributary.ports import Learned


class Learner(Protocol):
    """A Memory, or whatever else one learns with."""

    def learn(self, content: str, **named: Any) -> Learned: ...


@dataclass
class Recorder:
    """Writes down what each caller is told. Threads may share one: appending is atomic.

    Processes send theirs home: it can be pickled.
    """

    told: list[Told] = field(default_factory=list)

    def learn(self, memory: Learner, content: str, **named: Any) -> Learned | None:
        """The answer; None after an error that says the learn failed, or a dead connection."""
        key = named.get("idempotency_key")
        try:
            learned = memory.learn(content, **named)
        except (TributaryError, psycopg.Error, OSError) as error:
            self.told.append(Told(content, None, type(error).__name__, key))
            return None
        self.told.append(Told(content, learned, None, key))
        return learned

    def unanswered(self, content: str, idempotency_key: str | None = None) -> None:
        """A caller that never heard: it was killed, or hung up."""
        self.told.append(Told(content, None, None, idempotency_key))

    def add(self, told: Iterable[Told]) -> None:
        """What another process wrote down."""
        self.told.extend(told)


def check_history(
    admin: Admin, tribe: str, told: Sequence[Told], *, topic: Topic | None = None
) -> dict[str, Rows]:
    """AssertionError unless the tribe is consistent and keeps all that its learners were told.

    `topic` is that of doctor.histories.violations. The rows that were looked at.
    """
    found = dump(admin, tribe)
    check_found(found)
    broken = violations(
        told,
        found_lessons(found),
        [rows.audit_entry(row) for row in found["memory_audit"]],
        {row["id"]: rows.decision(row) for row in found["decisions"]},
        topic=topic,
    )
    assert not broken, "\n".join(f"{one.kind}: {one.detail}" for one in broken)
    return found
