"""A local AWS for tests, and a learn workflow whose three functions follow a script."""

import io
import json
import zipfile
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from itertools import count
from pathlib import Path
from typing import TYPE_CHECKING, Any

import boto3
from botocore.config import Config

from scripts.local import aws
from scripts.local.aws import LocalAws
from scripts.local.state import ACCOUNT, REGION

if TYPE_CHECKING:
    from mypy_boto3_lambda import LambdaClient
    from mypy_boto3_stepfunctions import SFNClient

ROLE = f"arn:aws:iam::{ACCOUNT}:role/test"
_numbers = count(1)


@contextmanager
def local_aws(folder: Path, environment: Mapping[str, str]) -> Iterator[LocalAws]:
    """A server of its own on a free port of the loopback interface."""
    server = aws.start(folder, environment=environment)
    try:
        yield server
    finally:
        server.stop()


def lambda_client(server: LocalAws) -> "LambdaClient":
    return boto3.client("lambda", **_options(server))


def states_client(server: LocalAws) -> "SFNClient":
    return boto3.client("stepfunctions", **_options(server))


def _options(server: LocalAws) -> dict[str, Any]:
    return {
        "endpoint_url": server.endpoint_url,
        "region_name": REGION,
        "aws_access_key_id": "test",
        "aws_secret_access_key": "test",
        # boto3 puts "sync-" before the host of StartSyncExecution, which loopback has not.
        "config": Config(inject_host_prefix=False, retries={"total_max_attempts": 1}),
    }


def make_function(client: "LambdaClient", name: str, source: str, timeout: int = 5) -> str:
    """Deploy a handler.py; returns the function's ARN."""
    packed = io.BytesIO()
    with zipfile.ZipFile(packed, "w") as archive:
        archive.writestr("handler.py", source)
    made = client.create_function(
        FunctionName=name,
        Runtime="python3.13",
        Role=ROLE,
        Handler="handler.handler",
        Timeout=timeout,
        Code={"ZipFile": packed.getvalue()},
    )
    return made["FunctionArn"]


# The payload names a journal, to which every call adds a line, and for each function what its
# calls shall do in turn; `*` is what all further calls do.
SCRIPTED = """
import json, os, pathlib, time

def handler(event, context):
    name = context.function_name.rpartition("-")[2]
    journal = pathlib.Path(event["journal"])
    calls = [json.loads(line)["name"] for line in journal.read_text().splitlines()]
    with journal.open("a") as lines:
        lines.write(json.dumps({"name": name, "pid": os.getpid(), "event": event}) + "\\n")
    script = event["script"].get(name, [])
    act = (script[calls.count(name):] or ["*"])[0]
    if act.endswith("Error"):
        raise type(act, (Exception,), {})("scripted")
    if act == "hang":
        time.sleep(4)
    return event | globals()[name](act, event)

def prepare(act, event):
    next = "classify" if act == "*" else act
    answer = {"answer": {"outcome": "inserted"}} if next == "settled" else {}
    return {"next": next, "round": event.get("round", 0) + 1} | answer

def classify(act, event):
    return {"verdict": {"relation": "novel"}, "flag": None}

def commit(act, event):
    return {"answer": {"outcome": "pending" if event.get("flag") else "inserted"}}
"""


@dataclass(frozen=True, slots=True)
class Call:
    """One call of a scripted function."""

    name: str
    pid: int
    event: dict[str, Any]


@dataclass(frozen=True, slots=True)
class Ended:
    """How one execution ended, and every call that was made on the way."""

    status: str
    error: str | None
    output: dict[str, Any]
    calls: tuple[Call, ...]

    @property
    def path(self) -> list[str]:
        """The functions in the order in which they were called."""
        return [call.name for call in self.calls]

    def count(self, name: str) -> int:
        return self.path.count(name)


class ScriptedWorkflow:
    """The state machine of the repository over three scripted functions."""

    def __init__(self, server: LocalAws, definition: Mapping[str, Any], folder: Path) -> None:
        self._folder = folder
        self._states = states_client(server)
        self._arn = self._make(lambda_client(server), json.dumps(definition))

    def run(self, **script: Sequence[str]) -> Ended:
        """One execution in which the functions do what the script says."""
        journal = self._folder / f"journal-{next(_numbers)}"
        journal.touch()
        told = self._states.start_sync_execution(
            stateMachineArn=self._arn,
            input=json.dumps({"journal": str(journal), "script": script, "park": False}),
        )
        calls = [Call(**json.loads(line)) for line in journal.read_text().splitlines()]
        output = json.loads(told.get("output", "{}"))
        return Ended(told["status"], told.get("error"), output, tuple(calls))

    def _make(self, functions: "LambdaClient", definition: str) -> str:
        prefix = f"scripted-{next(_numbers)}"
        for name in ("prepare", "classify", "commit"):
            arn = make_function(functions, f"{prefix}-{name}", SCRIPTED)
            definition = definition.replace(f"${{{name.capitalize()}FunctionArn}}", arn)
        made = self._states.create_state_machine(
            name=prefix, definition=definition, roleArn=ROLE, type="EXPRESS"
        )
        return made["stateMachineArn"]
