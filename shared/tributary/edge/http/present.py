"""From the use cases' values to responses, where the two differ."""

from collections.abc import Sequence
from datetime import datetime
from uuid import UUID

from tributary.edge.http.responses import (
    AgentResponse,
    CandidateResponse,
    DecisionResponse,
    RecalledLessonResponse,
    RecallResponse,
    VerdictResponse,
)
from tributary.ports import Agent, Decision, Recalled, RecalledLesson


def recalled(answer: Recalled, now: datetime) -> RecallResponse:
    """With each lesson's age at `now`, in whole seconds."""
    return RecallResponse(
        lessons=[_lesson(lesson, now) for lesson in answer.lessons],
        exact=answer.exact,
        truncated=answer.truncated,
        receipt_id=answer.receipt_id,
    )


def _lesson(lesson: RecalledLesson, now: datetime) -> RecalledLessonResponse:
    age = max(0, int((now - lesson.activated_at).total_seconds()))
    values = {name: getattr(lesson, name) for name in RecalledLesson.__slots__}
    return RecalledLessonResponse(**{**values, "tags": list(lesson.tags), "age_seconds": age})


def decision(row: Decision) -> DecisionResponse:
    """With each candidate's similarity named."""
    values = {name: getattr(row, name) for name in Decision.__slots__}
    candidates = [CandidateResponse(id=id_, similarity=near) for id_, near in row.candidates]
    verdict = row.verdict and VerdictResponse.model_validate(row.verdict)
    return DecisionResponse(**{**values, "candidates": candidates, "verdict": verdict})


def agent(row: Agent) -> AgentResponse:
    """With the role by its name."""
    return AgentResponse(
        name=row.name, role=row.role.label, created_at=row.created_at, revoked_at=row.revoked_at
    )


def next_cursor(page: Sequence[object], limit: int, last: UUID | None) -> str | None:
    """Where the next page starts, or None when this one was not full."""
    return str(last) if last and len(page) == limit else None
