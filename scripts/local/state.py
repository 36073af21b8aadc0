"""What is remembered of the local stack between commands: `.local/stack.json`.

TRIBUTARY_HOME names another folder than `.local`: a stack beside the first one.
"""

import json
import os
from dataclasses import asdict, dataclass, replace
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
HOME = Path(os.environ.get("TRIBUTARY_HOME") or ROOT / ".local").absolute()
FOLDER = HOME / "stack"
FILE = HOME / "stack.json"

ACCOUNT = "000000000000"
REGION = "us-east-1"


@dataclass(frozen=True, slots=True)
class Stack:
    """Where everything is; None where it has not been started yet.

    Tools and tests read `api_url`, `dsn` (as superuser), `endpoint_url` (of the local AWS).
    """

    dsn: str | None = None
    postgres_port: int | None = None
    endpoint_url: str | None = None
    aws_port: int | None = None
    aws_pid: int | None = None
    api_url: str | None = None
    migrate_function: str | None = None
    state_machine_arn: str | None = None
    deployed: str | None = None  # the fingerprint of what is deployed

    def with_(self, **changes: object) -> "Stack":
        return replace(self, **changes)  # type: ignore[arg-type]


def read(file: Path = FILE) -> Stack:
    """The remembered stack; an empty one when there is none or it cannot be read."""
    try:
        return Stack(**json.loads(file.read_text(encoding="utf-8")))
    except (OSError, ValueError, TypeError):
        return Stack()


def write(stack: Stack, file: Path = FILE) -> Stack:
    """Remember the stack, and return it."""
    file.parent.mkdir(parents=True, exist_ok=True)
    scratch = file.with_suffix(".new")
    scratch.write_text(json.dumps(asdict(stack), indent=2) + "\n", encoding="utf-8")
    scratch.replace(file)
    return stack
