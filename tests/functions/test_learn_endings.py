"""How each way in which an execution can end is answered, on Step Functions' wire format."""

import json
from collections.abc import Iterator
from datetime import UTC, datetime
from importlib import import_module
from typing import Any
from uuid import UUID

import boto3
import pytest
from botocore.exceptions import EndpointConnectionError, ReadTimeoutError
from botocore.stub import ANY, Stubber

from tests.functions.service import LOGS, PROBLEM, Service
from tributary.domain.plan import Outcome
from tributary.edge.executions import Executions
from tributary.edge.workflow import LearnState
from tributary.ports import Learned

ARN = "arn:aws:states:eu-central-1:000000000000:stateMachine:learn"
EXECUTION = ARN.replace("stateMachine", "express") + ":id:id"
BODY = {"content": "billing API port is 7001"}
WHEN = datetime(2026, 1, 1, tzinfo=UTC)


@pytest.fixture
def steps(service: Service, monkeypatch: pytest.MonkeyPatch) -> Iterator[Stubber]:
    """Step Functions' real client, with answers from a script."""
    client = boto3.client("stepfunctions")
    made = Executions(client, ARN)
    monkeypatch.setattr(import_module("functions.learn.handler"), "workflow", lambda: made)
    with Stubber(client) as stubber:
        yield stubber
        stubber.assert_no_pending_responses()
    client.close()


def ends(steps: Stubber, status: str, **more: str) -> None:
    given = {"executionArn": EXECUTION, "startDate": WHEN, "stopDate": WHEN, "status": status}
    asked = {"stateMachineArn": ARN, "input": ANY}
    steps.add_response("start_sync_execution", given | more, asked)


def test_an_execution_is_given_the_attempt_and_gives_its_answer(
    service: Service, steps: Stubber
) -> None:
    answer = Learned(Outcome.INSERTED, UUID(int=1), None, None, UUID(int=2), flag="why")
    sent = []

    def output(state: LearnState) -> str:
        sent.append(state)
        return state.model_copy(update={"answer": answer}).model_dump_json()

    class Input:
        """Equal to any input, which it keeps."""

        def __eq__(self, other: object) -> bool:
            assert isinstance(other, str)
            script["output"] = output(LearnState.model_validate(json.loads(other)))
            return True

        __hash__ = None  # type: ignore[assignment]

    script = {"executionArn": EXECUTION, "startDate": WHEN, "stopDate": WHEN, "status": "SUCCEEDED"}
    steps.add_response("start_sync_execution", script, {"stateMachineArn": ARN, "input": Input()})
    told = service.ok("POST /v1/learn", BODY, headers={"idempotency-key": "k"}, agent="bob")
    assert told == {
        "outcome": "inserted",
        "lesson_id": str(UUID(int=1)),
        "target_id": None,
        "verdict": None,
        "decision_id": str(UUID(int=2)),
        "flag": "why",
        "truncated": False,
    }
    (state,) = sent
    assert (state.round, state.park, state.next) == (0, False, None)
    assert (state.attempt.actor.agent, state.attempt.idempotency_key) == ("bob", "k")
    assert state.attempt.draft.content == BODY["content"]


FAILED = [
    ("IdempotencyKeyReusedError", 422, "idempotency_key_reused", None),
    ("ConflictingStateError", 409, "conflicting_state", None),
    ("StaleCandidatesError", 503, "contention", "1"),
    ("TopicBusyError", 503, "contention", "1"),
    ("SerializationConflictError", 503, "contention", "1"),
    ("DatabaseUnavailableError", 503, "database_unavailable", "5"),
    ("EmbeddingFailedError", 503, "embedding_failed", "5"),
    ("ClassifierFailedError", 503, "classifier_failed", "5"),
    ("States.Timeout", 503, "timed_out", "1"),
    ("Sandbox.Timedout", 503, "timed_out", "1"),
    ("Lambda.Unknown", 503, "timed_out", "1"),
    ("Lambda.ServiceException", 503, "timed_out", "1"),
    ("Lambda.AWSLambdaException", 503, "timed_out", "1"),
    ("Lambda.SdkClientException", 503, "timed_out", "1"),
    ("Lambda.EC2ThrottledException", 503, "timed_out", "1"),
    ("Lambda.TooManyRequestsException", 503, "throttled", "2"),
    ("ConfigurationError", 500, "internal", None),
    ("UnexpectedError", 500, "internal", None),
    ("States.Runtime", 500, "internal", None),
    ("States.NoChoiceMatched", 500, "internal", None),
    ("", 500, "internal", None),
]


