"""What holds for a time beside what holds longer, and history that is learnt late."""

from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from itertools import count

import pytest
from hypothesis import HealthCheck, assume, given, settings
from hypothesis import strategies as st

from tests.support.invariants import check
from tests.support.sql import statuses
from tributary.domain.plan import Outcome
from tributary.domain.roles import Role
from tributary.domain.verdict import Relation, Verdict

NOW = datetime.now(UTC)
TICK = timedelta(microseconds=1)
TOPIC = "the billing port is"
USUAL, SWAPPED, OTHER = (f"{TOPIC} {port}" for port in (7001, 7002, 7003))
BESIDE = "holds for a time, beside a lesson that holds longer"


def day(number):
    return None if number is None else NOW + timedelta(days=number)


def days(start, end=None):
    return {"valid_from": day(start), "valid_to": day(end)}


def at(memory, number=None, topic=TOPIC, **instants):
    """The contents recalled as true of a day, or by default."""
    if number is not None:
        instants["true_at"] = day(number)
    found = memory.recall(topic, k=10, **instants).lessons
    return sorted(one.content for one in found if one.content.startswith(topic))


@dataclass
class Against:
    """Contradicts the lessons with this content, and no others."""

    content: str
    name: str = "against"

    def classify(self, new, candidates):
        for one in candidates:
            if one.content == self.content:
                return Verdict(Relation.CONTRADICTS, one.id, 0.9)
        return Verdict(Relation.NOVEL)


@pytest.fixture
def usual(memory):
    return memory.learn(USUAL)


@pytest.fixture
def swapped(memory, usual):
    """An exception, from yesterday until in five days."""
    return memory.learn(SWAPPED, **days(-1, 5))


def test_what_holds_for_a_time_stands_beside_what_it_excepts(memory, usual, swapped, tribe, admin):
    assert (swapped.outcome, swapped.target_id, swapped.flag) == (Outcome.INSERTED, None, BESIDE)
    (general,) = memory.history(usual.lesson_id).chain
    (exception,) = memory.history(swapped.lesson_id).chain
    assert exception.excepts == (general.lineage,)
    assert (general.superseded_by, general.excepts) == (None, ())
    assert statuses(admin, tribe) == {"active": [USUAL, SWAPPED]}
    entry = memory.history(swapped.lesson_id).audit[-1]
    assert entry.detail["excepts"] == [str(general.lineage)]
    check(admin, tribe)


def test_during_the_exception_only_it_is_recalled_and_outside_only_what_usually_holds(
    memory, swapped
):
    assert at(memory) == [SWAPPED]
    assert [at(memory, number) for number in (-1, 0, 4)] == [[SWAPPED]] * 3
    assert [at(memory, number) for number in (-9, 5, 9)] == [[USUAL]] * 3
    assert at(memory, true_at=day(-1) - TICK) == [USUAL]
    assert at(memory, true_at=day(5) - TICK) == [SWAPPED]


def test_an_exception_was_none_before_it_was_learnt(memory, usual, swapped):
    (general,) = memory.history(usual.lesson_id).chain
    (exception,) = memory.history(swapped.lesson_id).chain
    before = exception.activated_at - TICK
    assert at(memory, as_of=general.activated_at) == at(memory, as_of=before) == [USUAL]
    assert at(memory, 3, as_of=before) == [USUAL]
    assert at(memory, as_of=exception.activated_at) == [SWAPPED]
    assert at(memory, 3, as_of=exception.activated_at) == [SWAPPED]
    assert at(memory, 9, as_of=exception.activated_at) == [USUAL]


def test_an_exception_without_a_start_begins_when_it_is_learnt(memory, usual):
    swapped = memory.learn(SWAPPED, valid_to=day(5))
    (exception,) = memory.history(swapped.lesson_id).chain
    assert at(memory) == at(memory, 4) == [SWAPPED]
    assert at(memory, -9) == at(memory, true_at=exception.activated_at - TICK) == [USUAL]
    assert at(memory, true_at=exception.activated_at) == [SWAPPED]


def test_what_is_said_of_the_past_alone_holds_from_ever(memory):
    memory.learn(USUAL, **days(-9, -5))
    corrected = memory.learn(SWAPPED, valid_to=day(-5))
    assert corrected.outcome is Outcome.SUPERSEDED
    assert at(memory, -20) == at(memory, -8) == [SWAPPED]
    assert at(memory, -5) == []


def test_retiring_the_exception_brings_back_what_usually_holds(memory, swapped):
    memory.retire(swapped.lesson_id, "called off")
    assert at(memory) == at(memory, 3) == at(memory, as_of=datetime.now(UTC)) == [USUAL]
    exception = memory.history(swapped.lesson_id).chain[-1]
    assert at(memory, as_of=exception.activated_at) == [SWAPPED]


def test_retiring_what_usually_holds_leaves_the_exception(memory, usual, swapped):
    memory.retire(usual.lesson_id, "wrong")
    assert at(memory) == [SWAPPED]
    assert at(memory, 9) == []


