"""Commit: do what the verdict asks for, if nothing near has changed since."""

from dataclasses import dataclass

from tributary.domain.errors import ConflictingStateError, StaleCandidatesError
from tributary.domain.lesson import Status
from tributary.domain.plan import Outcome, Plan, Policy, decide, park
from tributary.ports import Attempt, Changes, GatedTransaction, Learned, LearnStore, Proposal
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
            decide(classified.verdict, candidates, attempt.actor, self.policy), attempt
        )


def _in_order(plan: Plan, attempt: Attempt) -> Plan:
    """What was parked never overrules what was learnt after it, as the version-7 ids tell."""
    target = plan.target if plan.outcome is Outcome.SUPERSEDED else None
    if target and attempt.parked and target.id > attempt.lesson_id:
        return Plan(
            Outcome.DISPUTED, Status.DISPUTED, target, "contradicts what was learnt after it"
        )
    return plan


def _write(transaction: GatedTransaction, proposal: Proposal) -> Learned:
    seen = transaction.changes(proposal)
    if seen.settled:
        return seen.settled
    _refuse_settled_elsewhere(proposal, seen)
    rests_on_candidates = proposal.plan.status not in (Status.PENDING, Status.QUARANTINED)
    if rests_on_candidates and (seen.near or not seen.target_active):
        raise StaleCandidatesError(max(seen.near, 1))
    if proposal.attempt.parked and proposal.plan.status is Status.PENDING:
        return _still_parked(proposal)
    return transaction.apply(proposal)


def _still_parked(proposal: Proposal) -> Learned:
    """Nothing changed, so nothing is written: the gardener comes by every hour."""
    attempt, plan = proposal.attempt, proposal.plan
    return Learned(
        plan.outcome, attempt.lesson_id, None, proposal.verdict, attempt.decision_id, plan.flag
    )


def _refuse_settled_elsewhere(proposal: Proposal, seen: Changes) -> None:
    if proposal.attempt.parked and seen.own_status is not Status.PENDING:
        raise ConflictingStateError(
            "lesson", str(proposal.attempt.lesson_id), str(seen.own_status), Status.PENDING
        )
