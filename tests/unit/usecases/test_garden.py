"""The gardener's rounds: every tribe, within its time, and again without effect."""

from collections.abc import Callable
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from types import SimpleNamespace
from typing import Any
from uuid import UUID

import pytest

from tests.support.fakes import CountingIds, StoppedClock
from tributary.domain.errors import (
    ConflictingStateError,
    DatabaseUnavailableError,
    EmbeddingFailedError,
    SerializationConflictError,
)
from tributary.domain.lesson import Lesson, Status
from tributary.domain.plan import Outcome
from tributary.domain.roles import Role
from tributary.ports import Attempt, Learned, Tended
from tributary.usecases.garden import BATCH, DRY_RUN_BATCH, Garden, Gardened

NOW = datetime(2026, 7, 1, tzinfo=UTC)
HOUR = timedelta(hours=1)


def parked(number: int) -> Lesson:
    return Lesson(
        id=UUID(int=number),
        lineage=UUID(int=number),
        status=Status.PENDING,
        content=f"lesson {number}",
        situation="at work",
        tags=("ops",),
        revision=1,
        confidence=1.0,
        strength=30.0,
        source_agent="bob",
        created_at=NOW,
        activated_at=None,
        deactivated_at=None,
        valid_from=NOW,
        valid_to=None,
        supersedes=None,
        superseded_by=None,
        excepts=(),
        protected=False,
        reinforcements=0,
        flag="the classifier failed",
    )


@dataclass
class Patch:
    """Store, ledger, registry and learner of a garden; each batch takes a minute."""

    clock: StoppedClock = field(default_factory=StoppedClock)
    work: dict[str, list[Tended]] = field(default_factory=dict)
    waiting: dict[str, list[Lesson]] = field(default_factory=dict)
    batches: list[tuple[str, datetime, int, bool]] = field(default_factory=list)
    attempts: list[Attempt] = field(default_factory=list)
    ends: Outcome | Exception = Outcome.INSERTED

    def in_gate(self, tribe: str, work: Callable[[Any], Tended], *, keep: bool = True) -> Tended:
        def tend(now: datetime, batch: int) -> Tended:
            self.batches.append((tribe, now, batch, keep))
            self.clock.sleep(60)
            left = self.work.get(tribe) or [Tended()]
            return left.pop(0) if keep else left[0]

        return work(SimpleNamespace(tend=tend))

    def tribes(self) -> tuple[str, ...]:
        return tuple(sorted(self.work | self.waiting))

    def parked(self, tribe: str, after: UUID | None, limit: int) -> tuple[Lesson, ...]:
        waiting = [one for one in self.waiting.get(tribe, []) if not after or one.id > after]
        return tuple(waiting[:limit])

    def learn(self, attempt: Attempt) -> Learned:
        self.attempts.append(attempt)
        self.clock.sleep(60)
        if isinstance(self.ends, Exception):
            raise self.ends
        return Learned(self.ends, attempt.lesson_id, None, None, attempt.decision_id)

    def garden(self, budget: timedelta = HOUR, *, dry_run: bool = False) -> Gardened:
        made = Garden(self, self, self, self.learn, self.clock, CountingIds())  # type: ignore[arg-type]
        return made(NOW, budget, dry_run=dry_run)


def test_every_tribe_is_tended_until_nothing_is_left() -> None:
    patch = Patch(work={"a": [Tended(2, 3, (UUID(int=1),)), Tended(1, 0)], "b": [Tended(0, 1)]})
    done = patch.garden()
    assert done == Gardened(tribes=2, strengthened=3, weakened=4, retired=(UUID(int=1),))
    assert [tribe for tribe, *_ in patch.batches] == ["a", "a", "a", "b", "b"]
    assert {(now, batch, keep) for _, now, batch, keep in patch.batches} == {(NOW, BATCH, True)}


def test_the_second_run_at_the_same_instant_does_nothing_more() -> None:
    patch = Patch(work={"a": [Tended(2, 3)]})
    patch.garden()
    assert patch.garden() == Gardened(tribes=1)


def test_a_dry_run_counts_everything_once_and_keeps_nothing() -> None:
    patch = Patch(work={"a": [Tended(2, 3)]}, waiting={"a": [parked(1)]})
    first = patch.garden(dry_run=True)
    assert first == Gardened(tribes=1, strengthened=2, weakened=3, parked=1)
    assert patch.garden(dry_run=True) == first
    assert {(batch, keep) for _, _, batch, keep in patch.batches} == {(DRY_RUN_BATCH, False)}
    assert patch.attempts == []


@pytest.mark.parametrize(
    ("minutes", "tribes", "batches"), [(0, 0, 0), (1, 1, 1), (3, 1, 3), (4, 2, 4)]
)
def test_it_stops_when_its_time_is_up_and_says_so(minutes: int, tribes: int, batches: int) -> None:
    patch = Patch(work={"a": [Tended(1)] * 2, "b": [Tended(1)] * 9})
    done = patch.garden(timedelta(minutes=minutes))
    assert (done.finished, done.tribes, len(patch.batches)) == (False, tribes, batches)


def test_a_parked_lesson_is_learnt_again_as_what_it_was_by_a_writer() -> None:
    patch = Patch(waiting={"a": [parked(7)]})
    assert patch.garden().settled == 1
    (attempt,) = patch.attempts
    assert (attempt.lesson_id, attempt.parked, attempt.idempotency_key) == (
        UUID(int=7),
        True,
        None,
    )
    assert (attempt.actor.tribe, attempt.actor.agent, attempt.actor.role) == (
        "a",
        "bob",
        Role.WRITER,
    )
    draft = attempt.draft
    assert (draft.content, draft.situation, draft.tags) == ("lesson 7", "at work", ("ops",))
    assert (draft.validity.start, draft.validity.end) == (NOW, None)


@pytest.mark.parametrize(
    "ends",
    [
        Outcome.PENDING,
        SerializationConflictError("40001", 4),
        EmbeddingFailedError("zeros"),
    ],
    ids=str,
)
def test_what_cannot_be_settled_yet_stays_parked(ends: Outcome | Exception) -> None:
    patch = Patch(waiting={"a": [parked(1), parked(2)]}, ends=ends)
    done = patch.garden()
    assert (done.settled, done.parked, done.finished) == (0, 2, True)
    assert len({attempt.decision_id for attempt in patch.attempts}) == 2


def test_what_another_gardener_settled_meanwhile_is_counted_by_that_one() -> None:
    gone = ConflictingStateError("lesson", "7", "retired", "pending")
    done = Patch(waiting={"a": [parked(1)]}, ends=gone).garden()
    assert (done.settled, done.parked, done.finished) == (0, 0, True)


def test_lessons_that_stay_parked_keep_no_later_one_from_its_turn() -> None:
    patch = Patch(waiting={"a": [parked(number) for number in range(2 * BATCH + 1)]},
                  ends=Outcome.PENDING)  # fmt: skip
    assert patch.garden(timedelta(days=30)).parked == 2 * BATCH + 1
    assert patch.attempts[-1].lesson_id == UUID(int=2 * BATCH)


def test_settling_stops_when_its_time_is_up() -> None:
    patch = Patch(waiting={"a": [parked(number) for number in range(9)]})
    done = patch.garden(timedelta(minutes=3))
    assert (done.settled, done.finished) == (2, False)


def test_a_database_that_is_down_ends_the_run() -> None:
    patch = Patch(waiting={"a": [parked(1)]}, ends=DatabaseUnavailableError("no connection"))
    with pytest.raises(DatabaseUnavailableError):
        patch.garden()