def test_another_exception_for_as_long_takes_the_place_of_the_first(
    memory, usual, swapped, tribe, admin
):
    other = memory.learn(OTHER, **days(-1, 5))
    assert (other.outcome, other.target_id) == (Outcome.SUPERSEDED, swapped.lesson_id)
    assert statuses(admin, tribe) == {"active": [USUAL, OTHER], "superseded": [SWAPPED]}
    assert at(memory) == at(memory, 3) == [OTHER]
    assert at(memory, 9) == at(memory, -9) == [USUAL]
    check(admin, tribe)


def test_of_an_exception_that_another_took_over_the_beginning_stays_true(memory, swapped):
    memory.learn(OTHER, **days(2, 5))  # within the first: an exception to the exception
    assert [at(memory, number) for number in (-9, 1, 3, 9)] == [
        [USUAL], [SWAPPED], [OTHER], [USUAL],
    ]  # fmt: skip


def test_an_exception_goes_on_excepting_what_replaces_its_general_lesson(
    memories, memory, usual, swapped, tribe, admin
):
    new = memories(classifier=Against(USUAL)).learn(OTHER)
    assert (new.outcome, new.target_id) == (Outcome.SUPERSEDED, usual.lesson_id)
    assert statuses(admin, tribe) == {"active": [SWAPPED, OTHER], "superseded": [USUAL]}
    assert at(memory) == at(memory, 3) == [SWAPPED]
    assert at(memory, 9) == [OTHER]
    assert at(memory, -9) == [USUAL]
    check(admin, tribe)


def test_what_contradicts_both_and_outlasts_them_ends_both(memory, swapped, tribe, admin):
    memory.learn(OTHER)
    assert statuses(admin, tribe) == {"active": [OTHER], "superseded": [USUAL, SWAPPED]}
    assert at(memory) == at(memory, 3) == at(memory, 9) == [OTHER]
    assert at(memory, -9) == [USUAL]


def test_saying_again_what_usually_holds_ends_the_exception(memory, swapped, tribe, admin):
    back = memory.learn(USUAL)
    assert back.outcome is Outcome.SUPERSEDED
    assert at(memory) == at(memory, 3) == [USUAL]
    assert statuses(admin, tribe) == {"active": [USUAL], "superseded": [USUAL, SWAPPED]}
    check(admin, tribe)


def test_saying_again_what_usually_holds_does_not_call_off_an_exception_to_come(memory, usual):
    memory.learn(SWAPPED, **days(2, 5))
    again = memory.learn(USUAL)
    assert (again.outcome, again.lesson_id) == (Outcome.REINFORCED, usual.lesson_id)
    assert at(memory) == [USUAL]
    assert at(memory, 3) == [SWAPPED]


def test_an_exception_said_to_last_longer_or_for_good(memory, usual, swapped, tribe, admin):
    longer = memory.learn(SWAPPED, **days(-1, 9))
    assert (longer.outcome, longer.target_id) == (Outcome.SUPERSEDED, swapped.lesson_id)
    assert at(memory) == at(memory, 8) == [SWAPPED]
    assert at(memory, 10) == [USUAL]
    memory.learn(SWAPPED)
    assert at(memory) == at(memory, 10) == [SWAPPED]
    assert statuses(admin, tribe)["active"] == [SWAPPED]
    check(admin, tribe)


@pytest.mark.parametrize("end", [None, 9])
def test_what_is_to_hold_later_is_recalled_when_it_does(memory, usual, end):
    later = memory.learn(SWAPPED, **days(2, end))
    assert (later.outcome, later.flag) == (Outcome.INSERTED, BESIDE)
    assert at(memory) == at(memory, 1) == at(memory, as_of=datetime.now(UTC)) == [USUAL]
    assert at(memory, 2) == at(memory, 8) == [SWAPPED]
    assert at(memory, 10) == ([USUAL] if end else [SWAPPED])


def test_a_writer_may_not_except_what_it_may_not_overrule(memories, memory, usual):
    bob = memories("bob", Role.WRITER)
    assert bob.learn(SWAPPED, **days(-1, 5)).outcome is Outcome.DISPUTED
    assert at(memory) == at(memory, 3) == [USUAL]


def test_of_two_that_except_each_other_the_later_holds(memory):
    memory.learn(USUAL, valid_to=day(3))
    memory.learn(SWAPPED, **days(1, 7))
    memory.learn(OTHER, valid_to=day(5))  # ends the first, and is an exception to the second
    assert [at(memory, number) for number in (0.5, 2, 4, 6, 8)] == [
        [OTHER], [OTHER], [OTHER], [SWAPPED], [],
    ]  # fmt: skip


def test_a_repeat_that_is_true_for_longer_takes_the_place_of_the_first(memory):
    old = memory.learn(USUAL, **days(-5, 5))
    longer = memory.learn(USUAL, **days(-5, 9))
    assert (longer.outcome, longer.target_id) == (Outcome.SUPERSEDED, old.lesson_id)
    assert longer.flag == "repeated, true for longer"
    shorter = memory.learn(USUAL, **days(-4, 8))
    assert (shorter.outcome, shorter.lesson_id) == (Outcome.REINFORCED, longer.lesson_id)
    assert [at(memory, number) for number in (-6, -5, 8, 9)] == [[], [USUAL], [USUAL], []]


