"""The gardener's writes: fold in uses, decay, retire."""

from dataclasses import replace
from datetime import datetime
from typing import Any
from uuid import UUID

from tributary.adapters.postgres.writer import Writer
from tributary.domain.lesson import Status
from tributary.domain.scoring import DAY, lifetime
from tributary.ports import Tended

FOLD = """
WITH fresh AS MATERIALIZED (
    SELECT id, at, lessons FROM recall_receipts
    WHERE tribe = %(tribe)s AND NOT folded AND at <= %(now)s ORDER BY id LIMIT %(batch)s
), folded AS (
    UPDATE recall_receipts r SET folded = true FROM fresh
    WHERE r.tribe = %(tribe)s AND r.id = fresh.id
), uses AS (
    SELECT lesson, least(count(*), 64) AS number, max(at) AS last
    FROM fresh, unnest(fresh.lessons) AS lesson GROUP BY lesson
), used AS (
    UPDATE lessons l SET last_used_at = greatest(l.last_used_at, uses.last),
        strength = least(l.strength * %(recall_growth)s ^ uses.number, %(max_strength)s)
    FROM uses WHERE l.tribe = %(tribe)s AND l.id = uses.lesson AND l.status = 'active'
    RETURNING l.id
)
SELECT (SELECT count(*) FROM fresh) AS receipts, (SELECT count(*) FROM used) AS strengthened
"""

# Once a day is often enough for a half-life of months, and spares a write per lesson and hour.
DECAY = """
WITH due AS MATERIALIZED (
    SELECT id FROM lessons
    WHERE tribe = %(tribe)s AND status = 'active' AND NOT protected
      AND tended_at <= %(now)s::timestamptz - interval '1 day' LIMIT %(batch)s
)
UPDATE lessons l SET tended_at = %(now)s,
    -- Two bounds, because PostgreSQL refuses a number too small for its type.
    confidence = greatest(1e-6, confidence * 0.5 ^ least(1000, greatest(
        0, extract(epoch FROM %(now)s - greatest(l.tended_at, l.last_used_at))
    ) / %(half_life)s))
FROM due WHERE l.tribe = %(tribe)s AND l.id = due.id
RETURNING l.id
"""

FORGOTTEN = """
SELECT id FROM lessons
WHERE tribe = %(tribe)s AND status = 'active' AND NOT protected
  AND last_used_at + strength * %(lifetime)s < %(now)s
  AND NOT EXISTS ( -- a use later than now, which is not folded in yet
      SELECT FROM recall_receipts r
      WHERE r.tribe = %(tribe)s AND NOT r.folded AND lessons.id = ANY (r.lessons)
  )
ORDER BY last_used_at, id LIMIT %(batch)s
"""


def tend(writer: Writer, now: datetime, batch: int) -> Tended:
    """Up to `batch` receipts folded in, lessons decayed, and lessons retired."""
    rules = writer.rules
    fold = writer.queue(
        FOLD, now=now, batch=batch, recall_growth=rules.recall_growth,
        max_strength=rules.max_strength,
    ).fetchone() or {}  # fmt: skip
    tended = Tended(folded=fold["receipts"], strengthened=fold["strengthened"])
    if tended.folded == batch:  # more may wait, and a use that waits must not be overlooked
        return tended
    weakened = _ids(
        writer, DECAY, now=now, batch=batch,
        half_life=rules.confidence_half_life * DAY.total_seconds(),
    )  # fmt: skip
    forgotten = _ids(writer, FORGOTTEN, now=now, batch=batch, lifetime=lifetime(1.0, rules))
    for lesson_id in forgotten:
        writer.deactivate(lesson_id, Status.RETIRED, flag="forgotten: unused for too long")
    return replace(tended, weakened=len(weakened), retired=forgotten)


def _ids(writer: Writer, statement: str, **values: Any) -> tuple[UUID, ...]:
    return tuple(row["id"] for row in writer.queue(statement, **values).fetchall())
