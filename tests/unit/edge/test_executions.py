"""How the learn function reaches Step Functions."""

from typing import Any

import pytest
from botocore.exceptions import EndpointConnectionError

from tests.support.fakes import CountingIds
from tributary.domain.lesson import draft
from tributary.domain.roles import Actor, Role
from tributary.edge.executions import Executions, connect
from tributary.edge.http.problems import UpstreamError
from tributary.edge.workflow import LearnState
from tributary.usecases.learn.attempt import new_attempt

STATE = LearnState(
    attempt=new_attempt(Actor("acme", "ada", Role.WRITER), draft("x"), CountingIds())
)


@pytest.fixture(autouse=True)
def account(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("AWS_ACCESS_KEY_ID", "AWS_SECRET_ACCESS_KEY"):
        monkeypatch.setenv(name, "test")
    monkeypatch.setenv("AWS_DEFAULT_REGION", "eu-central-1")


def urls_of(executions: Executions) -> list[str]:
    """Where the two calls go; nothing is sent."""
    seen: list[str] = []

    def before_send(request: Any, **_: Any) -> None:
        seen.append(request.url)
        raise EndpointConnectionError(endpoint_url=request.url)

    executions._client.meta.events.register("before-send.stepfunctions", before_send)
    for call in (executions.run, executions.start):
        with pytest.raises(UpstreamError):
            call(STATE)
    executions._client.close()
    return seen


def test_on_aws_a_synchronous_execution_has_a_host_of_its_own(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.delenv("AWS_ENDPOINT_URL", raising=False)
    assert urls_of(connect("arn:aws:states:eu-central-1:0:stateMachine:x")) == [
        "https://sync-states.eu-central-1.amazonaws.com/",
        "https://states.eu-central-1.amazonaws.com/",
    ]


def test_a_local_endpoint_is_called_as_it_stands(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("AWS_ENDPOINT_URL", "http://127.0.0.1:1")
    assert urls_of(connect("arn:aws:states:eu-central-1:0:stateMachine:x")) == [
        "http://127.0.0.1:1/",
        "http://127.0.0.1:1/",
    ]


def test_a_call_is_tried_once_and_given_up_before_api_gateway_does(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.delenv("AWS_ENDPOINT_URL", raising=False)
    executions = connect("arn")
    config = executions._client.meta.config
    assert config.retries["total_max_attempts"] == 1
    assert config.read_timeout < 30
    executions._client.close()
