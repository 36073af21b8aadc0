"""Every route but recall and learn."""

from typing import Any

import pytest

from tests.functions.service import Service
from tributary.domain.roles import Actor, Role
from tributary.edge.runtime import wiring

ONE = "/v1/lessons/{lesson_id}"
Row = dict[str, Any]


def of(lesson: Row) -> dict[str, Any]:
    return {"path": {"lesson_id": lesson["lesson_id"]}}


def learn(service: Service, content: str, **parts: Any) -> Row:
    return service.ok("POST /v1/learn", {"content": content}, **parts)


def test_reinforcing_counts_once_per_agent_and_hour(service: Service, learnt: Row) -> None:
    route = f"POST {ONE}/reinforce"
    counted = [
        service.ok(route, **of(learnt), role="writer", agent=agent)["counted"]
        for agent in ("bob", "bob", "eve")
    ]
    assert counted == [True, False, True]
    assert service.ok(f"GET {ONE}", **of(learnt))["reinforcements"] == 2


def test_a_retired_lesson_is_kept_with_its_reason_but_not_recalled(
    service: Service, learnt: Row
) -> None:
    retired = service.ok(f"POST {ONE}/retire", {"reason": " moved to 7002 "}, **of(learnt))
    assert retired == {"id": learnt["lesson_id"], "status": "retired"}
    row = service.ok(f"GET {ONE}", **of(learnt))
    assert (row["status"], row["flag"]) == ("retired", "moved to 7002")
    assert service.ok("POST /v1/recall", {"query": "billing port"})["lessons"] == []


@pytest.mark.parametrize("route", [f"POST {ONE}/reinforce", f"POST {ONE}/retire"])
def test_what_is_not_active_can_be_neither_reinforced_nor_retired(
    service: Service, learnt: Row, route: str
) -> None:
    service.ok(f"POST {ONE}/retire", {"reason": "old"}, **of(learnt))
    body = {"reason": "again"} if route.endswith("retire") else None
    problem = service.problem(route, body, **of(learnt))
    assert (problem["status"], problem["code"]) == (409, "conflicting_state")


def test_history_tells_the_chain_and_the_changes(service: Service, learnt: Row) -> None:
    newer = learn(service, "billing API port is 7002")
    told = service.ok(f"GET {ONE}/history", **of(newer), role="reader")
    assert [one["status"] for one in told["chain"]] == ["superseded", "active"]
    assert [one["id"] for one in told["chain"]] == [learnt["lesson_id"], newer["lesson_id"]]
    assert [one["action"] for one in told["audit"]] == ["active"]
    assert told["audit"][0]["decision_id"] == newer["decision_id"]


def test_lessons_are_listed_newest_first_in_pages(service: Service) -> None:
    contents = ["apples are red", "bananas are yellow", "carrots grow underground"]
    for content in contents:
        learn(service, content)
    seen, cursor = [], None
    while True:
        query = {"limit": "2"} | ({"cursor": cursor} if cursor else {})
        page = service.ok("GET /v1/lessons", query=query, role="reader")
        seen += [one["content"] for one in page["lessons"]]
        cursor = page["next"]
        if cursor is None:
            break
    assert seen == contents[::-1]


@pytest.mark.parametrize(
    ("query", "number"),
    [
        ({}, 2),
        ({"tag": "caf\u00e9"}, 1),
        ({"tag": " cafe\u0301 "}, 1),
        ({"tag": "tea"}, 0),
        ({"agent": "bob"}, 1),
        ({"agent": "eve"}, 0),
        ({"status": "active"}, 2),
        ({"status": "retired"}, 0),
        ({"agent": "bob", "tag": "caf\u00e9"}, 0),
        ({"limit": "200"}, 2),
    ],
)
def test_a_list_can_be_narrowed(service: Service, query: dict[str, str], number: int) -> None:
    service.ok("POST /v1/learn", {"content": "apples are red", "tags": ["caf\u00e9"]})
    learn(service, "bananas are yellow", agent="bob")
    assert len(service.ok("GET /v1/lessons", query=query)["lessons"]) == number


def test_a_dispute_can_be_accepted(service: Service, learnt: Row, dispute: Row) -> None:
    settled = resolve(service, dispute, {"resolution": "accept", "reason": "checked"})
    assert (settled["resolution"], settled["resolved_by"], settled["reason"]) == (
        "accept",
        "ada",
        "checked",
    )
    assert statuses(service, learnt) == ["superseded", "active"]
    (found,) = service.ok("POST /v1/recall", {"query": "billing port"})["lessons"]
    assert found["id"] == dispute["lesson_id"]


