"""The axis of truth: when a lesson says it holds, and what held when."""

from dataclasses import dataclass
from datetime import UTC, datetime, timedelta

import pytest

from tests.support.sql import dump, statuses
from tributary.domain.errors import InvalidInputError
from tributary.domain.plan import Outcome
from tributary.domain.roles import Role
from tributary.domain.verdict import Relation, Verdict

JANUARY, FEBRUARY, MARCH, APRIL = (datetime(2020, month, 1, tzinfo=UTC) for month in (1, 2, 3, 4))
HALF = timedelta(days=14)
TICK = timedelta(microseconds=1)
ON, OFF = "Dana is on call", "Dana is off call"


@dataclass
class Contrary:
    """Whatever is near contradicts."""

    name: str = "contrary"

    def classify(self, new, candidates):
        return Verdict(Relation.CONTRADICTS, candidates[0].id, 0.9)


@pytest.fixture
def memory(memories):
    return memories(classifier=Contrary())


@pytest.fixture
def rota(memory):
    """On from January, off from February, on from March; learnt in this order, no ends given."""
    return [
        memory.learn(content, valid_from=start)
        for content, start in [(ON, JANUARY), (OFF, FEBRUARY), (ON, MARCH)]
    ]


@pytest.fixture
def months(memory):
    """The same, with both ends given."""
    return [
        memory.learn(content, valid_from=start, valid_to=end)
        for content, start, end in [
            (ON, JANUARY, FEBRUARY), (OFF, FEBRUARY, MARCH), (ON, MARCH, APRIL),
        ]
    ]  # fmt: skip


def at(memory, **instants):
    return sorted(one.content for one in memory.recall("Dana call", **instants).lessons)


def rows(admin, tribe, lesson_id):
    found = dump(admin, tribe)
    return [
        row for table in ("lessons", "lesson_vectors_past") for row in found[table]
        if row["id"] == lesson_id
    ]  # fmt: skip


def test_a_value_that_comes_back_is_a_new_interval_not_the_old_lesson(memory, rota):
    assert [one.outcome for one in rota] == [
        Outcome.INSERTED, Outcome.SUPERSEDED, Outcome.SUPERSEDED,
    ]  # fmt: skip
    assert len({one.lesson_id for one in rota}) == 3
    assert at(memory) == [ON]


def test_the_row_of_january_is_untouched_by_march(memory, tribe, admin):
    january = memory.learn(ON, valid_from=JANUARY)
    memory.learn(OFF, valid_from=FEBRUARY)
    before = rows(admin, tribe, january.lesson_id)
    memory.learn(ON, valid_from=MARCH)
    assert rows(admin, tribe, january.lesson_id) == before


@pytest.mark.parametrize("intervals", ["rota", "months"])
def test_what_held_in_each_month(memory, intervals, request):
    request.getfixturevalue(intervals)
    for start, held in [(JANUARY, ON), (FEBRUARY, OFF), (MARCH, ON)]:
        for instant in (start, start + HALF):
            assert at(memory, true_at=instant) == [held]
    assert at(memory, true_at=FEBRUARY - TICK) == [ON]
    assert at(memory, true_at=MARCH - TICK) == [OFF]
    assert at(memory, true_at=JANUARY - TICK) == []
    assert at(memory, true_at=APRIL) == ([ON] if intervals == "rota" else [])


def test_intervals_that_do_not_overlap_do_not_contradict(memory, months, tribe, admin):
    assert {one.outcome for one in months} == {Outcome.INSERTED}
    assert statuses(admin, tribe) == {"active": [OFF, ON, ON]}


def test_the_same_sentence_about_a_part_of_the_interval_is_a_duplicate(memory, months):
    again = memory.learn(ON, valid_from=MARCH + HALF, valid_to=APRIL)
    assert (again.outcome, again.lesson_id) == (Outcome.REINFORCED, months[2].lesson_id)


def test_what_was_believed_then_of_what_held_when(memory, memories, rota):
    january, february, march = memory.history(rota[0].lesson_id).chain
    knew_of_january = {"as_of": january.activated_at}
    assert at(memory, **knew_of_january, true_at=JANUARY + HALF) == [ON]
    assert at(memory, **knew_of_january, true_at=MARCH + HALF) == [ON]  # nothing else was said
    knew_of_february = {"as_of": february.activated_at}
    assert at(memory, **knew_of_february, true_at=JANUARY + HALF) == [ON]
    assert at(memory, **knew_of_february, true_at=MARCH + HALF) == [OFF]
    assert at(memory, as_of=march.activated_at, true_at=FEBRUARY + HALF) == [OFF]
    assert at(memory, as_of=january.activated_at - TICK, true_at=JANUARY + HALF) == []


