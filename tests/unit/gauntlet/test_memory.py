"""The client: what it sends, how long it insists, and what it makes of bad answers."""

import json
from collections.abc import Callable

import httpx
import pytest

from scripts.gauntlet.memory import (
    ATTEMPTS,
    LONGEST_WAIT,
    Memory,
    MemoryRefusedError,
    MemoryUnavailableError,
    RecalledLesson,
)
from tests.unit.gauntlet.fake_tributary import FakeTributary


def answering(*answers: httpx.Response) -> tuple[httpx.MockTransport, list[httpx.Request]]:
    """A transport that gives these answers in turn, and what it was asked."""
    left, asked = list(answers), list[httpx.Request]()

    def answer(request: httpx.Request) -> httpx.Response:
        asked.append(request)
        return left.pop(0)

    return httpx.MockTransport(answer), asked


def client(transport: httpx.BaseTransport, sleep: Callable[[float], None]) -> Memory:
    return Memory("https://memory.example/base/", "trib_key", sleep, transport)


@pytest.fixture
def slept() -> list[float]:
    return []


def test_a_learn_carries_key_and_idempotency_key_to_the_route(slept: list[float]) -> None:
    transport, asked = answering(
        httpx.Response(200, json={"outcome": "inserted", "lesson_id": "L1", "verdict": None})
    )
    with client(transport, slept.append) as memory:
        learnt = memory.learn("content", "situation", "once")
    assert (learnt.outcome, learnt.lesson_id) == ("inserted", "L1")
    assert str(asked[0].url) == "https://memory.example/base/v1/learn"
    assert asked[0].headers["Authorization"] == "Bearer trib_key"
    assert asked[0].headers["Idempotency-Key"] == "once"
    assert json.loads(asked[0].content) == {"content": "content", "situation": "situation"}


@pytest.mark.parametrize("status", [409, 429, 503])
def test_a_busy_answer_is_retried_with_the_same_key_after_the_time_it_names(
    status: int, slept: list[float]
) -> None:
    busy = httpx.Response(status, headers={"Retry-After": "2"}, json={"code": "busy"})
    done = httpx.Response(200, json={"outcome": "reinforced", "lesson_id": "L2"})
    transport, asked = answering(busy, busy, done)
    with client(transport, slept.append) as memory:
        assert memory.learn("content", "situation", "once").outcome == "reinforced"
    assert [request.headers["Idempotency-Key"] for request in asked] == ["once"] * 3
    assert slept == [2.0, 2.0]


def test_patience_has_an_end(slept: list[float]) -> None:
    busy = httpx.Response(503, headers={"Retry-After": "86400"}, json={})
    transport, asked = answering(*[busy] * ATTEMPTS)
    with client(transport, slept.append) as memory, pytest.raises(MemoryUnavailableError):
        memory.recall("anything")
    assert len(asked) == ATTEMPTS
    assert slept == [LONGEST_WAIT] * (ATTEMPTS - 1)


@pytest.mark.parametrize("header", ["Tue, 11 Nov 2025 02:41:07 GMT", "-5", "soon", "\xb2"])
def test_a_retry_after_that_is_no_number_means_one_second(header: str, slept: list[float]) -> None:
    busy = httpx.Response(429, headers=[(b"Retry-After", header.encode("latin-1"))])
    transport, _ = answering(busy, httpx.Response(200, json={"lessons": []}))
    with client(transport, slept.append) as memory:
        memory.recall("anything")
    assert slept == [1.0]


def test_a_conflict_without_retry_after_is_a_refusal(slept: list[float]) -> None:
    refusal = {"code": "conflicting_state", "detail": "lesson L1 is retired"}
    transport, asked = answering(httpx.Response(409, json=refusal))
    with (
        client(transport, slept.append) as memory,
        pytest.raises(MemoryRefusedError, match="409 conflicting_state: lesson L1 is retired"),
    ):
        memory.reinforce("L1", "once")
    assert len(asked) == 1


@pytest.mark.parametrize(("status", "hopeless"), [(401, True), (403, True), (400, False)])
def test_only_a_refused_key_is_hopeless(status: int, hopeless: bool, slept: list[float]) -> None:
    transport, _ = answering(httpx.Response(status, text="no JSON"))
    with client(transport, slept.append) as memory, pytest.raises(MemoryRefusedError) as caught:
        memory.recall("anything")
    assert caught.value.hopeless is hopeless


def test_a_broken_connection_is_retried(slept: list[float]) -> None:
    def broken(request: httpx.Request) -> httpx.Response:
        raise httpx.ConnectError("refused", request=request)

    with (
        client(httpx.MockTransport(broken), slept.append) as memory,
        pytest.raises(MemoryUnavailableError, match="ConnectError refused"),
    ):
        memory.recall("anything")
    assert len(slept) == ATTEMPTS - 1


@pytest.mark.parametrize("body", ["<html>", "[]", "null", '"lessons"'])
def test_an_answer_that_is_no_json_object_is_no_answer(body: str, slept: list[float]) -> None:
    transport, _ = answering(httpx.Response(200, text=body))
    with client(transport, slept.append) as memory, pytest.raises(MemoryUnavailableError):
        memory.recall("anything")


def test_rows_that_are_no_lessons_are_left_out(slept: list[float]) -> None:
    rows = [None, 7, {"id": 1, "content": "x"}, {"id": "L1"}, {"id": "L2", "content": "text"}]
    transport, _ = answering(httpx.Response(200, json={"lessons": rows}))
    with client(transport, slept.append) as memory:
        lessons = memory.recall("anything")
    assert lessons == (RecalledLesson("L2", "text", "no situation given", "unknown"),)


@pytest.mark.parametrize("body", [{}, {"lessons": None}, {"lessons": {"id": "L1"}}])
def test_an_answer_without_lessons_recalls_nothing(
    body: dict[str, object], slept: list[float]
) -> None:
    transport, _ = answering(httpx.Response(200, json=body))
    with client(transport, slept.append) as memory:
        assert memory.recall("anything") == ()


def test_a_lesson_id_cannot_lead_to_another_route(slept: list[float]) -> None:
    transport, asked = answering(httpx.Response(200, json={}))
    with client(transport, slept.append) as memory:
        memory.reinforce("../agents?x=#", "once")
    assert asked[0].url.raw_path == b"/base/v1/lessons/..%2Fagents%3Fx%3D%23/reinforce"


def test_the_three_calls_work_over_a_real_connection(tributary: FakeTributary) -> None:
    with Memory(tributary.url, "key-a") as memory:
        learnt = memory.learn("Clear the cache first", "building", "once")
        (lesson,) = memory.recall("what about the cache?", k=1)
        assert memory.reinforce(lesson.id, "twice")
    assert lesson.id == learnt.lesson_id
    assert lesson.agent == "agent-a"
    assert tributary.reinforced == [lesson.id]
    assert [call.body for call in tributary.calls][1] == {"query": "what about the cache?", "k": 1}
