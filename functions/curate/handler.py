"""Every route but recall and learn: reading the memory, and curating it."""

from typing import Any

from tributary.edge.http import governance, lessons, scratch
from tributary.edge.http.call import serve

ROUTES = {
    "GET /v1/decisions/{decision_id}": lessons.decision,
    "POST /v1/lessons/{lesson_id}/reinforce": lessons.reinforce,
    "POST /v1/lessons/{lesson_id}/retire": lessons.retire,
    "GET /v1/lessons": lessons.lessons,
    "GET /v1/lessons/{lesson_id}": lessons.lesson,
    "GET /v1/lessons/{lesson_id}/history": lessons.history,
    "GET /v1/disputes": governance.disputes,
    "POST /v1/disputes/{dispute_id}/resolve": governance.resolve,
    "GET /v1/stats": governance.stats,
    "GET /v1/audit": governance.audit,
    "POST /v1/agents": governance.add_agent,
    "GET /v1/agents": governance.agents,
    "DELETE /v1/agents/{name}": governance.revoke,
    "POST /v1/scratch": scratch.open_,
    "DELETE /v1/scratch": scratch.remove,
}


def handler(event: dict[str, Any], _context: object) -> dict[str, Any]:
    """Lambda's entry point."""
    return serve(event, ROUTES)
