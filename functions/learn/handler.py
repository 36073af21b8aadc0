"""POST /v1/learn: runs the workflow, and answers for every way in which it can end."""

from typing import Any

from tributary.domain.lesson import draft
from tributary.edge.http.call import Answer, Call, serve
from tributary.edge.http.requests import LearnRequest
from tributary.edge.http.responses import AcceptedResponse, LearnResponse
from tributary.edge.runtime import ids, workflow
from tributary.edge.workflow import LearnState
from tributary.usecases.learn.attempt import new_attempt


def learn(call: Call) -> Answer:
    """Learn one lesson; with `Prefer: respond-async`, answer before it is settled."""
    asked = call.body(LearnRequest)
    lesson = draft(
        asked.content,
        situation=asked.situation,
        tags=asked.tags,
        valid_from=asked.valid_from,
        valid_to=asked.valid_to,
    )
    attempt = new_attempt(call.actor, lesson, ids(), call.header("idempotency-key"))
    state = LearnState(attempt=attempt)
    if _prefers_async(call.header("prefer") or ""):
        workflow().start(state)
        where = f"/v1/decisions/{attempt.decision_id}"
        accepted = AcceptedResponse(decision_id=attempt.decision_id)
        return Answer(accepted, 202, {"location": where, "preference-applied": "respond-async"})
    return Answer(LearnResponse.model_validate(workflow().run(state)))


def _prefers_async(header: str) -> bool:
    """RFC 7240: preferences stand between commas, each with parameters behind a semicolon."""
    names = [part.split(";")[0].strip().lower() for part in header.split(",")]
    return "respond-async" in names


ROUTES = {"POST /v1/learn": learn}


def handler(event: dict[str, Any], _context: object) -> dict[str, Any]:
    """Lambda's entry point."""
    return serve(event, ROUTES)
