"""The gardener, on its schedule."""

from datetime import timedelta
from typing import Any

from pydantic import TypeAdapter

from tributary.edge.observability import logger, unquoted
from tributary.edge.runtime import wiring
from tributary.usecases.garden import Gardened

MARGIN = timedelta(seconds=20)  # of the function's time, left to finish the last batch


@unquoted()
def handler(event: dict[str, Any], context: Any) -> dict[str, Any]:
    """Lambda's entry point; `{"dry_run": true}` changes nothing."""
    left = timedelta(milliseconds=context.get_remaining_time_in_millis())
    garden, now = wiring().garden, wiring().clock.now()
    dry_run = bool(event.get("dry_run"))
    swept = 0 if dry_run else wiring().scratch.sweep()
    done = garden(now, left - MARGIN, dry_run=dry_run)
    report: dict[str, Any] = TypeAdapter(Gardened).dump_python(done, mode="json")
    report["scratch_removed"] = swept
    logger().info("gardened", extra={**report, "retired": len(done.retired)})
    return report
