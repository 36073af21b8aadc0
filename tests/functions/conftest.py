"""Functions as Lambda runs them: real events, real PostgreSQL, settings from the environment."""

import json
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from importlib import import_module
from typing import Any

import pytest
from psycopg.conninfo import conninfo_to_dict

from tests.functions.service import LOGS, Service
from tests.support.fakes import ValueClassifier, WordEmbedder
from tributary.adapters.classify import heuristic
from tributary.adapters.embedding.onnx import OnnxEmbedder
from tributary.edge import observability, runtime
from tributary.memory import APP_ROLE

CACHED = (runtime.settings, runtime.wiring, runtime.classify, runtime.workflow)


def variables(dsn: str) -> dict[str, str]:
    """Those of a function whose database is that of the DSN."""
    given = conninfo_to_dict(dsn)
    return {
        "TRIBUTARY_DB_HOST": str(given["host"]),
        "TRIBUTARY_DB_PORT": str(given.get("port", 5432)),
        "TRIBUTARY_DB_NAME": str(given.get("dbname", "postgres")),
        "TRIBUTARY_DB_USER": str(given.get("user", APP_ROLE)),
        "TRIBUTARY_DB_AUTH": "trust",
        "TRIBUTARY_DB_SSLMODE": "disable",
        "TRIBUTARY_STATE_MACHINE_ARN": "arn:aws:states:eu-central-1:000000000000:stateMachine:l",
        "PGGSSENCMODE": "disable",
        "POWERTOOLS_METRICS_NAMESPACE": "Tributary",
        "AWS_REGION": "eu-central-1",
        "AWS_DEFAULT_REGION": "eu-central-1",
        "AWS_ACCESS_KEY_ID": "test",
        "AWS_SECRET_ACCESS_KEY": "test",
    }


@contextmanager
def started(dsn: str, **more: str) -> Iterator[pytest.MonkeyPatch]:
    """An execution environment over that database that has just started; `more` are variables."""
    with pytest.MonkeyPatch.context() as patch:
        for name, value in (variables(dsn) | more).items():
            patch.setenv(name, value)
        patch.setattr(OnnxEmbedder, "load", WordEmbedder)
        patch.setattr(heuristic, "HeuristicClassifier", ValueClassifier)
        restart()
        try:
            yield patch
        finally:
            restart()


@pytest.fixture(autouse=True)
def environment(dsn: str) -> Iterator[None]:
    """Every test has one of its own."""
    with started(dsn):
        yield


def restart() -> None:
    """End the execution environment."""
    if runtime.wiring.cache_info().currsize:
        runtime.wiring().database.close()
    for cached in CACHED:
        cached.cache_clear()


class StandardOutput:
    """Whatever is the standard output when something is written."""

    def write(self, text: str) -> None:
        sys.stdout.write(text)

    def flush(self) -> None:
        sys.stdout.flush()


@pytest.fixture(autouse=True)
def output(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> Callable[[], str]:
    """All that the functions have written since it was last asked."""
    handler = observability.logger().registered_handler
    monkeypatch.setattr(handler, "stream", StandardOutput())
    return lambda: "".join(capsys.readouterr())


@pytest.fixture
def logs(output: Callable[[], str]) -> LOGS:
    """The same, as the JSON documents it consists of."""
    return lambda: [json.loads(line) for line in output().splitlines()]


@pytest.fixture
def service(tribe: str, monkeypatch: pytest.MonkeyPatch) -> Service:
    """The HTTPS API of one tribe, with the learn workflow behind it."""
    made = Service(tribe)
    monkeypatch.setattr(import_module("functions.learn.handler"), "workflow", made.workflow)
    made.found()
    return made


@pytest.fixture
def learnt(service: Service) -> dict[str, Any]:
    """A lesson that is there."""
    return service.ok("POST /v1/learn", {"content": "billing API port is 7001", "tags": ["ops"]})


@pytest.fixture
def dispute(service: Service, learnt: dict[str, Any]) -> dict[str, Any]:
    """A writer has contradicted another's lesson."""
    body = {"content": "billing API port is 7002"}
    service.ok("POST /v1/learn", body, role="writer", agent="bob")
    (found,) = service.ok("GET /v1/disputes")["disputes"]
    assert (found["opened_by"], found["target_id"]) == ("bob", learnt["lesson_id"])
    return dict(found)
