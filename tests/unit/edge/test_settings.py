"""What a function is told by its environment."""

import re

import psycopg
import pytest

from tributary.domain.errors import ConfigurationError, DatabaseUnavailableError
from tributary.edge.login import database
from tributary.edge.settings import Settings


def test_a_function_outside_the_network_needs_no_database() -> None:
    settings = Settings.load({"PATH": "/bin"})
    assert (settings.db_host, settings.db_auth, settings.db_sslmode) == ("", "iam", "verify-full")


def test_every_variable_of_ours_is_read_and_no_other() -> None:
    environ = {
        "TRIBUTARY_DB_HOST": "proxy",
        "TRIBUTARY_DB_PORT": "6432",
        "TRIBUTARY_DB_AUTH": "trust",
        "TRIBUTARY_STATE_MACHINE_ARN": "arn",
        "TRIBUTARY_MODEL_DIR": "/opt/model",
        "DB_NAME": "other",
    }
    settings = Settings.load(environ)
    assert (settings.db_host, settings.db_port, settings.db_auth) == ("proxy", 6432, "trust")
    assert (settings.state_machine_arn, settings.db_name) == ("arn", "tributary")


@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("TRIBUTARY_DB_PORT", "many"),
        ("TRIBUTARY_DB_AUTH", "password"),
        ("TRIBUTARY_CLASSIFIER", "oracle"),
    ],
)
def test_a_variable_at_fault_is_named(name: str, value: str) -> None:
    with pytest.raises(ConfigurationError, match=f"^{name}: "):
        Settings.load({name: value})


@pytest.fixture
def asked(monkeypatch: pytest.MonkeyPatch) -> list[dict[str, object]]:
    """What a connection was asked for with; none is made."""
    calls: list[dict[str, object]] = []

    def connect(_: type[object], **parameters: object) -> None:
        calls.append(parameters)
        raise psycopg.OperationalError("no")

    monkeypatch.setattr(psycopg.Connection, "connect", classmethod(connect))
    for name in ("AWS_ACCESS_KEY_ID", "AWS_SECRET_ACCESS_KEY"):
        monkeypatch.setenv(name, "test")
    monkeypatch.setenv("AWS_DEFAULT_REGION", "eu-central-1")
    return calls


def test_every_connection_has_a_fresh_token_and_checks_the_server(
    asked: list[dict[str, object]],
) -> None:
    connect = database(Settings(db_host="proxy", db_user="tributary_app"))
    for _ in range(2):
        with pytest.raises(DatabaseUnavailableError):
            connect()
    assert len(asked) == 2
    for call in asked:
        assert (call["host"], call["user"], call["sslmode"]) == (
            "proxy",
            "tributary_app",
            "verify-full",
        )
        assert re.match(r"proxy:5432/\?Action=connect&DBUser=tributary_app&", str(call["password"]))
        assert call["prepare_threshold"] is None
        assert call["autocommit"] is True
        assert "options" not in call


def test_a_trusted_connection_has_no_password(asked: list[dict[str, object]]) -> None:
    with pytest.raises(DatabaseUnavailableError):
        database(Settings(db_host="/run/postgresql", db_auth="trust", db_sslmode="disable"))()
    assert (asked[0]["password"], asked[0]["sslmode"]) == (None, "disable")
