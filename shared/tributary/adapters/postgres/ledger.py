"""Ledger on PostgreSQL: everything that may be read about a tribe."""

from typing import Any
from uuid import UUID

from tributary.adapters.postgres import rows
from tributary.adapters.postgres.database import Database
from tributary.domain.lesson import Lesson
from tributary.ports import AuditEntry, Decision, Dispute, LessonFilter

LESSONS = f"""
SELECT {rows.LESSON_COLUMNS} FROM lessons
WHERE tribe = %(tribe)s
  AND (%(status)s::text IS NULL OR status = %(status)s)
  AND (%(tag)s::text IS NULL OR tags @> ARRAY[%(tag)s::text])
  AND (%(agent)s::text IS NULL OR source_agent = %(agent)s)
  AND (%(after)s::uuid IS NULL OR id < %(after)s)
  AND (%(quarantined)s OR status <> 'quarantined')
ORDER BY id DESC LIMIT %(limit)s
"""

# A lesson may end several others, of other lineages: they belong to what explains it.
CHAIN = f"""
WITH RECURSIVE lineages AS (
    SELECT lineage FROM lessons WHERE tribe = %(tribe)s AND id = %(id)s
    UNION
    SELECT o.lineage FROM lineages k
    JOIN lessons l ON l.tribe = %(tribe)s AND l.lineage = k.lineage
    JOIN lessons o ON o.tribe = %(tribe)s AND (o.id = l.superseded_by OR o.superseded_by = l.id)
)
SELECT {rows.LESSON_COLUMNS} FROM lessons
WHERE tribe = %(tribe)s AND lineage IN (SELECT lineage FROM lineages) ORDER BY activated_at, id
"""

AUDIT = """
SELECT id, lesson_id, action, agent, at, decision_id, detail FROM memory_audit
WHERE tribe = %(tribe)s
  AND (%(lesson)s::uuid IS NULL OR lesson_id = %(lesson)s)
  AND (%(after)s::uuid IS NULL OR id < %(after)s)
ORDER BY id DESC LIMIT %(limit)s
"""

DISPUTES = """
SELECT * FROM disputes
WHERE tribe = %(tribe)s AND resolution IS NULL AND (%(after)s::uuid IS NULL OR id > %(after)s)
ORDER BY id LIMIT %(limit)s
"""

PARKED = f"""
SELECT {rows.LESSON_COLUMNS} FROM lessons
WHERE tribe = %(tribe)s AND status = 'pending' AND (%(after)s::uuid IS NULL OR id > %(after)s)
ORDER BY id LIMIT %(limit)s
"""

STATS = """
SELECT status AS name, count(*) AS number FROM lessons WHERE tribe = %(tribe)s GROUP BY status
UNION ALL SELECT 'recalls', count(*) FROM recall_receipts WHERE tribe = %(tribe)s
UNION ALL SELECT 'decisions', count(*) FROM decisions WHERE tribe = %(tribe)s
UNION ALL SELECT 'disputes', count(*) FROM disputes
    WHERE tribe = %(tribe)s AND resolution IS NULL
UNION ALL SELECT 'revision', coalesce(max(revision), 0) FROM lessons WHERE tribe = %(tribe)s
"""


class PostgresLedger:
    """Implements ports.Ledger."""

    def __init__(self, database: Database) -> None:
        self._database = database

    def lesson(self, tribe: str, lesson_id: UUID) -> Lesson | None:
        found = self._rows(
            tribe,
            f"SELECT {rows.LESSON_COLUMNS} FROM lessons WHERE tribe = %(tribe)s AND id = %(id)s",
            id=lesson_id,
        )
        return rows.lesson(found[0]) if found else None

    def lessons(self, tribe: str, wanted: LessonFilter) -> tuple[Lesson, ...]:
        found = self._rows(
            tribe, LESSONS, status=wanted.status, tag=wanted.tag, agent=wanted.agent,
            after=wanted.after, limit=wanted.limit, quarantined=wanted.quarantined,
        )  # fmt: skip
        return tuple(map(rows.lesson, found))

    def chain(self, tribe: str, lesson_id: UUID) -> tuple[Lesson, ...]:
        return tuple(map(rows.lesson, self._rows(tribe, CHAIN, id=lesson_id)))

    def audit(
        self, tribe: str, lesson_id: UUID | None, after: UUID | None, limit: int
    ) -> tuple[AuditEntry, ...]:
        found = self._rows(tribe, AUDIT, lesson=lesson_id, after=after, limit=limit)
        return tuple(map(rows.audit_entry, found))

    def decision(self, tribe: str, decision_id: UUID) -> Decision | None:
        found = self._rows(
            tribe, "SELECT * FROM decisions WHERE tribe = %(tribe)s AND id = %(id)s", id=decision_id
        )
        return rows.decision(found[0]) if found else None

    def parked(self, tribe: str, after: UUID | None, limit: int) -> tuple[Lesson, ...]:
        return tuple(map(rows.lesson, self._rows(tribe, PARKED, after=after, limit=limit)))

    def disputes(self, tribe: str, after: UUID | None, limit: int) -> tuple[Dispute, ...]:
        return tuple(map(rows.dispute, self._rows(tribe, DISPUTES, after=after, limit=limit)))

    def stats(self, tribe: str) -> dict[str, int]:
        return {row["name"]: row["number"] for row in self._rows(tribe, STATS)}

    def _rows(self, tribe: str, statement: str, **values: Any) -> list[rows.Row]:
        with self._database.reading(tribe) as connection:
            cursor = connection.execute(statement, {"tribe": tribe, **values})
        return cursor.fetchall()
