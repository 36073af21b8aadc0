"""What a function does before AWS Lambda SnapStart keeps a picture of it, and after it is restored.

One picture starts many environments: whatever is in it is in each of them. So the model is in it,
and neither a connection nor the state of a random generator. AWS Lambda Developer Guide,
"Handling uniqueness with Lambda SnapStart" and "Lambda SnapStart runtime hooks for Python".
"""

import os
import random
from collections.abc import Callable, Mapping
from types import MappingProxyType
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from tributary.edge.wiring import Wiring

USE_CASES = MappingProxyType(
    {
        "authorizer": "agents",
        "commit": "commit",
        "curate": "curate",
        "gardener": "garden",
        "prepare": "prepare",
        "recall": "recall",
    }
)  # what each function is there for, as Wiring calls it
HAS_MODEL = "TRIBUTARY_MODEL_DIR"  # set for the functions that embed


def snapped(environ: Mapping[str, str] = os.environ) -> bool:
    """Whether this environment is started for a picture, or from one."""
    return environ.get("AWS_LAMBDA_INITIALIZATION_TYPE") == "snap-start"


def register(
    wiring: "Callable[[], Wiring]", function: str, environ: Mapping[str, str] = os.environ
) -> None:
    """Have Lambda call `before` and `after` in `function`, when it takes pictures of it."""
    if not snapped(environ):
        return
    # Part of Lambda's own Python, and of no other.
    from snapshot_restore_py import register_after_restore, register_before_snapshot

    register_before_snapshot(lambda: before(wiring(), function, environ))
    register_after_restore(after)


def before(wiring: "Wiring", function: str, environ: Mapping[str, str] = os.environ) -> None:
    """Load what the first call would load, and leave no connection open."""
    if function in USE_CASES:
        getattr(wiring, USE_CASES[function])
    if environ.get(HAS_MODEL):
        wiring.embedder.embed("warm")  # the first one allocates
    wiring.database.close()


def after() -> None:
    """Environments restored from one picture must not make the same ids or waits."""
    import uuid_utils

    uuid_utils.reseed_rng()
    random.seed()