@pytest.mark.parametrize(("error", "status", "code", "retry_after"), FAILED)
def test_a_failed_execution_is_answered_by_its_error(
    service: Service, steps: Stubber, error: str, status: int, code: str, retry_after: str | None
) -> None:
    ends(steps, "FAILED", error=error, cause=f'{{"errorMessage": "{BODY["content"]}"}}')
    answered(service, status, code, retry_after)


@pytest.mark.parametrize("ending", ["TIMED_OUT", "ABORTED"])
def test_an_execution_without_an_end_may_be_tried_again(
    service: Service, steps: Stubber, ending: str
) -> None:
    # ABORTED is not in the service's list for express executions, yet the console can do it.
    ends(steps, ending)
    answered(service, 503, "timed_out", "1")


@pytest.mark.parametrize(
    "output",
    ["{}", "null", "not JSON", '{"attempt": "billing API port is 7001"}'],
)
def test_an_output_that_is_no_answer_is_our_fault(
    service: Service, steps: Stubber, output: str
) -> None:
    ends(steps, "SUCCEEDED", output=output)
    answered(service, 500, "internal", None)


REFUSED = [
    ("ThrottlingException", 400, 503, "throttled", "2"),
    ("ExecutionLimitExceeded", 400, 503, "throttled", "2"),
    ("TooManyRequestsException", 429, 503, "throttled", "2"),
    ("InternalFailure", 500, 503, "throttled", "2"),
    ("ServiceUnavailable", 503, 503, "throttled", "2"),
    ("AccessDeniedException", 400, 500, "internal", None),
    ("StateMachineDoesNotExist", 400, 500, "internal", None),
    ("ExpiredTokenException", 403, 500, "internal", None),
]


@pytest.mark.parametrize("mode", ["start_sync_execution", "start_execution"])
@pytest.mark.parametrize(("error", "http", "status", "code", "retry_after"), REFUSED)
def test_a_call_that_is_refused_is_answered_by_whether_it_passes(
    service: Service,
    steps: Stubber,
    mode: str,
    error: str,
    http: int,
    status: int,
    code: str,
    retry_after: str | None,
) -> None:
    steps.add_client_error(mode, error, BODY["content"], http)
    answered(service, status, code, retry_after, mode)


@pytest.mark.parametrize("mode", ["start_sync_execution", "start_execution"])
@pytest.mark.parametrize(
    "error",
    [EndpointConnectionError(endpoint_url="https://x"), ReadTimeoutError(endpoint_url="https://x")],
    ids=["no connection", "no answer"],
)
def test_a_service_that_is_silent_may_be_tried_again(
    service: Service, monkeypatch: pytest.MonkeyPatch, mode: str, error: Exception
) -> None:
    def silent(**asked: Any) -> None:
        raise error

    setattr(service.client, mode, silent)
    answered(service, 503, "timed_out", "1", mode)


def test_starting_without_waiting_gives_the_attempt(service: Service, steps: Stubber) -> None:
    started = {"executionArn": EXECUTION, "startDate": WHEN}
    steps.add_response("start_execution", started, {"stateMachineArn": ARN, "input": ANY})
    assert service("POST /v1/learn", BODY, headers={"prefer": "respond-async"}).status == 202


def test_the_first_answer_keeps_its_place_when_the_second_is_lost(
    service: Service, logs: LOGS
) -> None:
    key = {"headers": {"idempotency-key": "k"}}
    first = service.ok("POST /v1/learn", BODY, **key)
    really = service.client.start_sync_execution

    def lost(**asked: str) -> dict[str, str]:
        really(**asked)
        return {"status": "TIMED_OUT"}

    service.client.start_sync_execution = lost  # type: ignore[method-assign]
    answered(service, 503, "timed_out", "1", key="k")
    service.client.start_sync_execution = really  # type: ignore[method-assign]
    assert service.ok("POST /v1/learn", BODY, **key) == first
    assert service.stored()["active"] == 1


def answered(
    service: Service,
    status: int,
    code: str,
    retry_after: str | None,
    mode: str = "start_sync_execution",
    key: str = "key",
) -> None:
    headers = {"idempotency-key": key}
    if mode == "start_execution":
        headers["prefer"] = "respond-async"
    answer = service("POST /v1/learn", BODY, headers=headers)
    assert (answer.status, answer.body["code"]) == (status, code)
    assert answer.headers["content-type"] == PROBLEM
    assert answer.headers.get("retry-after") == retry_after
    assert BODY["content"] not in answer.text
