"""Who calls: from the bearer key alone (API Gateway's simple response, payload format 2.0)."""

from typing import Any

from tributary.domain.errors import TransientError
from tributary.edge.runtime import wiring


def handler(event: dict[str, Any], _context: object) -> dict[str, Any]:
    """Lambda's entry point.

    When the database does not answer, the call is let through with no tribe and no role, and
    marked, so that the function behind answers 503: an authorizer that raises makes API Gateway
    answer 500.
    """
    scheme, _, key = (event.get("headers") or {}).get("authorization", "").partition(" ")
    try:
        actor = wiring().agents.identify(key.strip()) if scheme.lower() == "bearer" else None
    except TransientError:
        return {"isAuthorized": True, "context": {"unavailable": "true"}}
    if actor is None:
        return {"isAuthorized": False}
    return {
        "isAuthorized": True,
        "context": {"tribe": actor.tribe, "agent": actor.agent, "role": actor.role.label},
    }
