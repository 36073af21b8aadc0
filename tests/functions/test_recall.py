"""POST /v1/recall."""

from typing import Any

import pytest

from tests.functions.service import Service
from tests.support.events import in_base64

RECALL = "POST /v1/recall"


def learn(service: Service, content: str, **parts: Any) -> dict[str, Any]:
    return service.ok("POST /v1/learn", {"content": content, **parts})


def test_a_learnt_lesson_is_recalled_with_its_provenance(service: Service) -> None:
    learned = learn(service, "billing API port is 7001", situation="config", tags=["ops"])
    answer = service.ok(RECALL, {"query": "which port has billing?"}, role="reader", agent="bob")
    (lesson,) = answer["lessons"]
    assert lesson["id"] == lesson["lineage"] == learned["lesson_id"]
    assert (lesson["content"], lesson["situation"], lesson["tags"]) == (
        "billing API port is 7001",
        "config",
        ["ops"],
    )
    assert (lesson["agent"], lesson["status"], lesson["confidence"]) == ("ada", "active", 1.0)
    assert lesson["age_seconds"] >= 0
    assert 0 < lesson["score"] < 1
    assert -1 <= lesson["similarity"] <= 1
    assert (answer["exact"], answer["truncated"]) == (True, False)
    assert service.stored()["recalls"] == 1


def test_nothing_learnt_is_nothing_recalled(service: Service) -> None:
    assert service.ok(RECALL, {"query": "anything"})["lessons"] == []


def test_tags_and_similarity_narrow_the_answer(service: Service) -> None:
    learn(service, "billing API port is 7001", tags=["ops", "caf\u00e9"])
    learn(service, "bananas are yellow")
    narrowed = service.ok(RECALL, {"query": "port or bananas", "tags": ["cafe\u0301"]})
    assert [one["content"] for one in narrowed["lessons"]] == ["billing API port is 7001"]
    near = service.ok(RECALL, {"query": "bananas are yellow", "min_similarity": 0.9})
    assert [one["content"] for one in near["lessons"]] == ["bananas are yellow"]


def test_other_tribes_are_out_of_reach(service: Service) -> None:
    tribes = [service.tribe + end for end in ("", "-corp", "_corp", "%", ".eu")]
    for tribe in tribes:
        other = Service(tribe)
        other.found()
        service.ok("POST /v1/learn", {"content": f"the secret of {tribe}"}, tribe=tribe)
    for tribe in tribes:
        found = service.ok(RECALL, {"query": "secret", "k": 200}, tribe=tribe)["lessons"]
        assert [one["content"] for one in found] == [f"the secret of {tribe}"]


def test_as_of_honours_offsets_and_never_shows_what_was_learnt_later(service: Service) -> None:
    learned = learn(service, "billing API port is 7001")
    row = service.ok("GET /v1/lessons/{lesson_id}", path={"lesson_id": learned["lesson_id"]})
    before = {"query": "port", "as_of": "2026-07-10T15:42+05:30"}
    assert service.ok(RECALL, before)["lessons"] == []
    at = {"query": "port", "as_of": row["activated_at"]}
    assert [one["id"] for one in service.ok(RECALL, at)["lessons"]] == [learned["lesson_id"]]


@pytest.mark.parametrize(
    ("k", "truncated"), [(1, False), (200, False), (201, True), (500, True), (10**30, True)]
)
def test_a_large_k_is_cut_and_said_so(service: Service, k: int, truncated: bool) -> None:
    learn(service, "billing API port is 7001")
    answer = service.ok(RECALL, {"query": "port", "k": k})
    assert answer["truncated"] is truncated
    assert len(answer["lessons"]) == 1


@pytest.mark.parametrize("k", [0, -1, 1.5, 5.0, "10", None, True, [5], float("nan"), 1e400])
def test_a_k_that_is_no_whole_number_of_at_least_one_is_refused(service: Service, k: Any) -> None:
    problem = service.problem(RECALL, {"query": "port", "k": k})
    assert (problem["code"], problem["field"]) == ("invalid_input", "k")


@pytest.mark.parametrize(
    ("field", "body"),
    [
        ("query", {}),
        ("query", {"query": ""}),
        ("query", {"query": " \n"}),
        ("query", {"query": "\u200b"}),
        ("query", {"query": None}),
        ("query", {"query": 7}),
        ("query", {"query": "x" * 8_001}),
        ("query", {"query": "a\0"}),
        ("tags", {"query": "x", "tags": [""]}),
        ("tags", {"query": "x", "tags": None}),
        ("tags", {"query": "x", "tags": "ops"}),
        ("tags.1", {"query": "x", "tags": ["a", 7]}),
        ("tags", {"query": "x", "tags": [str(number) for number in range(21)]}),
        ("as_of", {"query": "x", "as_of": "2026-07-10T15:42"}),
        ("as_of", {"query": "x", "as_of": "2026-07-10"}),
        ("as_of", {"query": "x", "as_of": ""}),
        ("as_of", {"query": "x", "as_of": 1783698120}),
        ("as_of", {"query": "x", "as_of": "9999-12-31T23:59-01:00"}),
        ("true_at", {"query": "x", "true_at": "2026-07-10T15:42"}),
        ("true_at", {"query": "x", "true_at": "now"}),
        ("min_similarity", {"query": "x", "min_similarity": 1.01}),
        ("min_similarity", {"query": "x", "min_similarity": "0.5"}),
        ("min_similarity", {"query": "x", "min_similarity": True}),
        ("min_similarity", {"query": "x", "min_similarity": float("nan")}),
        ("min_similarity", {"query": "x", "min_similarity": 10**400}),
        ("tribe", {"query": "x", "tribe": "acme"}),
        ("role", {"query": "x", "role": "curator"}),
        ("agent", {"query": "x", "agent": "ada"}),
        ("limit", {"query": "x", "limit": 5}),
    ],
    ids=lambda value: repr(value)[:50] if isinstance(value, dict) else value,
)
def test_bad_input_is_refused_by_name(service: Service, field: str, body: dict[str, Any]) -> None:
    problem = service.problem(RECALL, body)
    assert (problem["code"], problem["field"]) == ("invalid_input", field)
    assert service.stored()["recalls"] == 0


@pytest.mark.parametrize(
    ("k", "status"), [("1e2", 400), ("9" * 5_000, 400), ("9" * 4_000, 200), ("-0", 400)]
)
def test_numbers_as_they_stand_in_json(service: Service, k: str, status: int) -> None:
    raw = f'{{"query": "port", "k": {k}}}'
    assert service(RECALL, raw=raw).status == status


def test_a_body_in_base64_is_the_same_body(service: Service) -> None:
    learn(service, "caf\u00e9 opens at 8")
    raw = in_base64('{"query": "caf\u00e9"}')
    assert len(service.ok(RECALL, raw=raw, encoded=True)["lessons"]) == 1


def test_texts_made_of_operators_and_quotes_are_only_text(service: Service) -> None:
    learn(service, "billing API port is 7001")
    for query in ("' OR 1=1 --", "port & !x | (", "\\'", "%s %(tribe)s {}", ":*", "<->", "port"):
        service.ok(RECALL, {"query": query})
