"""One local AWS for all tests of the workflow; its waits take a hundredth of their time."""

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from scripts.local.aws import LocalAws
from tests.support.local_aws import ScriptedWorkflow, local_aws

DEFINITION = Path(__file__).parents[2] / "statemachines" / "learn.asl.json"


@pytest.fixture(scope="session")
def definition() -> dict[str, Any]:
    """The state machine as it is in the repository."""
    parsed: dict[str, Any] = json.loads(DEFINITION.read_text())
    return parsed


@pytest.fixture(scope="session")
def server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[LocalAws]:
    """A local AWS without anything in it."""
    folder = tmp_path_factory.mktemp("aws")
    with local_aws(folder, {"SFN_WAIT_SCALE": "0.01"}) as running:
        yield running


@pytest.fixture(scope="session")
def workflow(
    server: LocalAws, definition: dict[str, Any], tmp_path_factory: pytest.TempPathFactory
) -> ScriptedWorkflow:
    """The learn workflow over scripted functions."""
    return ScriptedWorkflow(server, definition, tmp_path_factory.mktemp("journals"))
