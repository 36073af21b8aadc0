"""The doctor over HTTPS, with the real functions behind the address."""

import json
from typing import Any
from uuid import UUID, uuid4

import httpx
import pytest

from tests.functions.service import FOLDER, Service, function
from tests.support.events import authorization, call
from tributary.doctor.api import ApiDoor
from tributary.doctor.door import Load
from tributary.doctor.examine import Part, examine
from tributary.doctor.report import Held
from tributary.doctor.rooms import callers, rooms
from tributary.domain.errors import (
    ConfigurationError,
    IdempotencyKeyReusedError,
    NotFoundError,
    SerializationConflictError,
    TransientError,
    TributaryError,
)
from tributary.domain.lesson import Status
from tributary.domain.plan import Outcome
from tributary.edge.runtime import wiring
from tributary.ports import LessonFilter

URL = "https://api.test"


class Gateway(httpx.BaseTransport):
    """API Gateway: asks the authorizer, then the function of the route."""

    def handle_request(self, request: httpx.Request) -> httpx.Response:
        known = function("authorizer")(authorization(request.headers["authorization"]), None)
        if not known["isAuthorized"]:
            return httpx.Response(403, json={"message": "Forbidden"})
        route, path = matched(request.method, request.url.path)
        if route is None:
            return httpx.Response(404, json={"message": "Not Found"})
        event = call(
            route, path=path, query=dict(request.url.params), headers=dict(request.headers),
            raw=request.content.decode() or None, authorizer=known["context"],
        )  # fmt: skip
        answer = function(FOLDER[route])(json.loads(json.dumps(event)), None)
        return httpx.Response(answer["statusCode"], headers=answer["headers"], text=answer["body"])


def matched(method: str, path: str) -> tuple[str | None, dict[str, str]]:
    """The route of a path, and its parameters."""
    given = path.split("/")
    for route in FOLDER:
        wanted = route.split(" ")[1].split("/")
        pairs = list(zip(wanted, given, strict=False))
        if route.startswith(f"{method} ") and len(wanted) == len(given) and all(
            one.startswith("{") or one == other for one, other in pairs
        ):  # fmt: skip
            return route, {one.strip("{}"): other for one, other in pairs if one[:1] == "{"}
    return None, {}


@pytest.fixture
def door(service: Service) -> ApiDoor:
    """The API, with a curator's key of this test's tribe."""
    key = wiring().agents.found(service.tribe, "ada").key
    return ApiDoor(URL, key, Gateway())


def quietly(what: str, done: int, of: int) -> None:
    """A progress bar that nobody sees."""


def test_a_healthy_api_is_found_so_and_nothing_of_the_examination_stays(
    door: ApiDoor, service: Service
) -> None:
    parts = frozenset({Part.CONTENTION, Part.ISOLATION, Part.PLANS})
    report = examine(door, parts, Load(3, 2), quietly)
    assert [one.details for one in report.checks if one.held is Held.FAILED] == []
    assert report.healthy
    assert [one.held for one in report.checks] == [
        Held.OK, Held.NOT_CHECKABLE, Held.NOT_CHECKABLE, Held.OK, Held.OK,
    ]  # fmt: skip
    same = report.checks[3].figures
    assert (same["learns"], same["lost_acknowledgements"]) == (6, 0)
    assert wiring().scratch.store.expired() == ()
    assert service.stored().get("active") is None


def test_another_model_than_the_shipped_one_is_found(door: ApiDoor) -> None:
    """The functions of these tests embed words."""
    (found,) = examine(door, frozenset({Part.MODEL}), Load(), quietly).checks
    assert found.held is Held.FAILED
    assert any("similarity" in one for one in found.details)


def test_what_a_caller_reads_is_what_the_database_holds(door: ApiDoor) -> None:
    with rooms(door, 1) as (room,), callers(room) as (caller,):
        first = caller.learn("billing API port is 7001", "one")
        second = caller.learn("billing API port is 7002", "two")
        assert (second.outcome, second.target_id) == (Outcome.SUPERSEDED, first.lesson_id)
        assert caller.learn("billing API port is 7002", "two") == second
        ledger = wiring().ledger
        assert tuple(caller.lessons()) == ledger.lessons(room.tribe, LessonFilter())
        assert tuple(caller.audit()) == ledger.audit(room.tribe, None, None, 10)
        assert caller.decision(second.decision_id) == ledger.decision(
            room.tribe, second.decision_id
        )
        assert caller.history(first.lesson_id) == ledger.chain(room.tribe, first.lesson_id)
        assert [one.id for one in caller.recall("billing port", 5)] == [second.lesson_id]
        caller.retire(second.lesson_id)
        assert caller.lesson(second.lesson_id).status is Status.RETIRED
        with pytest.raises(NotFoundError):
            caller.lesson(uuid4())
        with pytest.raises(IdempotencyKeyReusedError):
            caller.learn("something else", "two")


def test_lists_are_read_to_their_end(door: ApiDoor, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("tributary.doctor.api.PAGE", 2)
    with rooms(door, 1) as (room,), callers(room) as (caller,):
        for number in range(5):
            caller.learn(f"{'abcde'[number]} eats {number}", str(number))
        assert len({one.id for one in caller.lessons()}) == 5
        assert len({one.id for one in caller.audit()}) == 5


def test_a_key_that_is_wrong_or_no_curator_s_is_told_so(door: ApiDoor, service: Service) -> None:
    writer = service.ok("POST /v1/agents", {"name": "bob"})["key"]
    for key, said in (("trib_wrong", "Forbidden"), (writer, "the role curator")):
        with pytest.raises(ConfigurationError, match=f"{said}.*curator's key"):
            ApiDoor(URL, key, Gateway()).open()


class Answers(httpx.BaseTransport):
    """Always the same."""

    def __init__(self, answer: httpx.Response | Exception) -> None:
        self._answer = answer

    def handle_request(self, request: httpx.Request) -> httpx.Response:
        if isinstance(self._answer, Exception):
            raise self._answer
        return self._answer


def problem(status: int, code: str) -> httpx.Response:
    return httpx.Response(status, json={"code": code, "detail": "because"})


@pytest.mark.parametrize(
    ("answer", "error", "said"),
    [
        (httpx.ConnectError("refused"), ConfigurationError, "check --url"),
        (httpx.ReadTimeout("late"), TransientError, "no answer to POST /v1/scratch"),
        (httpx.Response(404, text="<html>"), ConfigurationError, "is --url the address"),
        (httpx.Response(200, text="<html>"), ConfigurationError, "is --url the address"),
        (httpx.Response(401, json={"message": "Unauthorized"}), ConfigurationError, "Unauthorized"),
        (problem(409, "conflicting_state"), ConfigurationError, "because"),
        (problem(503, "contention"), SerializationConflictError, "gave up"),
        (problem(503, "timed_out"), TransientError, "because"),
        (problem(500, "internal"), TributaryError, "was answered 500"),
    ],
)
def test_an_answer_that_is_no_success_says_what_to_do(
    answer: Any, error: type[Exception], said: str
) -> None:
    with pytest.raises(error, match=said):
        ApiDoor(URL, "trib_x", Answers(answer)).open()


def test_an_id_of_another_tribe_is_not_found(door: ApiDoor, learnt: dict[str, str]) -> None:
    with rooms(door, 1) as (room,), callers(room) as (caller,):
        for ask in (caller.lesson, caller.history, caller.retire):
            with pytest.raises(NotFoundError):
                ask(UUID(learnt["lesson_id"]))
