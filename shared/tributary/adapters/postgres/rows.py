"""Database rows as the domain's values."""

from typing import Any
from uuid import UUID

from tributary.domain.lesson import Lesson, Status
from tributary.domain.plan import Outcome
from tributary.domain.validity import Validity
from tributary.domain.verdict import Candidate, Relation, Verdict
from tributary.ports import AuditEntry, Decision, Dispute, Learned, Resolution

Row = dict[str, Any]

LESSON_COLUMNS = """id, lineage, status, content, situation, tags, revision, confidence, strength,
    source_agent, created_at, activated_at, deactivated_at, valid_from, valid_to, supersedes,
    superseded_by, excepts, protected, reinforcements, flag"""

# Whether lesson l may repeat or contradict a new one: both hold at some instant. What is over is
# no rival to what still holds: repeating it would hide the new lesson from recall.
RIVALS = """tstzrange(l.valid_from, l.valid_to) && tstzrange(%(valid_from)s, %(valid_to)s)
      AND (l.valid_to IS NULL OR l.valid_to > now() OR %(valid_to)s <= now())"""


def lesson(row: Row) -> Lesson:
    values = {key: row[key] for key in Lesson.__slots__}
    return Lesson(
        **{
            **values,
            "status": Status(row["status"]),
            "tags": tuple(row["tags"]),
            "excepts": tuple(row["excepts"]),
        }
    )


def candidate(row: Row) -> Candidate:
    return Candidate(
        id=row["id"],
        lineage=row["lineage"],
        content=row["content"],
        source_agent=row["source_agent"],
        similarity=row["similarity"],
        protected=row["protected"],
        validity=Validity(row["valid_from"], row["valid_to"]),
        situation=row["situation"],
        excepts=tuple(row["excepts"]),
    )


def verdict(row: Row) -> Verdict | None:
    if row["relation"] is None:
        return None
    return Verdict(
        Relation(row["relation"]), row["verdict_target"], row["confidence"],
        tuple(row["verdict_others"]),
    )  # fmt: skip


def learned(row: Row) -> Learned:
    return Learned(
        outcome=Outcome(row["outcome"]),
        lesson_id=row["lesson_id"],
        target_id=row["target_id"],
        verdict=verdict(row),
        decision_id=row["id"],
        flag=row["flag"],
        truncated=row["truncated"],
    )


def decision(row: Row) -> Decision:
    return Decision(
        id=row["id"],
        lesson_id=row["lesson_id"],
        agent=row["agent"],
        outcome=Outcome(row["outcome"]),
        target_id=row["target_id"],
        verdict=verdict(row),
        classifier=row["classifier"],
        candidates=tuple((UUID(one["id"]), one["similarity"]) for one in row["candidates"]),
        rounds=row["rounds"],
        retries=row["retries"],
        flag=row["flag"],
        truncated=row["truncated"],
        decided_at=row["decided_at"],
    )


def audit_entry(row: Row) -> AuditEntry:
    return AuditEntry(**{key: row[key] for key in AuditEntry.__slots__})


def dispute(row: Row) -> Dispute:
    values = {key: row[key] for key in Dispute.__slots__}
    resolution = row["resolution"]
    return Dispute(**{**values, "resolution": Resolution(resolution) if resolution else None})