def test_a_repeat_that_is_true_at_other_times_too_stands_beside_the_first(memory):
    old = memory.learn(USUAL, **days(-5, 5))
    overlapping = memory.learn(USUAL, **days(3, 9))
    assert overlapping.outcome is Outcome.INSERTED
    assert overlapping.flag == "repeated, true at other times"
    assert overlapping.lesson_id != old.lesson_id
    assert at(memory, 2) == at(memory, 8) == [USUAL]


def test_history_learnt_late_ends_where_the_later_lesson_begins(memory, tribe, admin):
    later = memory.learn(USUAL, **days(-5))
    early = memory.learn(SWAPPED, **days(-9))
    assert (early.outcome, early.flag) == (Outcome.INSERTED, "ended by a later lesson")
    (clipped,) = memory.history(early.lesson_id).chain
    assert (clipped.valid_from, clipped.valid_to) == (day(-9), day(-5))
    assert memory.history(later.lesson_id).chain[0].valid_to is None
    assert at(memory) == at(memory, -5) == at(memory, 9) == [USUAL]
    assert at(memory, -9) == at(memory, true_at=day(-5) - TICK) == [SWAPPED]
    assert at(memory, -10) == []
    check(admin, tribe)


def test_history_learnt_late_goes_before_what_its_successor_replaced(memory):
    memory.learn(USUAL, **days(-9))
    memory.learn(SWAPPED, **days(-3))
    memory.learn(OTHER, **days(-6))  # between the two
    assert [at(memory, number) for number in (-10, -8, -5, -2)] == [
        [], [USUAL], [OTHER], [SWAPPED],
    ]  # fmt: skip


ON, OFF, AWAY = (f"Dana is {state}" for state in ("on", "off", "away"))
CASE = [(ON, -9), (OFF, -6), (ON, -3)]


@pytest.mark.parametrize("order", [(0, 1, 2), (1, 0, 2), (1, 2, 0), (2, 1, 0)])
def test_a_value_that_comes_back_in_order_and_out_of_order(memory, tribe, admin, order):
    for number in order:
        content, start = CASE[number]
        memory.learn(content, **days(start))
    topic = "Dana is"
    assert at(memory, topic=topic) == [ON]
    held = [at(memory, number, topic) for number in (-10, -8, -5, -2, 5)]
    assert held == [[], [ON], [OFF], [ON], [ON]]
    check(admin, tribe)


@pytest.mark.parametrize("order", [(0, 1, 2), (0, 2, 1), (1, 0, 2)])
def test_one_of_three_values_may_be_learnt_late(memory, tribe, admin, order):
    case = [(ON, -9), (OFF, -6), (AWAY, -3)]
    for number in order:
        content, start = case[number]
        memory.learn(content, **days(start))
    topic = "Dana is"
    assert at(memory, topic=topic) == [AWAY]
    held = [at(memory, number, topic) for number in (-10, -8, -5, -2, 5)]
    assert held == [[], [ON], [OFF], [AWAY], [AWAY]]
    check(admin, tribe)


sides = st.none() | st.integers(-3, 2).map(lambda number: 2 * number + 1)
intervals = st.tuples(sides, sides).filter(
    lambda pair: pair[0] is None or pair[1] is None or pair[0] < pair[1]
)
topics = count(1)


def over(interval):
    return interval[1] is not None and interval[1] < 0


def said_true(memory, learned, interval, number):
    """Whether a lesson says that it holds on a day; without a start, from when it was learnt if
    it stands in for another.
    """
    start, end = interval
    lesson = next(
        one for one in memory.history(learned.lesson_id).chain if one.id == learned.lesson_id
    )
    if start is None and (lesson.supersedes or lesson.excepts) and not over(interval):
        start = 0
    return (start is None or start <= number) and (end is None or number < end)


@pytest.mark.parametrize("lessons", [2, 3])
def test_at_every_instant_one_of_those_that_contradict_each_other_holds_if_any_does(
    memory, tribe, admin, lessons
):
    @settings(
        max_examples=16, deadline=None, derandomize=True, database=None,
        suppress_health_check=list(HealthCheck),
    )  # fmt: skip
    @given(st.lists(intervals, min_size=lessons, max_size=lessons))
    def holds(given_intervals):
        # What is over is not compared with what still holds.
        gone = [over(interval) for interval in given_intervals]
        assume(gone == sorted(gone))
        topic = f"a{next(topics)} b{next(topics)} is"
        learned = [
            memory.learn(f"{topic} v{number}", **days(*interval))
            for number, interval in enumerate(given_intervals)
        ]
        for number in range(-6, 7, 2):
            known = any(
                said_true(memory, one, interval, number + 0.5)
                for one, interval in zip(learned, given_intervals, strict=True)
            )
            found = at(memory, number + 0.5, topic)
            assert len(found) == known, (given_intervals, number, found)

    holds()
    check(admin, tribe)
