"""The two compound writes: a learn as planned, and a dispute as resolved."""

from uuid import UUID

from psycopg.types.json import Jsonb

from tributary.adapters.postgres.settled import request_hash
from tributary.adapters.postgres.writer import Writer
from tributary.domain.lesson import Status
from tributary.domain.plan import Outcome
from tributary.ports import Dispute, Embedding, Learned, Proposal, Resolution

DECISION = """
INSERT INTO decisions (
    tribe, id, lesson_id, agent, outcome, target_id, relation, confidence, verdict_target,
    classifier, candidates, rounds, retries, flag, truncated, decided_at
) VALUES (
    %(tribe)s, %(id)s, %(lesson)s, %(agent)s, %(outcome)s, %(target)s, %(relation)s,
    %(confidence)s, %(verdict_target)s, %(classifier)s, %(candidates)s, %(rounds)s, %(retries)s,
    %(flag)s, %(truncated)s, %(stamp)s
)
"""

IDEMPOTENCY_KEY = """
INSERT INTO idempotency_keys (tribe, agent, key, request_hash, decision_id, created_at)
VALUES (%(tribe)s, %(agent)s, %(key)s, %(hash)s, %(decision)s, %(stamp)s)
"""

DISPUTE = """
INSERT INTO disputes (tribe, id, lesson_id, target_id, opened_by, opened_at)
VALUES (%(tribe)s, %(id)s, %(lesson)s, %(target)s, %(agent)s, %(stamp)s)
"""

RESOLVE = """
UPDATE disputes SET resolution = %(resolution)s, resolved_by = %(agent)s,
    resolved_at = %(stamp)s, reason = %(reason)s
WHERE tribe = %(tribe)s AND id = %(id)s
"""


def apply(writer: Writer, proposal: Proposal, retries: int) -> Learned:
    """Write lesson, vector, audit, decision and idempotency key; end the topic lease."""
    attempt, plan = proposal.attempt, proposal.plan
    target = plan.target.id if plan.target else None
    if plan.outcome is Outcome.REINFORCED and target:
        writer.reinforce(target, attempt.decision_id)
        if attempt.parked:
            writer.deactivate(
                attempt.lesson_id, Status.RETIRED, flag=f"duplicate of {target}",
                decision_id=attempt.decision_id,
            )  # fmt: skip
    else:
        _store(writer, proposal, target)
    learned = Learned(
        outcome=plan.outcome,
        lesson_id=target if plan.outcome is Outcome.REINFORCED and target else attempt.lesson_id,
        target_id=target,
        verdict=proposal.verdict,
        decision_id=attempt.decision_id,
        flag=plan.flag,
        truncated=proposal.embedding.truncated if proposal.embedding else False,
    )
    _record(writer, proposal, learned, retries)
    return learned


def _store(writer: Writer, proposal: Proposal, target: UUID | None) -> None:
    attempt, plan = proposal.attempt, proposal.plan
    supersedes = target if plan.outcome is Outcome.SUPERSEDED else None
    lineage = plan.target.lineage if supersedes and plan.target else attempt.lesson_id
    status = plan.status or Status.ACTIVE
    if supersedes:
        writer.deactivate(
            supersedes, Status.SUPERSEDED, superseded_by=attempt.lesson_id,
            decision_id=attempt.decision_id,
        )  # fmt: skip
    if not attempt.parked:
        writer.insert(
            attempt.draft, attempt.lesson_id, lineage, status, supersedes=supersedes,
            flag=plan.flag, decision_id=attempt.decision_id,
        )  # fmt: skip
    elif status is Status.ACTIVE:
        writer.activate(attempt.lesson_id, lineage, supersedes, attempt.decision_id)
    elif status is not Status.PENDING:
        writer.deactivate(
            attempt.lesson_id, status, flag=plan.flag, decision_id=attempt.decision_id
        )
    if status is Status.ACTIVE and proposal.embedding:
        writer.insert_vector(attempt.lesson_id, proposal.embedding)
    if status is Status.DISPUTED:
        writer.queue(DISPUTE, id=writer.ids.new(), lesson=attempt.lesson_id, target=target)


def _record(writer: Writer, proposal: Proposal, learned: Learned, retries: int) -> None:
    attempt, verdict = proposal.attempt, proposal.verdict
    candidates = [{"id": str(one.id), "similarity": one.similarity} for one in proposal.candidates]
    writer.queue(
        DECISION, id=attempt.decision_id, lesson=learned.lesson_id, outcome=learned.outcome,
        target=learned.target_id, relation=verdict and verdict.relation,
        confidence=verdict and verdict.confidence, verdict_target=verdict and verdict.target_id,
        classifier=proposal.classifier, candidates=Jsonb(candidates), rounds=proposal.round,
        retries=retries, flag=learned.flag, truncated=learned.truncated,
    )  # fmt: skip
    if attempt.idempotency_key:
        writer.queue(
            IDEMPOTENCY_KEY, key=attempt.idempotency_key, hash=request_hash(attempt.draft),
            decision=attempt.decision_id,
        )  # fmt: skip
    writer.queue(
        "DELETE FROM topic_leases WHERE tribe = %(tribe)s AND holder = %(holder)s",
        holder=attempt.decision_id,
    )


def resolve(
    writer: Writer,
    dispute: Dispute,
    resolution: Resolution,
    reason: str | None,
    embedding: Embedding,
) -> None:
    """Settle a dispute; accepting supersedes whatever is active now in the target's lineage."""
    if resolution is Resolution.REJECT:
        writer.deactivate(dispute.lesson_id, Status.RETIRED, flag=reason or "rejected in a dispute")
    else:
        lineage, supersedes = dispute.lesson_id, None
        if resolution is Resolution.ACCEPT:
            lineage, supersedes = _truth_now(writer, dispute.target_id)
        if supersedes:
            writer.deactivate(supersedes, Status.SUPERSEDED, superseded_by=dispute.lesson_id)
        writer.activate(dispute.lesson_id, lineage, supersedes, None)
        writer.insert_vector(dispute.lesson_id, embedding)
    writer.queue(RESOLVE, id=dispute.id, resolution=resolution, reason=reason)


def _truth_now(writer: Writer, target_id: UUID) -> tuple[UUID, UUID | None]:
    """The lineage of the target, and its active lesson if there is one."""
    row = (
        writer.connection.execute(
            "SELECT t.lineage, a.id FROM lessons t LEFT JOIN lessons a"
            " ON a.tribe = %(tribe)s AND a.lineage = t.lineage AND a.status = 'active'"
            " WHERE t.tribe = %(tribe)s AND t.id = %(id)s",
            {"tribe": writer.tribe, "id": target_id},
        ).fetchone()
        or {}
    )
    return row["lineage"], row["id"]
