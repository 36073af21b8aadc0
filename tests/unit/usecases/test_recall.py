"""What a recall asks of its store."""

from datetime import UTC, datetime, timedelta, timezone
from typing import Any
from uuid import UUID

import pytest

from tests.support.fakes import CountingIds, WordEmbedder
from tributary.domain.errors import InvalidInputError
from tributary.domain.roles import Actor, Role
from tributary.ports import Embedding, Found, RecallQuery
from tributary.usecases.recall import MAX_K, Recall, recall_query

READER = Actor("acme", "ada", Role.READER)


class Asked:
    """A store that writes down what it is asked, and finds nothing."""

    def __init__(self, *, exact: bool = True, complete: bool = True) -> None:
        self.found = Found((), exact, complete)

    def recall(
        self, actor: Actor, query: RecallQuery, embedding: Embedding, receipt_id: UUID
    ) -> Found:
        self.actor, self.query, self.receipt_id = actor, query, receipt_id
        self.embedding = embedding
        return self.found


def test_a_query_is_cleaned_before_it_is_embedded() -> None:
    store, embedder = Asked(), WordEmbedder()
    recalled = Recall(store, embedder, CountingIds())(READER, recall_query("  cafe\u0301 "))
    assert (store.query.text, store.query.k) == ("caf\u00e9", 5)
    assert store.embedding == embedder.embed("caf\u00e9")
    assert store.actor == READER
    assert recalled.receipt_id == store.receipt_id
    assert (recalled.lessons, recalled.exact, recalled.truncated) == ((), True, False)


@pytest.mark.parametrize(("k", "asked", "truncated"), [(1, 1, False), (MAX_K, MAX_K, False),
                                                       (500, MAX_K, True)])  # fmt: skip
def test_a_large_k_is_cut_and_said_so(k: int, asked: int, truncated: bool) -> None:
    store = Asked()
    wanted = recall_query(
        "x",
        k=k,
        tags=["a"],
        as_of=datetime(2026, 1, 1, tzinfo=timezone(timedelta(hours=1))),
        true_at=datetime(2026, 1, 1, tzinfo=UTC),
        min_similarity=-1,
    )
    assert Recall(store, WordEmbedder(), CountingIds())(READER, wanted).truncated is truncated
    assert store.query == RecallQuery(
        "x",
        asked,
        ("a",),
        datetime(2025, 12, 31, 23, tzinfo=UTC),
        datetime(2026, 1, 1, tzinfo=UTC),
        -1,
    )


def test_a_search_that_gave_up_before_k_is_said_to() -> None:
    store = Asked(exact=False, complete=False)
    recalled = Recall(store, WordEmbedder(), CountingIds())(READER, recall_query("x"))
    assert (recalled.exact, recalled.truncated) == (False, True)


@pytest.mark.parametrize(
    ("field", "parts"),
    [
        ("query", {"text": ""}),
        ("query", {"text": None}),
        ("k", {"k": 0}),
        ("k", {"k": -1}),
        ("k", {"k": 1.5}),
        ("k", {"k": "10"}),
        ("k", {"k": None}),
        ("k", {"k": True}),
        ("tags", {"tags": "ops"}),
        ("tags", {"tags": [""]}),
        ("as_of", {"as_of": datetime(2026, 7, 10)}),  # noqa: DTZ001
        ("as_of", {"as_of": "2026-07-10T15:42Z"}),
        ("true_at", {"true_at": datetime(2026, 7, 10)}),  # noqa: DTZ001
        ("min_similarity", {"min_similarity": 1.1}),
        ("min_similarity", {"min_similarity": float("nan")}),
    ],
    ids=lambda value: repr(value)[:40],
)
def test_a_query_that_is_none_names_the_field_at_fault(field: str, parts: dict[str, Any]) -> None:
    with pytest.raises(InvalidInputError) as caught:
        recall_query(**({"text": "x"} | parts))
    assert caught.value.field == field
