"""Whatever a caller sends, it is never our fault."""

import json
from collections.abc import Iterator
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from tests.functions.service import PROBLEM, Service

FUZZED = settings(
    max_examples=150,
    deadline=None,
    suppress_health_check=[HealthCheck.function_scoped_fixture, HealthCheck.too_slow],
)
anything = st.recursive(
    st.none()
    | st.booleans()
    | st.integers()
    | st.floats()
    | st.text(st.characters(), max_size=20),  # lone surrogates and NUL among them
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=8), inner),
    max_leaves=6,
)
texts = st.text(st.characters(), max_size=60) | st.sampled_from(
    ["port", "'", "\\", ":*", "a & !b", "<->", "\u0000", "\u200b", "\x01", "\uffff", "\U0010ffff"]
)
instants = st.sampled_from(
    ["2026-07-10T15:42Z", "0001-01-01T00:00:00Z", "9999-12-31T23:59:59.999999Z", "2026-07-10", ""]
)
recalls = st.fixed_dictionaries(
    {"query": texts | anything},
    optional={
        "k": st.integers(-2, 300) | anything,
        "tags": st.lists(texts, max_size=3) | anything,
        "as_of": instants | anything,
        "true_at": instants | anything,
        "min_similarity": st.floats(-1.5, 1.5) | anything,
    },
)
learns = st.fixed_dictionaries(
    {"content": texts | anything},
    optional={
        "situation": texts | anything,
        "tags": st.lists(texts, max_size=3) | anything,
        "valid_from": instants | anything,
        "valid_to": instants | anything,
    },
)


@pytest.fixture
def fuzzed(service: Service, capsys: pytest.CaptureFixture[str]) -> Iterator[Service]:
    """A service whose output is thrown away."""
    yield service
    capsys.readouterr()


def check(service: Service, route: str, **parts: Any) -> None:
    answer = service(route, **parts)
    assert answer.status < 500, answer.text
    if answer.status != 200:
        assert answer.headers["content-type"] == PROBLEM
        assert isinstance(answer.body["field"], str)


@FUZZED
@given(recalls | anything)
def test_a_recall_is_answered_or_refused(fuzzed: Service, body: Any) -> None:
    check(fuzzed, "POST /v1/recall", raw=json.dumps(body))


@FUZZED
@given(learns | anything)
def test_a_learn_is_answered_or_refused(fuzzed: Service, body: Any) -> None:
    check(fuzzed, "POST /v1/learn", raw=json.dumps(body))


@FUZZED
@given(st.text(max_size=40) | st.binary(max_size=40), st.booleans())
def test_a_body_of_any_bytes_is_answered_or_refused(
    fuzzed: Service, raw: str | bytes, encoded: bool
) -> None:
    text = raw if isinstance(raw, str) else raw.decode("latin-1")
    check(fuzzed, "POST /v1/learn", raw=text, encoded=encoded)


@FUZZED
@given(
    st.dictionaries(
        st.sampled_from(["limit", "cursor", "status", "tag", "agent", "x"]), texts, max_size=3
    )
)
def test_a_list_is_answered_or_refused(fuzzed: Service, query: dict[str, str]) -> None:
    check(fuzzed, "GET /v1/lessons", query=query)
