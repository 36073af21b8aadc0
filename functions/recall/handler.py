"""POST /v1/recall."""

from typing import Any

from tributary.edge.http.call import Answer, Call, serve
from tributary.edge.http.present import recalled
from tributary.edge.http.requests import RecallRequest
from tributary.edge.runtime import wiring
from tributary.usecases.recall import recall_query


def recall(call: Call) -> Answer:
    """The lessons that match the query best."""
    asked = call.body(RecallRequest)
    query = recall_query(
        asked.query,
        k=asked.k,
        tags=asked.tags,
        as_of=asked.as_of,
        true_at=asked.true_at,
        min_similarity=asked.min_similarity,
    )
    return Answer(recalled(wiring().recall(call.actor, query), wiring().clock.now()))


ROUTES = {"POST /v1/recall": recall}


def handler(event: dict[str, Any], _context: object) -> dict[str, Any]:
    """Lambda's entry point."""
    return serve(event, ROUTES)
