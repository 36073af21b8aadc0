"""Every HTTPS route: which function serves it, and the lowest role that may call it."""

from dataclasses import dataclass

from tributary.domain.roles import Role


@dataclass(frozen=True, slots=True)
class Route:
    """One method and path, as API Gateway writes it."""

    method: str
    path: str
    function: str  # the folder under functions/
    role: Role
    summary: str


_ID = "/v1/lessons/{lesson_id}"

ROUTES = (
    Route("POST", "/v1/recall", "recall", Role.READER, "Recall the lessons that match a query"),
    Route("POST", "/v1/learn", "learn", Role.WRITER, "Learn a lesson"),
    Route("GET", "/v1/decisions/{decision_id}", "curate", Role.READER, "What one learn did"),
    Route("POST", f"{_ID}/reinforce", "curate", Role.WRITER, "Count a lesson as useful"),
    Route("POST", f"{_ID}/retire", "curate", Role.CURATOR, "Take a lesson out of recall"),
    Route("GET", "/v1/lessons", "curate", Role.READER, "List lessons, newest first"),
    Route("GET", _ID, "curate", Role.READER, "One lesson"),
    Route("GET", f"{_ID}/history", "curate", Role.READER, "The chain that explains a lesson"),
    Route("GET", "/v1/disputes", "curate", Role.CURATOR, "List open disputes, oldest first"),
    Route("POST", "/v1/disputes/{dispute_id}/resolve", "curate", Role.CURATOR, "Settle a dispute"),
    Route("GET", "/v1/stats", "curate", Role.READER, "Counts of this tribe"),
    Route("GET", "/v1/audit", "curate", Role.CURATOR, "Every change, newest first"),
    Route("POST", "/v1/agents", "curate", Role.CURATOR, "Add an agent; its key is shown once"),
    Route("GET", "/v1/agents", "curate", Role.CURATOR, "List agents"),
    Route("DELETE", "/v1/agents/{name}", "curate", Role.CURATOR, "Revoke an agent's key"),
    Route("POST", "/v1/scratch", "curate", Role.CURATOR, "Open a tribe that ends within the hour"),
    Route("DELETE", "/v1/scratch", "curate", Role.CURATOR, "Remove the key's scratch tribe"),
)
