"""Who calls: from the bearer key alone."""

from typing import Any

import psycopg
import pytest

from tests.functions.conftest import restart
from tests.functions.service import PROBLEM, Service, function
from tests.support.events import authorization
from tributary.domain.errors import DatabaseUnavailableError, SerializationConflictError
from tributary.edge import runtime

REFUSED = {"isAuthorized": False}
UNAVAILABLE = {"isAuthorized": True, "context": {"unavailable": "true"}}


def ask(header: str | None) -> dict[str, Any]:
    answer: dict[str, Any] = function("authorizer")(authorization(header), None)
    return answer


@pytest.fixture
def key(service: Service) -> str:
    """The key of a writer."""
    added = service.ok("POST /v1/agents", {"name": "bob", "role": "writer"})
    return str(added["key"])


def test_a_key_says_tribe_agent_and_role(service: Service, key: str) -> None:
    assert ask(f"Bearer {key}") == {
        "isAuthorized": True,
        "context": {"tribe": service.tribe, "agent": "bob", "role": "writer"},
    }


@pytest.mark.parametrize("scheme", ["bearer ", "BEARER ", "Bearer  "])
def test_the_scheme_may_be_written_in_any_case(key: str, scheme: str) -> None:
    assert ask(scheme + key)["isAuthorized"] is True


@pytest.mark.parametrize(
    "header",
    [
        None,
        "",
        "Bearer",
        "Bearer ",
        "{key}",
        "Basic {key}",
        "Bearer {key}x",
        "Bearer x{key}",
        "Bearer Bearer {key}",
        "Bearer {key} {key}",
        "Bearer trib_",
        "Bearer trib_wrong",
        "Bearer caf\u00e9",
        "Bearer trib_caf\u00e9",
        "Bearer trib_\ud800",
        "Bearer trib_\0",
        "Bearer trib_' OR true --",
        "Bearer trib_" + "x" * 100_000,
        "\u212aearer {key}",
    ],
    ids=lambda header: ascii(header)[:40],
)
def test_anything_else_is_refused(key: str, header: str | None) -> None:
    assert ask(header and header.format(key=key)) == REFUSED


@pytest.mark.parametrize("headers", [None, {}])
def test_an_event_without_headers_is_refused(headers: Any) -> None:
    assert function("authorizer")(authorization(None) | {"headers": headers}, None) == REFUSED


def test_a_key_in_other_letters_is_another_key(key: str) -> None:
    assert ask(f"Bearer {key.swapcase()}") == REFUSED
    assert ask(f"Bearer {key.removeprefix('trib_').upper()}") == REFUSED


def test_a_revoked_key_is_refused(service: Service, key: str) -> None:
    service.ok("DELETE /v1/agents/{name}", path={"name": "bob"})
    assert ask(f"Bearer {key}") == REFUSED


def test_a_key_is_never_written(key: str, output: Any) -> None:
    output()
    ask(f"Bearer {key}")
    ask(f"Bearer {key}x")
    assert key not in output()


@pytest.fixture
def down(monkeypatch: pytest.MonkeyPatch, key: str) -> Any:
    """The database does not answer, and an execution environment starts; call it to mend that."""
    with monkeypatch.context() as broken:
        broken.setenv("TRIBUTARY_DB_HOST", "/nowhere")
        restart()
        yield
    restart()


@pytest.mark.usefixtures("down")
def test_without_a_database_the_call_is_let_through_and_marked(key: str) -> None:
    assert ask(f"Bearer {key}") == UNAVAILABLE
    assert ask("Basic x") == REFUSED
    assert ask("Bearer not-one-of-ours") == REFUSED


def test_a_database_that_is_busy_is_no_reason_to_refuse(
    key: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    def busy(self: object, key_hash: bytes) -> None:
        raise SerializationConflictError("55P03", 1)

    monkeypatch.setattr(type(runtime.wiring().registry), "identify", busy)
    assert ask(f"Bearer {key}") == UNAVAILABLE


@pytest.mark.parametrize(
    ("route", "body"), [("POST /v1/recall", {"query": "x"}), ("POST /v1/learn", {"content": "x"}),
                        ("GET /v1/stats", None)],
)  # fmt: skip
def test_the_function_behind_a_marked_call_answers_503(
    service: Service, route: str, body: Any
) -> None:
    answer = service(route, body, authorizer=UNAVAILABLE["context"])
    assert (answer.status, answer.body["code"]) == (503, "database_unavailable")
    assert answer.headers == {"content-type": PROBLEM, "retry-after": "5"}
    assert service.client.executions == []


@pytest.mark.parametrize(
    ("route", "body"), [("POST /v1/recall", {"query": "x"}), ("GET /v1/stats", None)]
)
@pytest.mark.usefixtures("down")
def test_a_function_without_a_database_answers_503(
    service: Service, route: str, body: Any, output: Any
) -> None:
    output()
    answer = service(route, body)
    assert (answer.status, answer.headers["retry-after"]) == (503, "5")
    assert answer.body["detail"] == "the database is unavailable: no connection"
    assert "nowhere" not in output()


def test_the_next_call_after_the_database_is_back_works(service: Service, key: str) -> None:
    database = runtime.wiring().database
    really = database._connect
    database.close()

    def no_connection() -> Any:
        raise DatabaseUnavailableError("no connection")

    database._connect = no_connection
    assert ask(f"Bearer {key}") == UNAVAILABLE
    assert service("GET /v1/stats").status == 503
    database._connect = really
    assert ask(f"Bearer {key}")["context"]["agent"] == "bob"
    assert service("GET /v1/stats").status == 200


def test_a_connection_that_breaks_is_opened_again(service: Service, admin_dsn: str) -> None:
    service.ok("GET /v1/stats")
    pid = runtime.wiring().database._connection.info.backend_pid  # type: ignore[union-attr]
    with psycopg.connect(admin_dsn, autocommit=True) as admin:
        admin.execute("SELECT pg_terminate_backend(%s, 5000)", (pid,))
    assert service("GET /v1/stats").status == 200
    assert runtime.wiring().database._connection.info.backend_pid != pid  # type: ignore[union-attr]
