"""Starting the learn workflow, and understanding how it ended."""

import json
import os
from collections.abc import Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING

from tributary.edge.http.problems import INTERNAL, TABLE, TIMED_OUT, Problem, UpstreamError
from tributary.edge.workflow import LearnState
from tributary.ports import Learned

if TYPE_CHECKING:
    from botocore.exceptions import ClientError
    from mypy_boto3_stepfunctions import SFNClient

THROTTLED = Problem(503, "throttled", "Too many learns at once", 2)
# A state that hangs or is throttled ends an execution with an error of the platform's naming.
PLATFORM = ("States.Timeout", "Sandbox.Timedout", "Lambda.")


class Executions:
    """The state machine behind `arn`."""

    def __init__(self, client: "SFNClient", arn: str) -> None:
        self._client = client
        self._arn = arn

    def run(self, state: LearnState) -> Learned:
        """Learn to the end. Raises UpstreamError for every end but an answer.

        StartSyncExecution answers 200 for an execution that failed or timed out, too.
        """
        with _calling():
            ended = self._client.start_sync_execution(
                stateMachineArn=self._arn, input=state.model_dump_json()
            )
        if ended["status"] == "SUCCEEDED":
            return _answer(ended["output"])
        if ended["status"] == "FAILED":
            raise UpstreamError(_problem(ended.get("error", "")))
        raise UpstreamError(TIMED_OUT)

    def start(self, state: LearnState) -> None:
        """Learn without waiting. An execution that runs twice still learns once."""
        with _calling():
            self._client.start_execution(stateMachineArn=self._arn, input=state.model_dump_json())


@contextmanager
def _calling() -> Iterator[None]:
    from botocore.exceptions import BotoCoreError, ClientError

    try:
        yield
    except ClientError as error:
        raise UpstreamError(THROTTLED if _passes(error) else INTERNAL) from error
    except BotoCoreError as error:  # no connection, or no answer in time
        raise UpstreamError(TIMED_OUT) from error


def _passes(error: "ClientError") -> bool:
    """True for what a later call may not meet; a missing right or a wrong ARN stays."""
    code = error.response.get("Error", {}).get("Code", "")
    status = error.response.get("ResponseMetadata", {}).get("HTTPStatusCode", 0)
    busy = any(word in code for word in ("Throttling", "TooManyRequests", "LimitExceeded"))
    return busy or status >= 500


def _problem(error: str) -> Problem:
    if error == "Lambda.TooManyRequestsException":
        return THROTTLED
    return TIMED_OUT if error.startswith(PLATFORM) else TABLE.get(error, INTERNAL)


def _answer(output: str) -> Learned:
    answer = LearnState.model_validate(json.loads(output)).answer
    if answer is None:
        raise UpstreamError(INTERNAL)
    return answer


def connect(arn: str) -> Executions:
    """Over boto3, with this function's role."""
    import boto3
    from botocore.config import Config

    # boto3 puts "sync-" before the host of StartSyncExecution, which a local endpoint has not.
    local = "AWS_ENDPOINT_URL" in os.environ
    config = Config(read_timeout=29, retries={"total_max_attempts": 1},
                    inject_host_prefix=not local)  # fmt: skip
    return Executions(boto3.client("stepfunctions", config=config), arn)
