"""For operators: brings the schema up to date, and founds tribes."""

from typing import Any

from tributary.domain.errors import InvalidInputError
from tributary.edge.observability import logger
from tributary.edge.runtime import migrated, wiring


def handler(event: dict[str, Any], _context: object) -> dict[str, Any]:
    """Lambda's entry point; `{"found": {"tribe": ..., "agent": ...}}` answers with a key."""
    done = migrated()
    logger().info("migrated", extra={"applied": done.applied, "pgvector": done.pgvector})
    if "found" in event:
        return _found(event["found"])
    return {
        "applied": list(done.applied),
        "pgvector": done.pgvector,
        "warnings": list(done.warnings),
    }


def _found(asked: Any) -> dict[str, Any]:
    if not isinstance(asked, dict):
        raise InvalidInputError("found", "must be an object with tribe and agent")
    for field in ("tribe", "agent"):
        if not isinstance(asked.get(field), str):
            raise InvalidInputError(field, "is required")
    added = wiring().agents.found(asked["tribe"], asked["agent"])
    return {"tribe": asked["tribe"], "agent": added.name, "role": added.role.label,
            "key": added.key}  # fmt: skip
