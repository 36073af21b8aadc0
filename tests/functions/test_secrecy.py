"""No answer to an error and no log ever holds the text of a lesson, a query or a key."""

from collections.abc import Callable
from typing import Any

import pytest

from tests.functions.conftest import restart
from tests.functions.service import LOGS, Service, function
from tests.functions.test_workflow import attempt, step
from tests.support.fakes import FixedClassifier
from tributary.adapters.classify import heuristic
from tributary.domain.errors import ClassifierFailedError, EmbeddingFailedError
from tributary.edge import runtime
from tributary.edge.guarded import GuardedEmbedder
from tributary.edge.observability import UnexpectedError, places, unquoted
from tributary.usecases.learn.commit import Commit
from tributary.usecases.recall import Recall

SECRET = "xyzzy"
TEXT = f"the vault {SECRET} is behind the painting"
Output = Callable[[], str]


def boom(*args: Any, **named: Any) -> Any:
    """As psycopg's errors do: quotes what it was given."""
    raise RuntimeError(f"Failing row contains ({TEXT}).")


@pytest.mark.parametrize(
    ("route", "body"),
    [
        ("POST /v1/learn", {"content": TEXT + "\0"}),
        ("POST /v1/learn", {"content": TEXT + "\ud800"}),
        ("POST /v1/learn", {"content": TEXT * 999}),
        ("POST /v1/learn", {"content": [TEXT]}),
        ("POST /v1/learn", {"content": "x", "situation": TEXT + "\0"}),
        ("POST /v1/learn", {"content": "x", "tags": TEXT}),
        ("POST /v1/learn", {"content": "x", "tags": [TEXT * 9]}),
        ("POST /v1/learn", {"content": "x", "valid_from": TEXT}),
        ("POST /v1/learn", {"content": TEXT, "tribe": "acme"}),
        ("POST /v1/recall", {"query": TEXT, "k": 0}),
        ("POST /v1/recall", {"query": TEXT, "k": TEXT}),
        ("POST /v1/recall", {"query": TEXT, "as_of": TEXT}),
        ("POST /v1/recall", {"query": TEXT + "\0"}),
        ("POST /v1/recall", {"query": TEXT, "min_similarity": TEXT}),
        ("POST /v1/agents", {"name": TEXT}),
        ("POST /v1/agents", {"name": "bob", "role": TEXT}),
    ],
    ids=lambda value: ascii(value)[:50],
)
def test_a_refusal_names_the_field_and_quotes_nothing(
    service: Service, output: Output, route: str, body: Any
) -> None:
    assert SECRET not in service(route, body).text
    assert SECRET not in output()


@pytest.mark.parametrize("raw", [TEXT, f'{{"content": "{TEXT}', f'["{TEXT}"]', f'"{TEXT}"'])
def test_a_body_that_is_none_is_not_quoted(service: Service, output: Output, raw: str) -> None:
    assert SECRET not in service("POST /v1/learn", raw=raw).text
    assert SECRET not in service("POST /v1/learn", raw=raw, encoded=True).text
    assert SECRET not in output()


def test_an_unexpected_error_is_answered_and_logged_without_its_message(
    service: Service, logs: LOGS, monkeypatch: pytest.MonkeyPatch
) -> None:
    logs()
    monkeypatch.setattr(Recall, "__call__", boom)
    answer = service("POST /v1/recall", {"query": TEXT})
    assert (answer.status, answer.body["code"]) == (500, "internal")
    assert answer.body["detail"] == "The request was not carried out."
    assert SECRET not in answer.text
    written = logs()
    assert SECRET not in str(written)
    error = next(line for line in written if line.get("level") == "ERROR")
    assert (error["error"], error["route"]) == ("RuntimeError", "POST /v1/recall")
    assert error["stack"][0].startswith("serve:")
    assert error["stack"][-1].startswith("boom:")
    assert {"Status5xx"} <= set(written[-1])


def test_an_answer_that_cannot_be_written_is_a_problem_too(
    service: Service, monkeypatch: pytest.MonkeyPatch, output: Output
) -> None:
    from tributary.edge.http.responses import StatsResponse

    monkeypatch.setattr(StatsResponse, "model_dump_json", boom)
    assert service("GET /v1/stats").status == 500
    assert SECRET not in output()


