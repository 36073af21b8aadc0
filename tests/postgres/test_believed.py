"""The axis of belief: what was recalled, or would have been, at an earlier instant."""

from datetime import UTC, datetime, timedelta, timezone
from itertools import pairwise

import pytest

from tests.support.sql import value
from tributary.domain.errors import InvalidInputError
from tributary.domain.roles import Role

TICK = timedelta(microseconds=1)
TOPIC = "the billing port is"


def contents(recalled):
    return [one.content for one in recalled.lessons]


@pytest.fixture
def chain(memory):
    """Three values, each superseding the last."""
    learned = [memory.learn(f"{TOPIC} {value}") for value in (7001, 7002, 7003)]
    return memory.history(learned[0].lesson_id).chain


def test_each_value_was_believed_from_its_activation_until_the_next(memory, chain):
    for number, lesson in enumerate(chain):
        at = lesson.activated_at
        assert contents(memory.recall("billing port", as_of=at)) == [lesson.content]
        before = contents(memory.recall("billing port", as_of=at - TICK))
        assert before == ([chain[number - 1].content] if number else [])


def test_never_a_lesson_that_was_activated_later(memory, chain):
    for lesson in chain:
        for at in (lesson.activated_at - TICK, lesson.activated_at, lesson.activated_at + TICK):
            found = memory.recall("billing port", k=200, as_of=at).lessons
            assert all(one.activated_at <= at for one in found)


def test_a_retired_lesson_was_believed_until_the_instant_of_its_retirement(memory):
    learned = memory.learn(f"{TOPIC} 7001")
    memory.retire(learned.lesson_id, "wrong")
    (lesson,) = memory.history(learned.lesson_id).chain
    assert contents(memory.recall("billing port", as_of=lesson.deactivated_at)) == []
    assert contents(memory.recall("billing port", as_of=lesson.deactivated_at - TICK)) == [
        f"{TOPIC} 7001"
    ]


def test_the_past_is_recalled_as_it_was_and_says_what_became_of_it(memory, chain):
    (old,) = memory.recall("billing port", as_of=chain[0].activated_at).lessons
    assert (old.id, old.status) == (chain[0].id, "superseded")


def test_nothing_was_believed_before_the_first_lesson_and_the_future_believes_the_present(
    memory, chain
):
    assert contents(memory.recall("billing port", as_of=datetime(1970, 1, 1, tzinfo=UTC))) == []
    assert contents(memory.recall("billing port", as_of=datetime(9999, 1, 1, tzinfo=UTC))) == [
        f"{TOPIC} 7003"
    ]


def test_an_instant_is_the_same_instant_in_every_offset(memory, chain):
    at = chain[1].activated_at
    for hours in (-11, 0, 5.5, 14):
        elsewhere = at.astimezone(timezone(timedelta(hours=hours)))
        assert contents(memory.recall("billing port", as_of=elsewhere)) == [chain[1].content]
        assert contents(memory.recall("billing port", as_of=elsewhere - TICK)) == [chain[0].content]


@pytest.mark.parametrize("field", ["as_of", "true_at"])
def test_an_instant_without_an_offset_is_refused_and_leaves_no_receipt(memory, admin, tribe, field):
    with pytest.raises(InvalidInputError, match=field):
        memory.recall("billing port", **{field: datetime(2026, 7, 10, 15, 42)})  # noqa: DTZ001
    assert value(admin, "SELECT count(*) FROM recall_receipts WHERE tribe = %s", tribe) == 0


def test_tags_and_similarity_narrow_the_past_as_they_do_the_present(memory):
    memory.learn(f"{TOPIC} 7001", tags=["billing"])
    memory.learn("the shipping port is far away in Rotterdam", tags=["shipping"])
    now = datetime(9999, 1, 1, tzinfo=UTC)
    assert contents(memory.recall("port", tags=["billing"], as_of=now)) == [f"{TOPIC} 7001"]
    assert contents(memory.recall(f"{TOPIC} 7001", min_similarity=0.95, as_of=now)) == [
        f"{TOPIC} 7001"
    ]


def test_activations_in_a_tribe_are_strictly_ordered(memory, admin, tribe):
    for number in range(12):
        memory.learn(f"lesson number {number} is about topic{number}")
    stamps = admin.execute(
        "SELECT revision, activated_at FROM lessons WHERE tribe = %s ORDER BY revision", (tribe,)
    ).fetchall()
    assert [row["revision"] for row in stamps] == list(range(1, 13))
    assert all(a["activated_at"] < b["activated_at"] for a, b in pairwise(stamps))


def test_a_clock_that_was_set_back_does_not_set_the_order_back(memory, admin, tribe):
    old = memory.learn(f"{TOPIC} 7001")
    ahead = "now() + interval '1 hour'"
    admin.execute(
        f"UPDATE lessons SET activated_at = {ahead}, changed_at = {ahead} WHERE tribe = %s",
        (tribe,),
    )
    memory.learn(f"{TOPIC} 7002")
    older, newer = memory.history(old.lesson_id).chain
    assert newer.activated_at == older.activated_at + TICK == older.deactivated_at
    assert contents(memory.recall("billing port", as_of=older.activated_at)) == [f"{TOPIC} 7001"]


def test_what_was_parked_or_disputed_was_never_believed(memories):
    ada, bob = memories("ada"), memories("bob", Role.WRITER)
    ada.learn(f"{TOPIC} 7001")
    bob.learn(f"{TOPIC} 7002")
    assert contents(ada.recall("billing", as_of=datetime(9999, 1, 1, tzinfo=UTC))) == [
        f"{TOPIC} 7001"
    ]
