"""A batch through the library: each item on its own."""

from collections.abc import Callable
from datetime import UTC, datetime
from typing import Any

import pytest

from tributary import Memory
from tributary.domain.errors import InvalidInputError
from tributary.domain.plan import Outcome
from tributary.ports import Learned

WORDS = ["apples", "bananas", "carrots", "dates", "eggs", "figs", "grapes", "hops", "ivy", "jam"]


def test_a_batch_whose_seventh_item_is_empty_stores_the_others(
    memories: Callable[..., Memory],
) -> None:
    memory = memories()
    items: list[dict[str, Any]] = [{"content": word} for word in WORDS]
    items[6] = {"content": ""}
    results = memory.learn_many(items)
    assert len(results) == 10
    failed = results.pop(6)
    assert isinstance(failed, InvalidInputError)
    assert (failed.field, failed.reason) == ("content", "is blank")
    assert [one.outcome for one in results if isinstance(one, Learned)] == [Outcome.INSERTED] * 9
    assert len(memory.recall("anything", k=200).lessons) == 9


@pytest.mark.parametrize(
    ("field", "item"),
    [
        ("content", {}),
        ("content", {"content": None}),
        ("content", {"content": " "}),
        ("content", {"content": "x" * 200_000}),
        ("content", {"content": 7}),
        ("situation", {"content": "x", "situation": ""}),
        ("tags", {"content": "x", "tags": "ops"}),
        ("tags", {"content": "x", "tags": None}),
        ("valid_from", {"content": "x", "valid_from": "2026-07-10T15:42Z"}),
        ("valid_from", {"content": "x", "valid_from": datetime(2026, 7, 10)}),  # noqa: DTZ001
        ("valid_to", {"content": "x", "valid_to": 0}),
        ("valid_to", {"content": "x", "valid_from": datetime(2026, 2, 1, tzinfo=UTC),
                      "valid_to": datetime(2026, 1, 1, tzinfo=UTC)}),
        ("idempotency_key", {"content": "x", "idempotency_key": ""}),
        ("tribe", {"content": "x", "tribe": "acme"}),
    ],
    ids=lambda value: repr(value)[:40],
)  # fmt: skip
def test_a_bad_item_is_answered_by_its_field_and_does_not_stop_the_rest(
    memories: Callable[..., Memory], field: str, item: dict[str, Any]
) -> None:
    memory = memories()
    first, failed, last = memory.learn_many([{"content": "x"}, item, {"content": "bananas"}])
    assert isinstance(failed, InvalidInputError)
    assert failed.field == field
    assert isinstance(first, Learned)
    assert isinstance(last, Learned)
    assert len(memory.recall("anything", k=200).lessons) == 2


@pytest.mark.parametrize("content", ["x", "\U0001f98a", "7"])
def test_one_character_is_a_lesson(memories: Callable[..., Memory], content: str) -> None:
    memory = memories()
    assert memory.learn(content).outcome is Outcome.INSERTED
    assert memory.recall(content).lessons[0].content == content