def test_what_was_retired_is_held_true_of_no_time_after_its_retirement(memory, rota):
    retired = rota[2].lesson_id
    memory.retire(retired, "it was a mistake")
    (*_, march) = memory.history(retired).chain
    assert at(memory, true_at=MARCH + HALF) == []
    assert at(memory, as_of=march.activated_at, true_at=MARCH + HALF) == [ON]
    assert at(memory, true_at=FEBRUARY + HALF) == [OFF]


def test_a_lesson_without_an_interval_is_true_of_all_time_until_it_is_replaced(memory):
    old = memory.learn(ON)
    assert at(memory, true_at=datetime(1970, 1, 1, tzinfo=UTC)) == [ON]
    memory.learn(OFF)
    replaced = memory.history(old.lesson_id).chain[1].activated_at
    assert at(memory, true_at=replaced - TICK) == [ON]
    assert at(memory, true_at=replaced) == [OFF]


def test_a_lesson_that_ran_out_is_recalled_only_when_asked_for_its_time(memory):
    memory.learn(ON, valid_to=datetime.now(UTC) - HALF)
    assert at(memory) == []
    assert at(memory, as_of=datetime.now(UTC)) == []
    assert at(memory, true_at=datetime.now(UTC) - 2 * HALF) == [ON]


@pytest.mark.parametrize("interval", [{}, {"valid_from": JANUARY}])
def test_a_lesson_that_ran_out_does_not_swallow_the_same_sentence_about_now(
    memory, months, interval
):
    again = memory.learn(ON, **interval)
    assert again.outcome is Outcome.INSERTED
    assert at(memory) == [ON]


def test_a_lesson_that_ran_out_is_no_reason_for_a_dispute(memory, memories, months):
    bob = memories("bob", Role.WRITER, classifier=Contrary())
    assert bob.learn("Dana is never on call").outcome is Outcome.INSERTED


@pytest.mark.parametrize(
    "interval", [{"valid_to": FEBRUARY}, {"valid_from": JANUARY, "valid_to": MARCH}]
)
def test_what_is_said_of_the_past_is_compared_with_the_past(memory, months, interval):
    again = memory.learn(ON, **interval)
    assert (again.outcome, again.target_id) == (Outcome.SUPERSEDED, months[0].lesson_id)
    assert at(memory, true_at=JANUARY + HALF) == [ON]


def test_a_lesson_that_has_not_run_out_yet_is_recalled(memory):
    memory.learn(ON, valid_from=JANUARY, valid_to=datetime.now(UTC) + HALF)
    assert at(memory) == [ON]


@pytest.mark.parametrize("end", [JANUARY, JANUARY - TICK])
def test_an_interval_that_ends_before_it_begins_is_refused(memory, tribe, admin, end):
    before = dump(admin, tribe)
    with pytest.raises(InvalidInputError, match="valid_to"):
        memory.learn(ON, valid_from=JANUARY, valid_to=end)
    assert dump(admin, tribe) == before


def test_what_holds_for_a_time_hides_what_holds_longer_and_only_for_that_time(memory):
    tomorrow = datetime.now(UTC) + timedelta(days=1)
    usual = memory.learn(ON)
    swapped = memory.learn(OFF, valid_to=tomorrow)
    assert swapped.outcome is Outcome.INSERTED
    found = memory.recall("Dana call").lessons
    assert [one.content for one in found] == [OFF]
    assert all(0 <= one.score <= 1 for one in found)
    assert at(memory, true_at=tomorrow - TICK) == [OFF]
    assert at(memory, true_at=tomorrow) == [ON]
    (before,) = memory.history(usual.lesson_id).chain[:1]
    assert at(memory, as_of=before.activated_at) == [ON]
    assert at(memory, as_of=datetime.now(UTC)) == [OFF]
    memory.retire(swapped.lesson_id, "Dana is well again")
    assert at(memory) == at(memory, as_of=datetime.now(UTC)) == [ON]
