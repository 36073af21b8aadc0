"""What the routes about lessons, disputes, the audit and agents refuse, by name."""

from typing import Any
from uuid import UUID

import pytest

from tests.functions.service import Service

ONE = "/v1/lessons/{lesson_id}"
NOWHERE = str(UUID(int=1))
Row = dict[str, Any]


def of(lesson: Row) -> dict[str, Any]:
    return {"path": {"lesson_id": lesson["lesson_id"]}}


UNKNOWN: list[tuple[str, str, Any]] = [
    (f"GET {ONE}", "lesson_id", None),
    (f"GET {ONE}/history", "lesson_id", None),
    (f"POST {ONE}/reinforce", "lesson_id", None),
    (f"POST {ONE}/retire", "lesson_id", {"reason": "old"}),
    ("GET /v1/decisions/{decision_id}", "decision_id", None),
    ("POST /v1/disputes/{dispute_id}/resolve", "dispute_id", {"resolution": "accept"}),
]


@pytest.mark.parametrize(("route", "name", "body"), UNKNOWN)
def test_what_does_not_exist_is_not_found(
    service: Service, route: str, name: str, body: Any
) -> None:
    problem = service.problem(route, body, path={name: NOWHERE})
    assert (problem["status"], problem["code"]) == (404, "not_found")


@pytest.mark.parametrize(("route", "name", "body"), UNKNOWN)
@pytest.mark.parametrize(
    "bad", ["", " ", "null", "7", "x" * 36, NOWHERE[:-1], NOWHERE + "0", "%", "a\0b", "\ud800"],
    ids=ascii,
)  # fmt: skip
def test_an_id_that_is_none_is_refused_by_name(
    service: Service, route: str, name: str, body: Any, bad: str
) -> None:
    problem = service.problem(route, body, path={name: bad})
    assert (problem["status"], problem["field"]) == (400, name)


def test_what_belongs_to_another_tribe_does_not_exist(service: Service, learnt: Row) -> None:
    for route in (f"GET {ONE}", f"GET {ONE}/history", f"POST {ONE}/reinforce"):
        assert service.problem(route, **of(learnt), tribe=service.tribe + "-2")["status"] == 404
    problem = service.problem(
        f"POST {ONE}/retire", {"reason": "x"}, **of(learnt), tribe=service.tribe + "-2"
    )
    assert problem["status"] == 404
    assert service.stored()["active"] == 1


LISTS = ["GET /v1/lessons", "GET /v1/audit", "GET /v1/disputes"]


@pytest.mark.parametrize("route", LISTS)
@pytest.mark.parametrize(
    ("field", "value"),
    [
        ("limit", "0"),
        ("limit", "-1"),
        ("limit", "201"),
        ("limit", "abc"),
        ("limit", ""),
        ("limit", "1.5"),
        ("limit", "10,20"),
        ("limit", "9" * 5_000),
        ("limit", "\u0661"),
        ("cursor", ""),
        ("cursor", "abc"),
        ("cursor", "null"),
        ("cursor", NOWHERE + "x"),
        ("cursor", "\0"),
        ("tribe", "acme"),
        ("offset", "1"),
        ("", "x"),
    ],
    ids=lambda value: ascii(value)[:20],
)
def test_a_page_that_is_none_is_refused_by_name(
    service: Service, route: str, field: str, value: str
) -> None:
    problem = service.problem(route, query={field: value})
    assert (problem["status"], problem["field"]) == (400, field or "body")


@pytest.mark.parametrize(
    ("field", "value"),
    [
        ("status", ""),
        ("status", "ACTIVE"),
        ("status", "deleted"),
        ("status", "active,retired"),
        ("tag", ""),
        ("tag", "\u200b"),
        ("tag", "a\0b"),
        ("tag", "\ud800"),
        ("tag", "x" * 65),
        ("agent", ""),
        ("agent", "a\0b"),
        ("agent", "\ud800"),
        ("agent", "a b"),
    ],
    ids=lambda value: ascii(value)[:20],
)
def test_a_filter_that_is_none_is_refused_and_never_means_all(
    service: Service, field: str, value: str
) -> None:
    problem = service.problem("GET /v1/lessons", query={field: value})
    assert (problem["status"], problem["field"]) == (400, field)


