"""The routes about scratch tribes, and the gardener that ends forgotten ones."""

from collections.abc import Iterator

import psycopg
import pytest
from psycopg.rows import dict_row

from tests.functions.service import LOGS, Service, function
from tests.support.events import authorization
from tests.support.sql import Admin, value
from tributary.edge.runtime import wiring
from tributary.usecases.scratch import MOST

OPEN, REMOVE = "POST /v1/scratch", "DELETE /v1/scratch"


class Context:
    """Lambda's, with five minutes left."""

    def get_remaining_time_in_millis(self) -> int:
        return 300_000


@pytest.fixture
def admin(admin_dsn: str) -> Iterator[Admin]:
    """The superuser, whom row security does not hold back."""
    with psycopg.connect(admin_dsn, autocommit=True, row_factory=dict_row) as connection:
        yield connection


@pytest.fixture(autouse=True)
def swept(admin: Admin) -> Iterator[None]:
    yield
    admin.execute("UPDATE scratch_tribes SET expires_at = '-infinity'")
    wiring().scratch.sweep()


def test_a_scratch_tribe_is_used_with_its_own_key_and_removed_with_it(service: Service) -> None:
    opened = service(OPEN)
    assert opened.status == 201
    tribe, key = opened.body["tribe"], opened.body["key"]
    answered = function("authorizer")(authorization(f"Bearer {key}"), None)
    assert answered["context"] == {"tribe": tribe, "agent": "curator", "role": "curator"}
    learned = service.ok("POST /v1/learn", {"content": "apples are red"}, **answered["context"])
    assert learned["outcome"] == "inserted"
    assert service.ok("GET /v1/stats")["counts"].get("active") is None
    removed = service.ok(REMOVE, **answered["context"])
    assert (removed["tribe"], removed["finished"]) == (tribe, True)
    assert removed["rows"].items() >= {"agent_keys": 1, "agents": 1, "lessons": 1}.items()
    again = function("authorizer")(authorization(f"Bearer {key}"), None)
    assert again == {"isAuthorized": False}


def test_a_key_that_the_gateway_still_knows_meets_a_clear_refusal(service: Service) -> None:
    opened = service.ok(OPEN)
    service.ok(REMOVE, tribe=opened["tribe"])
    for route, body in (
        ("POST /v1/learn", {"content": "apples are red"}),
        ("POST /v1/recall", {"query": "apples"}),
        ("GET /v1/lessons", None),
    ):
        problem = service.problem(route, body, tribe=opened["tribe"])
        assert (problem["status"], problem["code"]) == (409, "conflicting_state")
    assert service.ok(REMOVE, tribe=opened["tribe"])["rows"] == {}


def test_an_ordinary_tribe_is_refused_and_keeps_its_lessons(
    service: Service, learnt: dict[str, str]
) -> None:
    problem = service.problem(REMOVE)
    assert (problem["status"], problem["code"]) == (409, "conflicting_state")
    assert service.ok("GET /v1/stats")["counts"]["active"] == 1


def test_the_ninth_is_refused_and_says_what_to_do(service: Service) -> None:
    opened = [service.ok(OPEN) for _ in range(MOST)]
    problem = service.problem(OPEN)
    assert (problem["status"], problem["code"]) == (409, "conflicting_state")
    assert "DELETE /v1/scratch" in problem["detail"]
    service.ok(REMOVE, tribe=opened[0]["tribe"])
    service.ok(OPEN)


@pytest.mark.parametrize("route", [OPEN, REMOVE])
def test_neither_takes_anything(service: Service, route: str) -> None:
    for asked in ({"body": {"tribe": "acme"}}, {"query": {"tribe": "acme"}}):
        problem = service.problem(route, **asked)
        assert (problem["status"], problem["field"]) == (400, "tribe")


def test_the_gardener_removes_what_has_expired(
    service: Service, admin: Admin, logs: LOGS, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(type(wiring().registry), "tribes", lambda _: ())
    opened = service.ok(OPEN)
    service.ok("POST /v1/learn", {"content": "apples are red"}, tribe=opened["tribe"])
    garden = function("gardener")
    assert garden({}, Context())["scratch_removed"] == 0
    admin.execute(
        "UPDATE scratch_tribes SET expires_at = now() WHERE name = %s", (opened["tribe"],)
    )
    assert garden({"dry_run": True}, Context())["scratch_removed"] == 0
    assert garden({}, Context())["scratch_removed"] == 1
    assert value(admin, "SELECT count(*) FROM lessons WHERE tribe = %s", opened["tribe"]) == 0
    assert logs()[-1]["scratch_removed"] == 1
