"""Commit: do what the verdict asks for, if nothing near has changed since."""

from dataclasses import dataclass, replace

from tributary.domain.errors import ConflictingStateError, StaleCandidatesError
from tributary.domain.lesson import Status
from tributary.domain.plan import Outcome, Plan, Policy, decide, park
from tributary.ports import (
    Attempt,
    Changes,
    Clock,
    GatedTransaction,
    Learned,
    LearnStore,
    Proposal,
)
from tributary.usecases.learn.classify import NO_MODEL, Classified
from tributary.usecases.learn.prepare import Prepared


@dataclass(frozen=True, slots=True)
class Commit:
    """The third step, in one short transaction.

    Raises StaleCandidatesError (prepare again), SerializationConflictError and
    DatabaseUnavailableError (nothing was stored: call again), IdempotencyKeyReusedError.
    """

    store: LearnStore
    policy: Policy
    clock: Clock

    def __call__(self, prepared: Prepared, classified: Classified | None) -> Learned:
        """Write the lesson; the answer of the first call when called twice."""
        proposal = self._proposal(prepared, classified)
        tribe = prepared.attempt.actor.tribe
        return self.store.in_gate(tribe, lambda transaction: _write(transaction, proposal))

    def _proposal(self, prepared: Prepared, classified: Classified | None) -> Proposal:
        return Proposal(
            attempt=prepared.attempt,
            embedding=prepared.embedding,
            watermark=prepared.neighbourhood.watermark,
            candidates=prepared.neighbourhood.candidates,
            verdict=classified.verdict if classified else None,
            classifier=classified.classifier if classified else NO_MODEL,
            round=prepared.round,
            plan=prepared.plan or self._plan(prepared, classified),
        )

    def _plan(self, prepared: Prepared, classified: Classified | None) -> Plan:
        if classified is None or classified.verdict is None:
            return park((classified and classified.flag) or "the classifier failed")
        attempt, candidates = prepared.attempt, prepared.neighbourhood.candidates
        return _in_order(
            decide(
                classified.verdict,
                candidates,
                attempt.actor,
                self.policy,
                validity=attempt.draft.validity,
                now=self.clock.now(),
            ),
            attempt,
        )


def _in_order(plan: Plan, attempt: Attempt) -> Plan:
    """What was parked never overrules what was learnt after it, as the version-7 ids tell."""
    if not attempt.parked or plan.outcome is not Outcome.SUPERSEDED:
        return plan
    later = next((one for one in plan.replaced if one.id > attempt.lesson_id), None)
    if later is None:
        return plan
    why = "contradicts what was learnt after it"
    return Plan(Outcome.DISPUTED, Status.DISPUTED, later, flag=why)


def _write(transaction: GatedTransaction, proposal: Proposal) -> Learned:
    seen = transaction.changes(proposal)
    if seen.settled:
        return seen.settled
    _refuse_settled_elsewhere(proposal, seen)
    rests_on_candidates = proposal.plan.status not in (Status.PENDING, Status.QUARANTINED)
    if rests_on_candidates and (seen.near or not seen.targets_active):
        raise StaleCandidatesError(max(seen.near, 1))
    if proposal.attempt.stored_as and proposal.plan.status is Status.PENDING:
        return _still_parked(proposal)
    return transaction.apply(_disputed_once(proposal, seen))


def _disputed_once(proposal: Proposal, seen: Changes) -> Proposal:
    """An agent that says again what waits for a curator opens no second dispute."""
    if proposal.plan.outcome is not Outcome.DISPUTED or seen.disputed_as is None:
        return proposal
    if proposal.attempt.stored_as:
        why = f"duplicate of {seen.disputed_as}"
        return replace(proposal, plan=replace(proposal.plan, status=Status.RETIRED, flag=why))
    attempt = replace(proposal.attempt, lesson_id=seen.disputed_as)
    return replace(proposal, attempt=attempt, plan=replace(proposal.plan, status=None))


def _still_parked(proposal: Proposal) -> Learned:
    """Nothing changed, so nothing is written: the gardener comes by every hour."""
    attempt, plan = proposal.attempt, proposal.plan
    return Learned(
        plan.outcome, attempt.lesson_id, None, proposal.verdict, attempt.decision_id, plan.flag
    )


def _refuse_settled_elsewhere(proposal: Proposal, seen: Changes) -> None:
    wanted = proposal.attempt.stored_as
    if wanted and seen.own_status is not wanted:
        raise ConflictingStateError(
            "lesson", str(proposal.attempt.lesson_id), str(seen.own_status), wanted
        )
