"""The functions, told by their environment to use a database of the test's choice."""

from collections.abc import Iterator
from contextlib import contextmanager
from importlib import import_module

import pytest
from psycopg.conninfo import conninfo_to_dict

from tests.functions.conftest import restart
from tests.functions.service import Service
from tests.support.fakes import ValueClassifier, WordEmbedder
from tributary.adapters.classify import heuristic
from tributary.adapters.embedding.onnx import OnnxEmbedder
from tributary.memory import APP_ROLE


def environment(dsn: str) -> dict[str, str]:
    """The variables of a function whose database is that of the DSN."""
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
def functions_on(dsn: str, tribe: str, **more: str) -> Iterator[Service]:
    """The HTTPS API of one tribe over that database, in this process; `more` are variables."""
    with pytest.MonkeyPatch.context() as patch:
        for name, value in (environment(dsn) | more).items():
            patch.setenv(name, value)
        patch.setattr(OnnxEmbedder, "load", WordEmbedder)
        patch.setattr(heuristic, "HeuristicClassifier", ValueClassifier)
        service = Service(tribe)
        patch.setattr(import_module("functions.learn.handler"), "workflow", service.workflow)
        restart()
        try:
            yield service
        finally:
            restart()
