"""For operators: brings the schema up to date, and founds tribes."""

from typing import TYPE_CHECKING, Any

from tributary.domain.errors import DatabaseUnavailableError, InvalidInputError
from tributary.edge.observability import logger
from tributary.edge.runtime import migrated, wiring

if TYPE_CHECKING:
    from tributary.edge.runtime import Migrated

POLL_SECONDS = 10


def handler(event: dict[str, Any], context: Any) -> dict[str, Any]:
    """Lambda's entry point; `{"found": {"tribe": ..., "agent": ...}}` answers with a key."""
    done = _migrated(context)
    logger().info("migrated", extra={"applied": done.applied, "pgvector": done.pgvector})
    if "found" in event:
        return _found(event["found"])
    return {
        "applied": list(done.applied),
        "pgvector": done.pgvector,
        "warnings": list(done.warnings),
    }


def _migrated(context: Any) -> "Migrated":
    """A new RDS Proxy refuses connections for its first minutes: wait while time is left."""
    while True:
        try:
            return migrated()
        except DatabaseUnavailableError:
            if context.get_remaining_time_in_millis() < 2_000 * POLL_SECONDS:
                raise
            wiring().clock.sleep(POLL_SECONDS)


def _found(asked: Any) -> dict[str, Any]:
    if not isinstance(asked, dict):
        raise InvalidInputError("found", "must be an object with tribe and agent")
    for field in ("tribe", "agent"):
        if not isinstance(asked.get(field), str):
            raise InvalidInputError(field, "is required")
    added = wiring().agents.found(asked["tribe"], asked["agent"])
    return {"tribe": asked["tribe"], "agent": added.name, "role": added.role.label,
            "key": added.key}  # fmt: skip
