"""Functions on the local AWS behave as on Lambda (scripts/local/aws_server.py)."""

from collections import Counter
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

from scripts.local import aws_server
from scripts.local.aws import LocalAws
from tests.support.local_aws import ScriptedWorkflow, lambda_client, make_function

# Adds the number of calls under way, itself included, to a file.
CROWDED = """
import pathlib, time

def handler(event, context):
    folder = pathlib.Path(event["folder"])
    mine = folder / f"under-way-{context.aws_request_id}"
    mine.touch()
    with (folder / "seen").open("a") as seen:
        seen.write(f"{len(list(folder.glob('under-way-*')))}\\n")
    time.sleep(0.05)
    mine.unlink()
    return "done"
"""


def test_an_environment_outlives_an_error(workflow: ScriptedWorkflow) -> None:
    ended = workflow.run(commit=["SerializationConflictError"] * 3)

    assert set(Counter(call.pid for call in ended.calls if call.name == "commit")) == {
        ended.calls[-1].pid
    }


def test_callers_beyond_the_environments_wait_and_are_not_throttled(
    server: LocalAws, tmp_path: Path
) -> None:
    make_function(lambda_client(server), "crowded", CROWDED)
    payload = f'{{"folder": "{tmp_path}"}}'

    def call(_: int) -> bytes:
        told = lambda_client(server).invoke(FunctionName="crowded", Payload=payload)
        return told["Payload"].read()

    with ThreadPoolExecutor(12) as callers:
        answers = list(callers.map(call, range(12)))

    assert answers == [b'"done"'] * 12
    assert 1 < max(int(line) for line in (tmp_path / "seen").read_text().split()) <= 2


def test_waits_are_jittered_over_the_whole_interval() -> None:
    waited: list[float] = []
    wait = aws_server._with_full_jitter(waited.append)

    for _ in range(200):
        wait(4.0)

    assert min(waited) < 1.0 < 3.0 < max(waited) <= 4.0
