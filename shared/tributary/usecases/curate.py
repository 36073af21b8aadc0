"""Curate: what people and agents do to lessons that are already there."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import TypeVar
from uuid import UUID

from tributary.domain.errors import ConflictingStateError, NotFoundError
from tributary.domain.lesson import Lesson, Status, clean_text
from tributary.domain.roles import Actor, Role
from tributary.ports import (
    AuditEntry,
    Dispute,
    Embedder,
    GatedTransaction,
    LearnStore,
    Ledger,
    Resolution,
)

MAX_REASON = 1_000  # characters
MAX_AUDIT = 1_000  # lines of the audit
Thing = TypeVar("Thing")


@dataclass(frozen=True, slots=True)
class History:
    """The chain of a lesson, oldest first, and every change of the lesson itself, newest first."""

    chain: tuple[Lesson, ...]
    audit: tuple[AuditEntry, ...]


@dataclass(frozen=True, slots=True)
class Curate:
    """Each raises ForbiddenError, NotFoundError, ConflictingStateError as its name suggests."""

    store: LearnStore
    ledger: Ledger
    embedder: Embedder

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
        """Settle an open dispute."""
        actor.require(Role.CURATOR)
        why = None if reason is None else clean_text(reason, "reason", MAX_REASON)
        disputed = self.store.in_gate(actor.tribe, _disputed(dispute_id))
        embedding = self.embedder.embed(disputed.content)

        def work(transaction: GatedTransaction) -> Dispute:
            dispute = _open_dispute(transaction, dispute_id)
            transaction.resolve(actor.agent, dispute, resolution, why, embedding)
            return _known(transaction.dispute(dispute_id), "dispute", dispute_id)

        return self.store.in_gate(actor.tribe, work)

    def history(self, actor: Actor, lesson_id: UUID) -> History:
        """How the lesson came to be what it is."""
        actor.require(Role.READER)
        chain = self.ledger.chain(actor.tribe, lesson_id)
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


def _disputed(dispute_id: UUID) -> Callable[[GatedTransaction], Lesson]:
    def work(transaction: GatedTransaction) -> Lesson:
        dispute = _open_dispute(transaction, dispute_id)
        return _known(transaction.lesson(dispute.lesson_id), "lesson", dispute.lesson_id)

    return work


def _known(thing: Thing | None, kind: str, key: UUID) -> Thing:
    if thing is None:
        raise NotFoundError(kind, str(key))
    return thing
