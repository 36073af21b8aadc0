"""GatedTransaction on PostgreSQL: every change of a lesson happens here."""

from datetime import datetime
from uuid import UUID

from psycopg import Connection
from psycopg.rows import DictRow

from tributary.adapters.postgres import rows, tending, writes
from tributary.adapters.postgres.halfvec import HalfVector
from tributary.adapters.postgres.settled import settled
from tributary.adapters.postgres.writer import Writer
from tributary.domain.lesson import Lesson, Status
from tributary.domain.plan import Policy
from tributary.domain.scoring import Forgetting
from tributary.ports import Changes, Dispute, Ids, Learned, Proposal, Tended

# The revision and the stamp of this transaction. Inside the gate the top revision is stable, and
# a btree read of the tribe's own partition is what SERIALIZABLE can lock narrowly.
TICK = """
SELECT coalesce(top.revision, 0) + 1 AS revision,
       greatest(clock_timestamp(), top.changed_at + interval '1 microsecond') AS stamp
FROM (VALUES (1)) AS one
LEFT JOIN LATERAL (
    SELECT revision, changed_at FROM lessons WHERE tribe = %(tribe)s
    ORDER BY revision DESC LIMIT 1
) AS top ON true
"""

CHANGES = f"""
SELECT (
    SELECT count(*) FROM lessons l
    JOIN lesson_vectors v ON v.tribe = %(tribe)s AND v.id = l.id
    WHERE l.tribe = %(tribe)s AND l.revision > %(watermark)s AND l.status = 'active'
      AND v.embedding <=> %(embedding)s::halfvec(384) <= %(max_distance)s
      AND {rows.RIVALS}
) AS near, (
    SELECT count(*) FROM lessons
    WHERE tribe = %(tribe)s AND id = ANY(%(targets)s::uuid[]) AND status = 'active'
) AS targets_active, (
    SELECT status FROM lessons WHERE tribe = %(tribe)s AND id = %(own)s
) AS own_status, (
    SELECT id FROM lessons
    WHERE tribe = %(tribe)s AND status = 'disputed' AND id <> %(own)s
      AND source_agent = %(agent)s AND content = %(content)s LIMIT 1
) AS disputed_as
"""


class Gated:
    """Implements ports.GatedTransaction."""

    def __init__(
        self,
        connection: Connection[DictRow],
        tribe: str,
        retries: int,
        policy: Policy,
        rules: Forgetting,
        ids: Ids,
    ) -> None:
        self._connection = connection
        self._tribe = tribe
        self._retries = retries
        self._policy = policy
        self._rules = rules
        self._ids = ids
        self._tick = connection.execute(TICK, {"tribe": tribe})

    def changes(self, proposal: Proposal) -> Changes:
        attempt, plan = proposal.attempt, proposal.plan
        earlier = settled(self._connection, attempt)
        cursor = self._connection.execute(
            CHANGES,
            {
                "tribe": self._tribe,
                "watermark": proposal.watermark,
                "embedding": proposal.embedding and HalfVector(proposal.embedding.vector),
                "max_distance": 1 - self._policy.candidate_similarity,
                "valid_from": attempt.draft.validity.start,
                "valid_to": attempt.draft.validity.end,
                "targets": [one.id for one in plan.replaced],
                "own": attempt.lesson_id,
                "agent": attempt.actor.agent,
                "content": attempt.draft.content,
            },
        )
        row = cursor.fetchone() or {}
        return Changes(
            settled=earlier(),
            near=row["near"],
            targets_active=row["targets_active"] == len(plan.replaced),
            own_status=Status(row["own_status"]) if row["own_status"] else None,
            disputed_as=row["disputed_as"],
        )

    def apply(self, proposal: Proposal) -> Learned:
        return writes.apply(self._writer(proposal.attempt.actor.agent), proposal, self._retries)

    def lesson(self, lesson_id: UUID) -> Lesson | None:
        row = self._connection.execute(
            f"SELECT {rows.LESSON_COLUMNS} FROM lessons WHERE tribe = %s AND id = %s",
            (self._tribe, lesson_id),
        ).fetchone()
        return rows.lesson(row) if row else None

    def reinforce(self, agent: str, lesson_id: UUID) -> bool:
        return self._writer(agent).reinforce(lesson_id, None)

    def retire(self, agent: str, lesson_id: UUID, reason: str) -> None:
        self._writer(agent).deactivate(lesson_id, Status.RETIRED, flag=reason)

    def tend(self, now: datetime, batch: int) -> Tended:
        return tending.tend(self._writer("gardener"), now, batch)

    def dispute(self, dispute_id: UUID) -> Dispute | None:
        row = self._connection.execute(
            "SELECT * FROM disputes WHERE tribe = %s AND id = %s", (self._tribe, dispute_id)
        ).fetchone()
        return rows.dispute(row) if row else None

    def reject(self, agent: str, dispute: Dispute, reason: str | None) -> None:
        writes.reject(self._writer(agent), dispute, reason)

    def _writer(self, agent: str) -> Writer:
        tick = self._tick.fetchone() or {}
        return Writer(
            self._connection, self._ids, self._rules, self._tribe, agent,
            tick["revision"], tick["stamp"],
        )  # fmt: skip