def test_an_audit_of_no_lesson_is_refused(service: Service) -> None:
    for value in ("", "x"):
        assert service.problem("GET /v1/audit", query={"lesson_id": value})["field"] == "lesson_id"


@pytest.mark.parametrize(
    ("route", "path"),
    [
        (f"GET {ONE}", "lesson_id"),
        (f"GET {ONE}/history", "lesson_id"),
        (f"POST {ONE}/reinforce", "lesson_id"),
        ("GET /v1/decisions/{decision_id}", "decision_id"),
        ("GET /v1/stats", None),
        ("GET /v1/agents", None),
        ("DELETE /v1/agents/{name}", "name"),
    ],
)
def test_query_parameters_where_there_are_none_are_refused(
    service: Service, route: str, path: str | None
) -> None:
    parts = {"path": {path: NOWHERE}} if path else {}
    problem = service.problem(route, query={"tribe": "acme-corp"}, **parts)
    assert (problem["status"], problem["field"]) == (400, "tribe")


def test_a_body_where_there_is_none_is_refused(service: Service, learnt: Row) -> None:
    route = f"POST {ONE}/reinforce"
    assert service.problem(route, {"agent": "bob"}, **of(learnt))["field"] == "agent"
    assert service.problem(route, raw="null", **of(learnt))["field"] == "body"
    assert service.ok(route, {}, **of(learnt)) == {"counted": True}


@pytest.mark.parametrize(
    ("route", "field", "body"),
    [
        ("retire", "reason", {}),
        ("retire", "reason", {"reason": ""}),
        ("retire", "reason", {"reason": "\u200b"}),
        ("retire", "reason", {"reason": None}),
        ("retire", "reason", {"reason": "x" * 1_001}),
        ("retire", "reason", {"reason": "a\0"}),
        ("retire", "tribe", {"reason": "x", "tribe": "acme"}),
        ("resolve", "resolution", {}),
        ("resolve", "resolution", {"resolution": None}),
        ("resolve", "resolution", {"resolution": ""}),
        ("resolve", "resolution", {"resolution": []}),
        ("resolve", "resolution", {"resolution": "undo"}),
        ("resolve", "reason", {"resolution": "accept", "reason": " "}),
        ("resolve", "reason", {"resolution": "accept", "reason": 7}),
        ("agents", "name", {}),
        ("agents", "name", {"name": ""}),
        ("agents", "name", {"name": None}),
        ("agents", "name", {"name": "a b"}),
        ("agents", "name", {"name": "a\n"}),
        ("agents", "name", {"name": "\ud800"}),
        ("agents", "name", {"name": "x" * 65}),
        ("agents", "role", {"name": "bob", "role": "owner"}),
        ("agents", "role", {"name": "bob", "role": "Reader"}),
        ("agents", "role", {"name": "bob", "role": "reader\n"}),
        ("agents", "role", {"name": "bob", "role": None}),
        ("agents", "key", {"name": "bob", "key": "trib_x"}),
    ],
    ids=lambda value: ascii(value)[:40],
)
def test_bad_bodies_are_refused_by_name(
    service: Service, route: str, field: str, body: Any, dispute: Row
) -> None:
    routes = {
        "retire": (f"POST {ONE}/retire", {"lesson_id": dispute["target_id"]}),
        "resolve": ("POST /v1/disputes/{dispute_id}/resolve", {"dispute_id": dispute["id"]}),
        "agents": ("POST /v1/agents", None),
    }
    before = service.stored()
    problem = service.problem(routes[route][0], body, path=routes[route][1])
    assert (problem["status"], problem["field"]) == (400, field)
    assert service.stored() == before
    assert service.ok("GET /v1/agents")["agents"] == []


@pytest.mark.parametrize("name", ["", "a b", "x" * 65, "a\0b", "\ud800"], ids=ascii)
def test_a_name_that_is_none_is_refused(service: Service, name: str) -> None:
    problem = service.problem("DELETE /v1/agents/{name}", path={"name": name})
    assert (problem["status"], problem["field"]) == (400, "name")


def test_an_agent_that_does_not_exist_cannot_be_revoked(service: Service) -> None:
    assert service.problem("DELETE /v1/agents/{name}", path={"name": "bob"})["status"] == 404
