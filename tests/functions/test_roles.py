"""The role in the table of routes is the role that is really required."""

from typing import Any

import pytest

from tests.functions.service import Service
from tributary.domain.roles import Role
from tributary.edge.routes import ROUTES, Route


@pytest.fixture
def calls(service: Service) -> dict[str, dict[str, Any]]:
    """For each route a call that a curator can make with success."""
    lesson = service.ok("POST /v1/learn", {"content": "billing API port is 7001"})
    service.ok("POST /v1/learn", {"content": "bananas are yellow"})
    service.ok(
        "POST /v1/learn", {"content": "billing API port is 7002"}, agent="bob", role="writer"
    )
    (dispute,) = service.ok("GET /v1/disputes")["disputes"]
    service.ok("POST /v1/agents", {"name": "eve", "role": "reader"})
    one = {"path": {"lesson_id": lesson["lesson_id"]}}
    scratch = service.ok("POST /v1/scratch")
    return {
        "POST /v1/recall": {"body": {"query": "port"}},
        "POST /v1/learn": {"body": {"content": "carrots grow underground"}},
        "GET /v1/decisions/{decision_id}": {"path": {"decision_id": lesson["decision_id"]}},
        "POST /v1/lessons/{lesson_id}/reinforce": one,
        "POST /v1/lessons/{lesson_id}/retire": one | {"body": {"reason": "old"}},
        "GET /v1/lessons": {},
        "GET /v1/lessons/{lesson_id}": one,
        "GET /v1/lessons/{lesson_id}/history": one,
        "GET /v1/disputes": {},
        "POST /v1/disputes/{dispute_id}/resolve": {
            "path": {"dispute_id": dispute["id"]},
            "body": {"resolution": "keep_both"},
        },
        "GET /v1/stats": {},
        "GET /v1/audit": {},
        "POST /v1/agents": {"body": {"name": "zoe", "role": "curator"}},
        "GET /v1/agents": {},
        "DELETE /v1/agents/{name}": {"path": {"name": "eve"}},
        "POST /v1/scratch": {},
        "DELETE /v1/scratch": {"tribe": scratch["tribe"]},
    }


@pytest.mark.parametrize("route", ROUTES, ids=lambda route: f"{route.method} {route.path}")
def test_a_route_answers_its_role_and_those_above_and_refuses_those_below(
    service: Service, calls: dict[str, dict[str, Any]], route: Route
) -> None:
    key = f"{route.method} {route.path}"
    before = service.stored()
    for role in Role:
        if role < route.role:
            problem = service.problem(key, **calls[key], role=role.label)
            assert (problem["status"], problem["code"]) == (403, "forbidden")
            assert problem["detail"] == (
                f"this needs the role {route.role.label}; the key has the role {role.label}"
            )
            assert service.stored() == before
    service.ok(key, **calls[key], role=route.role.label)


def test_every_route_is_called(calls: dict[str, dict[str, Any]]) -> None:
    assert set(calls) == {f"{route.method} {route.path}" for route in ROUTES}
