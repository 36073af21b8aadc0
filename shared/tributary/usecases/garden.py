"""Garden: forget what nobody uses, and classify again what was parked."""

from collections.abc import Iterator
from dataclasses import dataclass, replace
from datetime import datetime, timedelta
from uuid import UUID

from tributary.domain.errors import (
    ConflictingStateError,
    EmbeddingFailedError,
    SerializationConflictError,
)
from tributary.domain.lesson import Lesson
from tributary.domain.plan import Outcome
from tributary.domain.roles import Actor, Role
from tributary.ports import Attempt, Clock, Ids, LearnStore, Ledger, Registry, Tended
from tributary.usecases.learn.run import Learn

BATCH = 500
DRY_RUN_BATCH = 100_000  # a dry run keeps nothing, so it must see everything in one go


@dataclass(frozen=True, slots=True)
class Gardened:
    """What one run did, or would do. Counts are of lessons, over all its tribes."""

    tribes: int = 0
    strengthened: int = 0
    weakened: int = 0
    retired: tuple[UUID, ...] = ()
    settled: int = 0  # parked lessons that got an outcome
    parked: int = 0  # parked lessons that stay so
    finished: bool = True  # false when the time ran out first; the next run goes on


@dataclass(frozen=True, slots=True)
class Garden:
    """The scheduled job. Running it again at the same instant changes nothing more."""

    store: LearnStore
    ledger: Ledger
    registry: Registry
    learn: Learn
    clock: Clock
    ids: Ids

    def __call__(self, now: datetime, budget: timedelta, *, dry_run: bool = False) -> Gardened:
        """Tend every tribe as of `now`, until done or until `budget` has passed."""
        deadline = self.clock.now() + budget
        done = Gardened()
        for tribe in self.registry.tribes():
            if self.clock.now() >= deadline:
                return replace(done, finished=False)
            done = self._tend(tribe, now, deadline, done, dry_run)
            done = self._settle(tribe, deadline, done, dry_run)
        return done

    def _tend(
        self, tribe: str, now: datetime, deadline: datetime, done: Gardened, dry_run: bool
    ) -> Gardened:
        done = replace(done, tribes=done.tribes + 1)
        batch = DRY_RUN_BATCH if dry_run else BATCH
        while self.clock.now() < deadline:
            tended = self.store.in_gate(
                tribe, lambda transaction: transaction.tend(now, batch), keep=not dry_run
            )
            done = _with(done, tended)
            if dry_run or tended == Tended():
                return done
        return replace(done, finished=False)

    def _settle(self, tribe: str, deadline: datetime, done: Gardened, dry_run: bool) -> Gardened:
        for lesson in self._parked(tribe):
            if self.clock.now() >= deadline:
                return replace(done, finished=False)
            try:
                settled = not dry_run and self._settles(tribe, lesson)
            except ConflictingStateError:  # another gardener was here meanwhile
                continue
            if settled:
                done = replace(done, settled=done.settled + 1)
            else:
                done = replace(done, parked=done.parked + 1)
        return done

    def _parked(self, tribe: str) -> Iterator[Lesson]:
        """All of them, by pages: those that stay parked do not keep later ones from their turn."""
        page = self.ledger.parked(tribe, None, BATCH)
        while page:
            yield from page
            full = len(page) == BATCH
            page = self.ledger.parked(tribe, page[-1].id, BATCH) if full else ()

    def _settles(self, tribe: str, lesson: Lesson) -> bool:
        # As a writer: a parked lesson never overrules what another agent has said since.
        attempt = Attempt(
            actor=Actor(tribe, lesson.source_agent, Role.WRITER),
            draft=lesson.draft,
            decision_id=self.ids.new(),
            lesson_id=lesson.id,
            parked=True,
        )
        try:
            return self.learn(attempt).outcome is not Outcome.PENDING
        except (SerializationConflictError, EmbeddingFailedError):
            return False


def _with(done: Gardened, tended: Tended) -> Gardened:
    return replace(
        done,
        strengthened=done.strengthened + tended.strengthened,
        weakened=done.weakened + tended.weakened,
        retired=done.retired + tended.retired,
    )
