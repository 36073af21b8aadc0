"""The state machine as text: names, timeouts, substitutions, bounds."""

import inspect
import json
import re
from typing import Any

import pytest

from infra.functions import FUNCTIONS
from infra.learn_workflow import STATES
from tributary.domain import errors

# Step Functions Developer Guide, "Handling errors" and "Lambda service exceptions".
AWS_ERRORS = {
    "States.ALL",
    "Lambda.ServiceException",
    "Lambda.AWSLambdaException",
    "Lambda.SdkClientException",
    "Lambda.TooManyRequestsException",
}
OUR_ERRORS = {name for name, _ in inspect.getmembers(errors, inspect.isclass)}


def tasks(definition: dict[str, Any]) -> dict[str, dict[str, Any]]:
    return {name: state for name, state in definition["States"].items() if state["Type"] == "Task"}


def handlers(state: dict[str, Any]) -> list[dict[str, Any]]:
    return [*state.get("Retry", []), *state.get("Catch", [])]


def test_every_error_it_handles_is_one_of_ours_or_of_aws(definition: dict[str, Any]) -> None:
    handled = {
        error
        for state in tasks(definition).values()
        for handler in handlers(state)
        for error in handler["ErrorEquals"]
    }

    assert handled <= OUR_ERRORS | AWS_ERRORS
    assert handled & OUR_ERRORS == {
        "TopicBusyError",
        "SerializationConflictError",
        "StaleCandidatesError",
        "DatabaseUnavailableError",
    }


def test_every_task_has_a_timeout_that_its_function_does_not_outlive(
    definition: dict[str, Any],
) -> None:
    limits = {spec.name: spec.timeout_seconds for spec in FUNCTIONS}

    for name, state in tasks(definition).items():
        assert 0 < limits[name.lower()] <= state["TimeoutSeconds"]


def test_it_ends_before_api_gateway_gives_up(definition: dict[str, Any]) -> None:
    assert definition["TimeoutSeconds"] < 29


def test_every_substitution_is_made_and_every_one_made_is_used(definition: dict[str, Any]) -> None:
    used = set(re.findall(r"\$\{(\w+)\}", json.dumps(definition)))

    assert used == set(STATES)


def test_every_state_that_is_named_exists_and_is_reached(definition: dict[str, Any]) -> None:
    named = set(re.findall(r'"Next": "(\w+)"', json.dumps(definition)))

    assert named | {definition["StartAt"]} == set(definition["States"])


@pytest.mark.parametrize("name", ["Prepare", "Classify", "Commit"])
def test_every_retry_is_bounded_and_jittered(definition: dict[str, Any], name: str) -> None:
    retries = definition["States"][name]["Retry"]

    assert retries
    for retry in retries:
        assert 1 <= retry["MaxAttempts"] <= 20
        assert retry["JitterStrategy"] == "FULL"
        assert retry["IntervalSeconds"] == 1
