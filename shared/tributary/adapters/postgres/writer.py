"""The single changes of which every write is made, each with its line in the audit."""

from dataclasses import dataclass
from datetime import datetime
from typing import Any
from uuid import UUID

from psycopg import Connection, Cursor
from psycopg.rows import DictRow
from psycopg.types.json import Jsonb

from tributary.adapters.postgres.halfvec import HalfVector
from tributary.domain.lesson import Draft, Status
from tributary.domain.scoring import Forgetting
from tributary.domain.validity import Validity
from tributary.ports import Embedding, Ids

INSERT = """
INSERT INTO lessons (
    tribe, id, lineage, status, content, situation, tags, revision, changed_at, strength,
    source_agent, created_at, activated_at, valid_from, valid_to, supersedes, excepts,
    last_used_at, tended_at, flag
) VALUES (
    %(tribe)s, %(id)s, %(lineage)s, %(status)s, %(content)s, %(situation)s, %(tags)s,
    %(revision)s, %(stamp)s, %(strength)s, %(agent)s, %(stamp)s,
    CASE WHEN %(active)s THEN %(stamp)s END, %(valid_from)s, %(valid_to)s, %(supersedes)s,
    %(excepts)s::uuid[], %(stamp)s, %(stamp)s, %(flag)s
)
"""

ACTIVATE = """
UPDATE lessons SET status = 'active', lineage = %(lineage)s, supersedes = %(supersedes)s,
    excepts = %(excepts)s::uuid[], valid_from = %(valid_from)s, valid_to = %(valid_to)s,
    activated_at = %(stamp)s, last_used_at = %(stamp)s, tended_at = %(stamp)s, flag = NULL,
    revision = %(revision)s, changed_at = %(stamp)s
WHERE tribe = %(tribe)s AND id = %(id)s
"""

INSERT_VECTOR = """
INSERT INTO lesson_vectors (tribe, id, valid_to, embedding, model)
SELECT tribe, id, valid_to, %(embedding)s::halfvec(384), %(model)s
FROM lessons WHERE tribe = %(tribe)s AND id = %(id)s
"""

DEACTIVATE = """
UPDATE lessons SET status = %(status)s, superseded_by = %(superseded_by)s, flag = %(flag)s,
    deactivated_at = CASE WHEN activated_at IS NOT NULL THEN %(stamp)s END,
    revision = %(revision)s, changed_at = %(stamp)s
WHERE tribe = %(tribe)s AND id = %(id)s
"""

MOVE_VECTOR = """
WITH gone AS (
    DELETE FROM lesson_vectors WHERE tribe = %(tribe)s AND id = %(id)s
    RETURNING tribe, id, embedding, model
)
INSERT INTO lesson_vectors_past (tribe, id, embedding, model)
SELECT tribe, id, embedding, model FROM gone ON CONFLICT DO NOTHING
"""

# An agent that learns what it just recalled would otherwise make its own echo strong.
REINFORCE = """
UPDATE lessons SET reinforcements = reinforcements + 1, last_used_at = %(stamp)s,
    strength = least(strength * %(growth)s, %(max_strength)s), confidence = 1
WHERE tribe = %(tribe)s AND id = %(id)s AND NOT EXISTS (
    SELECT FROM memory_audit a
    WHERE a.tribe = %(tribe)s AND a.lesson_id = %(id)s AND a.action = 'reinforced'
      AND a.agent = %(agent)s AND a.at > %(stamp)s::timestamptz - interval '1 hour'
)
RETURNING id
"""

AUDIT = """
INSERT INTO memory_audit (tribe, id, lesson_id, action, agent, at, decision_id, detail)
VALUES (%(tribe)s, %(audit)s, %(id)s, %(action)s, %(agent)s, %(stamp)s, %(decision)s, %(detail)s)
"""


@dataclass(frozen=True, slots=True)
class Writer:
    """Writes of one agent, at one revision and one instant of one tribe."""

    connection: Connection[DictRow]
    ids: Ids
    rules: Forgetting
    tribe: str
    agent: str
    revision: int
    stamp: datetime

    def queue(self, statement: str, **values: Any) -> Cursor[DictRow]:
        """Execute with this transaction's values; within a pipeline, without waiting."""
        shared = {
            "tribe": self.tribe,
            "agent": self.agent,
            "revision": self.revision,
            "stamp": self.stamp,
        }
        return self.connection.execute(statement, shared | values)

    def insert(
        self,
        draft: Draft,
        lesson_id: UUID,
        lineage: UUID,
        status: Status,
        *,
        supersedes: UUID | None,
        excepts: tuple[UUID, ...],
        flag: str | None,
        decision_id: UUID | None,
    ) -> None:
        self.queue(
            INSERT, id=lesson_id, lineage=lineage, status=status, content=draft.content,
            situation=draft.situation, tags=list(draft.tags), active=status is Status.ACTIVE,
            strength=self.rules.initial_strength, valid_from=draft.validity.start,
            valid_to=draft.validity.end, supersedes=supersedes, excepts=list(excepts), flag=flag,
        )  # fmt: skip
        self.audit(lesson_id, status.value, decision_id, _place(lineage, supersedes, excepts))

    def activate(
        self,
        lesson_id: UUID,
        lineage: UUID,
        validity: Validity,
        *,
        supersedes: UUID | None,
        excepts: tuple[UUID, ...],
        decision_id: UUID | None,
    ) -> None:
        self.queue(
            ACTIVATE, id=lesson_id, lineage=lineage, supersedes=supersedes, excepts=list(excepts),
            valid_from=validity.start, valid_to=validity.end,
        )  # fmt: skip
        self.audit(
            lesson_id, Status.ACTIVE.value, decision_id, _place(lineage, supersedes, excepts)
        )

    def insert_vector(self, lesson_id: UUID, embedding: Embedding) -> None:
        self.queue(
            INSERT_VECTOR, id=lesson_id, model=embedding.model,
            embedding=HalfVector(embedding.vector),
        )  # fmt: skip

    def deactivate(
        self,
        lesson_id: UUID,
        status: Status,
        *,
        superseded_by: UUID | None = None,
        flag: str | None = None,
        decision_id: UUID | None = None,
    ) -> None:
        self.queue(DEACTIVATE, id=lesson_id, status=status, superseded_by=superseded_by, flag=flag)
        self.queue(MOVE_VECTOR, id=lesson_id)
        detail = {"superseded_by": superseded_by and str(superseded_by), "reason": flag}
        self.audit(lesson_id, status.value, decision_id, detail)

    def reinforce(self, lesson_id: UUID, decision_id: UUID | None) -> bool:
        """False when this agent's last use was counted less than an hour ago."""
        cursor = self.queue(
            REINFORCE, id=lesson_id, growth=self.rules.growth,
            max_strength=self.rules.max_strength,
        )  # fmt: skip
        counted = cursor.fetchone() is not None
        if counted:
            self.audit(lesson_id, "reinforced", decision_id, {})
        return counted

    def audit(
        self, lesson_id: UUID, action: str, decision_id: UUID | None, detail: dict[str, Any]
    ) -> None:
        said = {key: value for key, value in detail.items() if value is not None}
        self.queue(
            AUDIT, audit=self.ids.new(), id=lesson_id, action=action, decision=decision_id,
            detail=Jsonb(said),
        )  # fmt: skip


def _place(lineage: UUID, supersedes: UUID | None, excepts: tuple[UUID, ...]) -> dict[str, Any]:
    """What the audit says of where a lesson stands."""
    return {
        "lineage": str(lineage),
        "supersedes": supersedes and str(supersedes),
        "excepts": [str(one) for one in excepts] or None,
    }
