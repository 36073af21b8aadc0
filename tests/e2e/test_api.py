"""Over HTTPS routes, Lambdas, Step Functions and PostgreSQL, with real embeddings."""

import pytest

from tests.e2e.conftest import until

PORT = "The billing API listens on port 7001."


def test_one_agent_learns_and_another_recalls(tribe):
    learned = tribe.agent("ada").post("/v1/learn", json={"content": PORT, "tags": ["billing"]})
    assert (learned.status_code, learned.json()["outcome"]) == (200, "inserted")
    recalled = tribe.agent("bob", "reader").post("/v1/recall", json={"query": "port of billing?"})
    (lesson,) = recalled.json()["lessons"]
    assert lesson["id"] == learned.json()["lesson_id"]
    assert (lesson["content"], lesson["agent"], lesson["tags"]) == (PORT, "ada", ["billing"])
    assert recalled.json()["exact"] is True


def test_a_contradiction_of_ones_own_supersedes_and_the_history_explains_it(tribe):
    ada = tribe.agent("ada")
    old = ada.post("/v1/learn", json={"content": PORT}).json()
    new = ada.post("/v1/learn", json={"content": PORT.replace("7001", "7002")}).json()
    assert (new["outcome"], new["target_id"]) == ("superseded", old["lesson_id"])
    chain = ada.get(f"/v1/lessons/{old['lesson_id']}/history").json()["chain"]
    assert [one["status"] for one in chain] == ["superseded", "active"]


def test_a_contradiction_of_another_agent_waits_for_the_curator(tribe):
    tribe.agent("ada").post("/v1/learn", json={"content": PORT})
    disputed = tribe.agent("bob").post("/v1/learn", json={"content": PORT.replace("7001", "7002")})
    assert disputed.json()["outcome"] == "disputed"
    (dispute,) = tribe.curator.get("/v1/disputes").json()["disputes"]
    resolved = tribe.curator.post(
        f"/v1/disputes/{dispute['id']}/resolve", json={"resolution": "accept"}
    )
    assert resolved.json()["resolution"] == "accept"
    (lesson,) = tribe.curator.post("/v1/recall", json={"query": "port"}).json()["lessons"]
    assert lesson["content"].endswith("7002.")


def test_no_key_is_401_and_a_wrong_or_revoked_one_is_403(tribe):
    bare = tribe.client("")
    assert bare.post("/v1/recall", json={"query": "x"}).status_code == 401
    wrong = tribe.client("trib_wrong")
    assert wrong.post("/v1/recall", json={"query": "x"}).status_code == 403
    ada = tribe.agent("ada")
    assert ada.post("/v1/recall", json={"query": "x"}).status_code == 200
    assert tribe.curator.delete("/v1/agents/ada").status_code == 200
    assert ada.post("/v1/recall", json={"query": "x"}).status_code == 403


def test_a_reader_may_not_learn(tribe):
    refused = tribe.agent("bob", "reader").post("/v1/learn", json={"content": PORT})
    assert (refused.status_code, refused.json()["code"]) == (403, "forbidden")
    assert refused.headers["content-type"] == "application/problem+json"


@pytest.mark.parametrize(
    ("body", "field"),
    [
        (b'{"content": "\\ud800"}', "content"),
        (b'{"content": "a\\u0000b"}', "content"),
        (b'{"content": "x", "tribe": "other"}', "tribe"),
        (b'{"content": ""}', "content"),
        (b'{"content": "x", "valid_from": "2026-07-10"}', "valid_from"),
        (b"[]", "body"),
        (b"{", "body"),
        (b"", "body"),
        (b"\xff\xfe", "body"),
        (b'{"content": "' + b"x" * 200_000 + b'"}', "content"),
    ],
)
def test_bad_input_names_its_field_and_stores_nothing(tribe, body, field):
    refused = tribe.curator.post("/v1/learn", content=body)
    assert (refused.status_code, refused.json()["field"]) == (400, field), refused.text
    assert tribe.curator.get("/v1/lessons").json()["lessons"] == []


def test_learning_without_waiting_answers_where_to_look(tribe):
    ada = tribe.agent("ada")
    accepted = ada.post("/v1/learn", json={"content": PORT}, headers={"prefer": "respond-async"})
    assert accepted.status_code == 202
    decision = until(lambda: ada.get(accepted.headers["location"]), 200)
    assert decision.json()["outcome"] == "inserted"


def test_one_key_is_one_lesson_however_it_is_sent(tribe):
    ada = tribe.agent("ada")
    headers = {"idempotency-key": "deploy-17"}
    first = ada.post("/v1/learn", json={"content": PORT}, headers=headers)
    again = ada.post("/v1/learn", json={"content": PORT}, headers=headers)
    later = ada.post(
        "/v1/learn", json={"content": PORT}, headers={**headers, "prefer": "respond-async"}
    )
    assert again.json() == first.json()
    assert later.json()["decision_id"] == first.json()["decision_id"]
    reused = ada.post("/v1/learn", json={"content": "Something else."}, headers=headers)
    assert (reused.status_code, reused.json()["code"]) == (422, "idempotency_key_reused")
    assert len(ada.get("/v1/lessons").json()["lessons"]) == 1


def test_tribes_whose_names_look_alike_see_only_their_own(found):
    names = ["acme", "acme-corp", "acme_corp", "a%", "acme.eu"]
    tribes = [found(name) for name in names]
    for one in tribes:
        answer = one.curator.post("/v1/learn", json={"content": f"The secret of {one.name} is 7."})
        assert answer.json()["outcome"] == "inserted"
    for one in tribes:
        (lesson,) = one.curator.post("/v1/recall", json={"query": "secret"}).json()["lessons"]
        assert lesson["content"] == f"The secret of {one.name} is 7."
