"""Curate: what people and agents do to lessons that are already there."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import TypeVar
from uuid import UUID

from tributary.domain.errors import ConflictingStateError, NotFoundError, TopicBusyError
from tributary.domain.lesson import Lesson, Status, clean_text
from tributary.domain.plan import Outcome
from tributary.domain.roles import Actor, Role
from tributary.ports import (
    Attempt,
    AuditEntry,
    Dispute,
    GatedTransaction,
    Ids,
    LearnStore,
    Ledger,
    Resolution,
    Settlement,
)
from tributary.usecases.learn.run import Learn

MAX_REASON = 1_000  # characters
MAX_AUDIT = 1_000  # lines of the audit
Thing = TypeVar("Thing")


@dataclass(frozen=True, slots=True)
class History:
    """The chain of a lesson, oldest first, and every change of the lesson itself, newest first."""

    chain: tuple[Lesson, ...]
    audit: tuple[AuditEntry, ...]


def may_see_quarantined(actor: Actor) -> bool:
    """What the guard stopped is for those who judge it; an agent might obey it."""
    return actor.role >= Role.CURATOR


@dataclass(frozen=True, slots=True)
class Curate:
    """Each raises ForbiddenError, NotFoundError, ConflictingStateError as its name suggests."""

    store: LearnStore
    ledger: Ledger
    learn: Learn
    ids: Ids

    def reinforce(self, actor: Actor, lesson_id: UUID) -> bool:
        """Count a use of an active lesson: once per agent and hour. True when it was counted."""
        actor.require(Role.WRITER)

        def work(transaction: GatedTransaction) -> bool:
            _active(transaction, lesson_id)
            return transaction.reinforce(actor.agent, lesson_id)

        return self.store.in_gate(actor.tribe, work)

    def retire(self, actor: Actor, lesson_id: UUID, reason: str) -> None:
        """Take an active lesson out of recall; it stays in the history."""
        actor.require(Role.CURATOR)
        why = clean_text(reason, "reason", MAX_REASON)

        def work(transaction: GatedTransaction) -> None:
            _active(transaction, lesson_id)
            transaction.retire(actor.agent, lesson_id, why)

        self.store.in_gate(actor.tribe, work)

    def resolve(
        self, actor: Actor, dispute_id: UUID, resolution: Resolution, reason: str | None = None
    ) -> Dispute:
        """Settle an open dispute.

        A lesson that is to hold is learnt once more, now with the curator's word: what else it
        repeats or contradicts by now is settled with it. Raises TransientError when others kept
        changing the topic; the dispute is then still open.
        """
        actor.require(Role.CURATOR)
        why = None if reason is None else clean_text(reason, "reason", MAX_REASON)
        if resolution is Resolution.REJECT:
            return self.store.in_gate(actor.tribe, _rejected(actor, dispute_id, why))
        lesson = self.store.in_gate(actor.tribe, _disputed(dispute_id))
        attempt = Attempt(
            actor=actor,
            draft=lesson.draft,
            decision_id=self.ids.new(),
            lesson_id=lesson.id,
            settles=Settlement(dispute_id, resolution, why),
        )
        if self.learn(attempt).outcome is Outcome.PENDING:
            raise TopicBusyError(str(lesson.lineage))
        return self.store.in_gate(
            actor.tribe,
            lambda transaction: _known(transaction.dispute(dispute_id), "dispute", dispute_id),
        )

    def history(self, actor: Actor, lesson_id: UUID) -> History:
        """How the lesson came to be what it is."""
        actor.require(Role.READER)
        chain = self.ledger.chain(actor.tribe, lesson_id)
        if not may_see_quarantined(actor):
            chain = tuple(one for one in chain if one.status is not Status.QUARANTINED)
        if not chain:
            raise NotFoundError("lesson", str(lesson_id))
        return History(chain, self.ledger.audit(actor.tribe, lesson_id, None, MAX_AUDIT))


def _active(transaction: GatedTransaction, lesson_id: UUID) -> Lesson:
    lesson = _known(transaction.lesson(lesson_id), "lesson", lesson_id)
    if lesson.status is not Status.ACTIVE:
        raise ConflictingStateError("lesson", str(lesson_id), lesson.status, Status.ACTIVE)
    return lesson


def _open_dispute(transaction: GatedTransaction, dispute_id: UUID) -> Dispute:
    dispute = _known(transaction.dispute(dispute_id), "dispute", dispute_id)
    if dispute.resolution is not None:
        raise ConflictingStateError("dispute", str(dispute_id), dispute.resolution, "open")
    return dispute


def _rejected(
    actor: Actor, dispute_id: UUID, reason: str | None
) -> Callable[[GatedTransaction], Dispute]:
    def work(transaction: GatedTransaction) -> Dispute:
        transaction.reject(actor.agent, _open_dispute(transaction, dispute_id), reason)
        return _known(transaction.dispute(dispute_id), "dispute", dispute_id)

    return work


def _disputed(dispute_id: UUID) -> Callable[[GatedTransaction], Lesson]:
    def work(transaction: GatedTransaction) -> Lesson:
        dispute = _open_dispute(transaction, dispute_id)
        return _known(transaction.lesson(dispute.lesson_id), "lesson", dispute.lesson_id)

    return work


def _known(thing: Thing | None, kind: str, key: UUID) -> Thing:
    if thing is None:
        raise NotFoundError(kind, str(key))
    return thing
