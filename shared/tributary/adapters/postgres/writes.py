"""The two compound writes: a learn as planned, and a dispute as resolved."""

from dataclasses import replace

from psycopg.types.json import Jsonb

from tributary.adapters.postgres.settled import request_hash
from tributary.adapters.postgres.writer import Writer
from tributary.domain.lesson import MAX_TAGS, Status
from tributary.domain.plan import Outcome
from tributary.ports import Dispute, Learned, Proposal, Resolution, Settlement

DECISION = """
INSERT INTO decisions (
    tribe, id, lesson_id, agent, outcome, target_id, relation, confidence, verdict_target,
    verdict_others, classifier, candidates, rounds, retries, flag, truncated, decided_at
) VALUES (
    %(tribe)s, %(id)s, %(lesson)s, %(agent)s, %(outcome)s, %(target)s, %(relation)s,
    %(confidence)s, %(verdict_target)s, %(verdict_others)s::uuid[], %(classifier)s, %(candidates)s,
    %(rounds)s, %(retries)s, %(flag)s, %(truncated)s, %(stamp)s
)
"""

IDEMPOTENCY_KEY = """
INSERT INTO idempotency_keys (tribe, agent, key, request_hash, decision_id, created_at)
VALUES (%(tribe)s, %(agent)s, %(key)s, %(hash)s, %(decision)s, %(stamp)s)
"""

# Whoever learns a lesson again under another tag finds it under that tag.
MERGE_TAGS = """
UPDATE lessons SET tags = (tags || ARRAY(
    SELECT unnest(%(tags)s::text[]) EXCEPT SELECT unnest(tags)
))[:%(most)s]
WHERE tribe = %(tribe)s AND id = %(id)s AND NOT tags @> %(tags)s::text[]
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
        writer.queue(MERGE_TAGS, id=target, tags=list(attempt.draft.tags), most=MAX_TAGS)
        if attempt.stored_as:
            writer.deactivate(
                attempt.lesson_id, Status.RETIRED, flag=f"duplicate of {target}",
                decision_id=attempt.decision_id,
            )  # fmt: skip
    elif plan.status:
        _store(writer, proposal, plan.status)
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


def _store(writer: Writer, proposal: Proposal, status: Status) -> None:
    attempt, plan = proposal.attempt, proposal.plan
    replaced = plan.replaced if plan.outcome is Outcome.SUPERSEDED else ()
    supersedes = replaced[0].id if replaced else None
    lineage = replaced[0].lineage if replaced else attempt.lesson_id
    for one in replaced:
        writer.deactivate(
            one.id, Status.SUPERSEDED, superseded_by=attempt.lesson_id,
            decision_id=attempt.decision_id,
        )  # fmt: skip
    validity = plan.validity or attempt.draft.validity
    if attempt.stored_as is None:
        writer.insert(
            replace(attempt.draft, validity=validity), attempt.lesson_id, lineage, status,
            supersedes=supersedes, excepts=plan.excepts, flag=plan.flag,
            decision_id=attempt.decision_id,
        )  # fmt: skip
    elif status is Status.ACTIVE:
        writer.activate(
            attempt.lesson_id, lineage, validity, supersedes=supersedes, excepts=plan.excepts,
            decision_id=attempt.decision_id,
        )  # fmt: skip
    elif status is not Status.PENDING:
        writer.deactivate(
            attempt.lesson_id, status, flag=plan.flag, decision_id=attempt.decision_id
        )
    if status is Status.ACTIVE and proposal.embedding:
        writer.insert_vector(attempt.lesson_id, proposal.embedding)
    if status is Status.DISPUTED and plan.target:
        writer.queue(DISPUTE, id=writer.ids.new(), lesson=attempt.lesson_id, target=plan.target.id)


def _record(writer: Writer, proposal: Proposal, learned: Learned, retries: int) -> None:
    attempt, verdict = proposal.attempt, proposal.verdict
    candidates = [{"id": str(one.id), "similarity": one.similarity} for one in proposal.candidates]
    writer.queue(
        DECISION, id=attempt.decision_id, lesson=learned.lesson_id, outcome=learned.outcome,
        target=learned.target_id, relation=verdict and verdict.relation,
        confidence=verdict and verdict.confidence, verdict_target=verdict and verdict.target_id,
        verdict_others=list(verdict.others) if verdict else [],
        classifier=proposal.classifier, candidates=Jsonb(candidates), rounds=proposal.round,
        retries=retries, flag=learned.flag, truncated=learned.truncated,
    )  # fmt: skip
    if attempt.idempotency_key:
        writer.queue(
            IDEMPOTENCY_KEY, key=attempt.idempotency_key, hash=request_hash(attempt.draft),
            decision=attempt.decision_id,
        )  # fmt: skip
    if attempt.settles:
        _resolve(writer, attempt.settles)
    writer.queue(
        "DELETE FROM topic_leases WHERE tribe = %(tribe)s AND holder = %(holder)s",
        holder=attempt.decision_id,
    )


def reject(writer: Writer, dispute: Dispute, reason: str | None) -> None:
    """Retire the disputed lesson, and end the dispute."""
    writer.deactivate(dispute.lesson_id, Status.RETIRED, flag=reason or "rejected in a dispute")
    _resolve(writer, Settlement(dispute.id, Resolution.REJECT, reason))


def _resolve(writer: Writer, settles: Settlement) -> None:
    writer.queue(
        RESOLVE, id=settles.dispute_id, resolution=settles.resolution, reason=settles.reason
    )
