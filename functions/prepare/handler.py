"""The state Prepare of the learn workflow."""

from typing import Any

from tributary.edge import workflow
from tributary.edge.observability import unquoted
from tributary.edge.runtime import wiring


@unquoted()
def handler(event: dict[str, Any], _context: object) -> dict[str, Any]:
    """Lambda's entry point: payload in, payload out."""
    return workflow.prepare(wiring().prepare, event)
