"""The stack as a whole: up and down."""

import fcntl
import json
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import AbstractContextManager, contextmanager
from typing import Any

from scripts.local import aws, cdk, postgres, state
from scripts.local.build import build
from scripts.local.processes import LocalStackError
from scripts.local.state import FOLDER, REGION, Stack

DATA = FOLDER / "postgres"
AWS = FOLDER / "aws"
ASSEMBLY = FOLDER / "cdk.out"

Step = Callable[[str], AbstractContextManager[None]]  # shows a step while it runs


def up(step: Step) -> Stack:
    """Have everything run and the newest build deployed; what is so already is left alone."""
    with _alone():
        return _up(step)


def down() -> list[str]:
    """Stop what runs; returns what was stopped. The data stays."""
    with _alone():
        return _down()


def _up(step: Step) -> Stack:
    cdk.require_tools()
    before = state.read()
    with step("Build"):
        build()
    with step("PostgreSQL"):
        port = postgres.start(DATA, before.postgres_port)
    deployment = cdk.plan(ASSEMBLY, port)
    stack = state.write(before.with_(postgres_port=port, dsn=postgres.dsn(port)))
    server = aws.running(before.aws_pid, before.aws_port)
    if server and before.deployed == deployment.fingerprint:
        return stack
    server = _prepare(step, stack, deployment, server)
    return _deploy(step, stack, deployment, server)


def _down() -> list[str]:
    stopped = []
    stack = state.read()
    server = aws.running(stack.aws_pid, stack.aws_port)
    if server:
        server.stop()
        stopped.append("AWS")
    if postgres.stop(DATA):
        stopped.append("PostgreSQL")
    # The ports are kept, so that addresses stay the same.
    state.write(Stack(postgres_port=stack.postgres_port, aws_port=stack.aws_port))
    return stopped


def status() -> dict[str, object]:
    """What runs, and where."""
    stack = state.read()
    server = aws.running(stack.aws_pid, stack.aws_port)
    return {
        "postgres": stack.dsn if postgres.is_running(DATA) else None,
        "aws": server.endpoint_url if server else None,
        "api_url": stack.api_url if server else None,
    }


def environment(stack: Stack) -> dict[str, str]:
    """The variables with which a command talks to the local stack."""
    return {
        **aws.credentials(str(stack.endpoint_url)),
        "TRIBUTARY_URL": str(stack.api_url),
        "TRIBUTARY_ADMIN_DSN": str(stack.dsn),
        "TRIBUTARY_MIGRATE_FUNCTION": str(stack.migrate_function),
        "TRIBUTARY_STATE_MACHINE_ARN": str(stack.state_machine_arn),
    }


def invoke(stack: Stack, function: str, payload: object) -> Any:
    """Call a function and return its answer; raises LocalStackError when it raises."""
    # Imported late: it costs as much time as everything else `up` does when all is up.
    import boto3
    from botocore.config import Config

    client = boto3.client(
        "lambda",
        endpoint_url=stack.endpoint_url,
        region_name=REGION,
        aws_access_key_id="test",
        aws_secret_access_key="test",  # noqa: S106 -- the local AWS takes anything
        config=Config(proxies={}, read_timeout=300, retries={"total_max_attempts": 1}),
    )
    told = client.invoke(FunctionName=function, Payload=json.dumps(payload))
    answer = json.loads(told["Payload"].read())
    if told.get("FunctionError"):
        raise LocalStackError(f"{function} failed: {answer.get('errorMessage', answer)}")
    return answer


def _prepare(
    step: Step, stack: Stack, deployment: cdk.Deployment, server: aws.LocalAws | None
) -> aws.LocalAws:
    """A bootstrapped AWS, and the templates; both take their time, so side by side."""
    with ThreadPoolExecutor(1) as pool:
        synthesis = pool.submit(deployment.synthesise)
        if server is None:
            with step("AWS"):
                server = _bootstrapped(stack, deployment)
        with step("CDK synthesis"):
            synthesis.result()
    return server


def _bootstrapped(stack: Stack, deployment: cdk.Deployment) -> aws.LocalAws:
    server = aws.start(AWS, stack.aws_port)
    try:
        deployment.bootstrap(server.endpoint_url)
    except BaseException:
        server.stop()
        raise
    state.write(stack.with_(aws_pid=server.pid, aws_port=server.port, api_url=None, deployed=None))
    return server


def _deploy(step: Step, stack: Stack, deployment: cdk.Deployment, server: aws.LocalAws) -> Stack:
    with step("CDK deployment"):
        outputs = deployment.deploy(server.endpoint_url)
    deployed = stack.with_(
        aws_pid=server.pid,
        aws_port=server.port,
        endpoint_url=server.endpoint_url,
        api_url=server.api_url(outputs.api_id),
        migrate_function=outputs.migrate_function,
        state_machine_arn=outputs.state_machine_arn,
        deployed=deployment.fingerprint,
    )
    with step("Migrations"):
        invoke(deployed, outputs.migrate_function, {})
    return state.write(deployed)


@contextmanager
def _alone() -> Iterator[None]:
    """Two commands at once would start everything twice; the second waits for the first."""
    FOLDER.mkdir(parents=True, exist_ok=True)
    with (FOLDER / "lock").open("w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        yield