@pytest.mark.parametrize(
    ("resolution", "recalled"),
    [("reject", ["billing API port is 7001"]),
     ("keep_both", ["billing API port is 7001", "billing API port is 7002"])],
)  # fmt: skip
def test_a_dispute_can_end_otherwise(
    service: Service, dispute: Row, resolution: str, recalled: list[str]
) -> None:
    resolve(service, dispute, {"resolution": resolution})
    found = service.ok("POST /v1/recall", {"query": "billing port"})["lessons"]
    assert sorted(one["content"] for one in found) == recalled
    assert service.ok("GET /v1/disputes")["disputes"] == []


def test_a_dispute_is_settled_once(service: Service, dispute: Row) -> None:
    resolve(service, dispute, {"resolution": "reject"})
    path = {"dispute_id": dispute["id"]}
    again = service.problem(
        "POST /v1/disputes/{dispute_id}/resolve", {"resolution": "accept"}, path=path
    )
    assert again["status"] == 409


def resolve(service: Service, dispute: Row, body: Row) -> Row:
    path = {"dispute_id": dispute["id"]}
    return service.ok("POST /v1/disputes/{dispute_id}/resolve", body, path=path)


def statuses(service: Service, lesson: Row) -> list[str]:
    told = service.ok(f"GET {ONE}/history", **of(lesson))
    return [one["status"] for one in told["chain"]]


def test_the_audit_tells_every_change_newest_first(service: Service, learnt: Row) -> None:
    service.ok(f"POST {ONE}/reinforce", **of(learnt))
    service.ok(f"POST {ONE}/retire", {"reason": "old"}, **of(learnt))
    learn(service, "bananas are yellow")
    actions = [one["action"] for one in service.ok("GET /v1/audit")["entries"]]
    assert actions == ["active", "retired", "reinforced", "active"]
    first = service.ok("GET /v1/audit", query={"limit": "3"})
    rest = service.ok("GET /v1/audit", query={"limit": "3", "cursor": first["next"]})
    assert [one["action"] for one in rest["entries"]] == ["active"]
    assert rest["next"] is None
    narrowed = service.ok("GET /v1/audit", query={"lesson_id": learnt["lesson_id"]})
    assert len(narrowed["entries"]) == 3


def test_a_key_is_shown_once_and_works_until_it_is_revoked(service: Service) -> None:
    added = service("POST /v1/agents", {"name": "bob", "role": "reader"})
    assert added.status == 201
    assert (added.body["name"], added.body["role"]) == ("bob", "reader")
    assert added.body["key"].startswith("trib_")
    (listed,) = service.ok("GET /v1/agents")["agents"]
    assert (listed["name"], listed["role"], listed["revoked_at"]) == ("bob", "reader", None)
    assert added.body["key"] not in service("GET /v1/agents").text
    revoked = service.ok("DELETE /v1/agents/{name}", path={"name": "bob"})
    assert revoked == {"name": "bob", "revoked": True}
    assert service.ok("GET /v1/agents")["agents"][0]["revoked_at"] is not None


def test_a_name_in_use_is_taken_and_a_revoked_one_comes_back_with_a_new_key(
    service: Service,
) -> None:
    first = service.ok("POST /v1/agents", {"name": "bob"})["key"]
    taken = service.problem("POST /v1/agents", {"name": "bob"})
    assert (taken["status"], taken["code"]) == (409, "conflicting_state")
    service.ok("DELETE /v1/agents/{name}", path={"name": "bob"})
    second = service.ok("POST /v1/agents", {"name": "bob", "role": "reader"})["key"]
    agents = wiring().agents
    assert agents.identify(first) is None
    assert agents.identify(second) == Actor(service.tribe, "bob", Role.READER)


def test_a_curator_cannot_revoke_itself(service: Service) -> None:
    service.ok("POST /v1/agents", {"name": "ada", "role": "curator"})
    problem = service.problem("DELETE /v1/agents/{name}", path={"name": "ada"})
    assert (problem["status"], problem["field"]) == (400, "name")


def test_counts_are_those_of_the_callers_tribe(service: Service, learnt: Row) -> None:
    told = service.ok("GET /v1/stats", role="reader")
    assert told["tribe"] == service.tribe
    assert (told["counts"]["active"], told["counts"]["decisions"]) == (1, 1)
    other = Service(service.tribe + "-2")
    assert "active" not in other.stored()