@pytest.mark.parametrize("name", ["prepare", "commit"])
def test_a_state_that_breaks_says_only_the_type_of_its_error(
    service: Service, name: str, output: Output, monkeypatch: pytest.MonkeyPatch
) -> None:
    payload = attempt(service, TEXT)
    if name == "commit":
        payload = step("classify", step("prepare", payload))
        monkeypatch.setattr(Commit, "__call__", boom)
    else:
        monkeypatch.setattr(type(runtime.wiring().store), "neighbourhood", boom)
    with pytest.raises(UnexpectedError) as caught:
        function(name)(payload, None)
    assert_silent(caught.value, output)
    assert str(caught.value) == "RuntimeError"


@pytest.mark.parametrize("name", ["prepare", "classify", "commit"])
def test_a_state_that_is_given_rubbish_does_not_quote_it(
    service: Service, name: str, output: Output
) -> None:
    payload = attempt(service, "x")
    payload["attempt"]["draft"] = TEXT
    with pytest.raises(UnexpectedError) as caught:
        function(name)(payload, None)
    assert_silent(caught.value, output)


def test_a_classifier_that_quotes_parks_without_quoting(
    service: Service, output: Output, monkeypatch: pytest.MonkeyPatch
) -> None:
    service.ok("POST /v1/learn", {"content": TEXT + " today"})
    failing = FixedClassifier(RuntimeError(TEXT))
    monkeypatch.setattr(heuristic, "HeuristicClassifier", lambda: failing)
    restart()
    learned = service.ok("POST /v1/learn", {"content": TEXT + " tomorrow"})
    assert (learned["outcome"], learned["flag"]) == ("pending", "the classifier failed")
    assert SECRET not in output()


@pytest.mark.parametrize("error", [RuntimeError(TEXT), EmbeddingFailedError("it raised KeyError")])
def test_an_embedder_that_fails_is_answered_without_quoting(
    service: Service, output: Output, monkeypatch: pytest.MonkeyPatch, error: Exception
) -> None:
    class Failing:
        model = "failing"

        def embed(self, text: str) -> None:
            raise error

    monkeypatch.setattr(runtime.wiring(), "make_embedder", Failing)
    for route, body in (
        ("POST /v1/learn", {"content": TEXT}),
        ("POST /v1/recall", {"query": TEXT}),
    ):
        answer = service(route, body)
        assert (answer.status, answer.body["code"]) == (503, "embedding_failed")
        assert answer.headers["retry-after"] == "5"
        assert SECRET not in answer.text
    assert SECRET not in output()
    assert "active" not in service.stored()


def test_what_is_learnt_and_recalled_is_not_logged(service: Service, output: Output) -> None:
    output()
    learned = service.ok("POST /v1/learn", {"content": TEXT, "tags": [SECRET]})
    service.ok("POST /v1/recall", {"query": TEXT})
    path = {"lesson_id": learned["lesson_id"]}
    service.ok("POST /v1/lessons/{lesson_id}/retire", {"reason": TEXT}, path=path)
    service.ok("GET /v1/lessons", query={"tag": SECRET})
    service.problem("GET /v1/lessons", query={"cursor": SECRET})
    written = output()
    assert "Status2xx" in written
    assert SECRET not in written


def assert_silent(error: BaseException, output: Output) -> None:
    """What Lambda's runtime would log of it, and what we log ourselves, quotes nothing."""
    assert error.__suppress_context__
    assert SECRET not in str(error)
    written = output()
    assert '"message":"unexpected error"' in written
    assert SECRET not in written


def test_errors_that_are_raised_on_purpose_keep_their_names() -> None:
    busy = ClassifierFailedError("busy")
    with pytest.raises(ClassifierFailedError) as caught, unquoted():
        raise busy
    assert caught.value is busy


def test_places_are_listed_from_the_outside_in() -> None:
    try:
        boom()
    except RuntimeError as error:
        found = places(error)
    assert [place.split(":")[0] for place in found] == [
        "test_places_are_listed_from_the_outside_in",
        "boom",
    ]


def test_the_guard_says_only_the_type_of_an_embedders_error() -> None:
    class Failing:
        model = "failing"
        embed = boom

    with pytest.raises(EmbeddingFailedError) as caught:
        GuardedEmbedder(Failing()).embed(TEXT)  # type: ignore[arg-type]
    assert SECRET not in str(caught.value)
