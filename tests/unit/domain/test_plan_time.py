"""Plans for statements that hold for a time only."""

from datetime import UTC, datetime, timedelta
from uuid import UUID

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.support.fakes import candidate
from tributary.domain.lesson import Status
from tributary.domain.plan import Outcome, Plan, Policy, decide
from tributary.domain.roles import Actor, Role
from tributary.domain.validity import ALWAYS, Validity
from tributary.domain.verdict import Candidate, Relation, Verdict

NOW = datetime(2026, 1, 1, tzinfo=UTC)
INSERTED, REINFORCED, SUPERSEDED = Outcome.INSERTED, Outcome.REINFORCED, Outcome.SUPERSEDED
BESIDE = "holds for a time, beside a lesson that holds longer"
ENDED = "ended by a later lesson"
LONGER, OTHER_TIMES = "repeated, true for longer", "repeated, true at other times"

Days = tuple[int | None, int | None]  # from now on; None is open


def day(number: int | None) -> datetime | None:
    return None if number is None else NOW + timedelta(days=number)


def of(days: Days) -> Validity:
    return Validity(day(days[0]), day(days[1]))


def known(number: int, days: Days, agent: str = "ada", excepts: tuple[UUID, ...] = ()) -> Candidate:
    return candidate(number, agent=agent, validity=of(days), excepts=excepts)


def planned(
    relation: Relation,
    targets: list[Candidate],
    days: Days,
    actor: Actor = Actor("acme", "ada", Role.CURATOR),  # noqa: B008
    now: datetime | None = NOW,
) -> Plan:
    first, *others = targets
    verdict = Verdict(relation, first.id, 0.9, tuple(one.id for one in others))
    return decide(verdict, targets, actor, Policy(), validity=of(days), now=now)


def contrary(days: Days, *targets: Candidate, **parts: Actor) -> Plan:
    return planned(Relation.CONTRADICTS, list(targets), days, **parts)


def repeat(days: Days, *targets: Candidate, **parts: Actor) -> Plan:
    return planned(Relation.DUPLICATE, list(targets), days, **parts)


@pytest.mark.parametrize(
    ("old", "new", "ends"),
    [
        ((None, None), (None, None), True),
        ((None, None), (-5, None), True),  # since five days, from now on as ever
        ((None, None), (None, 5), False),
        ((None, None), (-5, 5), False),
        ((None, None), (5, None), False),  # until then, the old one holds
        ((-9, None), (-5, None), True),
        ((None, 5), (None, 5), True),
        ((None, 5), (None, 4), False),
        ((-9, 5), (-5, 5), True),  # what is over is not ahead
        ((5, 9), (5, 9), True),
        ((5, 9), (6, 9), False),
        ((5, 9), (None, None), True),
        ((5, 9), (5, None), True),
        ((-9, -5), (-9, -5), True),
        ((-9, -5), (-8, -5), False),
        ((-9, 5), (-8, -5), False),
    ],
)
def test_a_contradiction_ends_only_what_does_not_outlast_it(
    old: Days, new: Days, ends: bool
) -> None:
    target = known(1, old)
    plan = contrary(new, target)
    if ends:
        assert plan == Plan(SUPERSEDED, Status.ACTIVE, target)
    else:
        assert plan == Plan(INSERTED, Status.ACTIVE, excepts=(target.lineage,), flag=BESIDE)


def test_without_a_present_every_interval_counts_as_being_ahead() -> None:
    target = known(1, (-9, 5))
    verdict = Verdict(Relation.CONTRADICTS, target.id)
    actor = Actor("acme", "ada", Role.CURATOR)
    plan = decide(verdict, [target], actor, Policy(), validity=of((-5, 5)))
    assert plan.outcome is INSERTED


def test_one_statement_ends_some_and_is_an_exception_to_others() -> None:
    short, usual, shorter = known(1, (None, 3)), known(2, (None, None)), known(3, (1, 2))
    plan = contrary((None, 5), usual, short, shorter)
    assert plan == Plan(SUPERSEDED, Status.ACTIVE, short, (shorter,), (usual.lineage,))
    assert plan.replaced == (short, shorter)


def test_lessons_of_one_lineage_are_excepted_once() -> None:
    usual = known(1, (None, None))
    twin = candidate(2, lineage=usual.lineage)
    assert contrary((None, 5), usual, twin).excepts == (usual.lineage,)


@pytest.mark.parametrize(
    ("new", "targets", "until"),
    [
        ((-9, None), [(-5, None)], -5),
        ((-9, None), [(-5, None), (-7, None)], -7),
        ((-9, None), [(-7, -5), (-5, None)], -7),  # its successors follow each other
        ((-9, None), [(-5, None), (-7, -6)], -5),  # here they leave a gap
        ((2, None), [(5, None)], 5),
    ],
)
def test_history_learnt_late_ends_where_what_came_later_begins(
    new: Days, targets: list[Days], until: int
) -> None:
    plan = contrary(new, *(known(number, days) for number, days in enumerate(targets, 1)))
    assert plan.validity == of((new[0], until))
    assert plan.flag == ENDED


@pytest.mark.parametrize(
    ("new", "targets"),
    [
        ((-9, -2), [(-5, None)]),  # it says itself when it ends
        ((None, None), [(-5, None)]),  # it does not say when it began
        ((-9, None), [(None, None)]),
        ((-9, None), [(-9, None)]),
        ((-9, None), [(-5, 5)]),  # nothing would be left afterwards
    ],
)
def test_anything_else_keeps_the_interval_that_it_came_with(new: Days, targets: list[Days]) -> None:
    plan = contrary(new, *(known(number, days) for number, days in enumerate(targets, 1)))
    assert plan.validity is None
    assert plan.flag != ENDED


def test_history_learnt_late_may_end_what_it_outlasts() -> None:
    swap, later = known(1, (1, 2)), known(2, (5, None))
    plan = contrary((-9, None), later, swap)
    assert plan == Plan(
        SUPERSEDED, Status.ACTIVE, swap, (), (later.lineage,), of((-9, 5)), flag=ENDED
    )


@pytest.mark.parametrize("days", [(None, None), (None, 5), (5, 9), (-9, None)])
def test_authority_comes_before_time(days: Days) -> None:
    bob = Actor("acme", "bob", Role.WRITER)
    own, others = known(1, (None, None), "bob"), known(2, (None, None), "ada")
    plan = contrary(days, own, others, actor=bob)
    assert (plan.outcome, plan.target, plan.others) == (Outcome.DISPUTED, others, ())
    assert plan.replaced == (others,)


@pytest.mark.parametrize(
    ("old", "new", "outcome", "flag"),
    [
        ((None, None), (None, None), REINFORCED, None),
        ((None, None), (None, 5), REINFORCED, None),
        ((-5, 5), (-4, 4), REINFORCED, None),
        ((-5, 5), (-5, 6), SUPERSEDED, LONGER),
        ((-5, 5), (None, None), SUPERSEDED, LONGER),
        ((-5, None), (-9, None), SUPERSEDED, LONGER),
        ((-5, 5), (-4, 6), INSERTED, OTHER_TIMES),
        ((-5, 5), (-6, 4), INSERTED, OTHER_TIMES),
    ],
)
def test_a_repeat_adds_what_it_says_of_time(
    old: Days, new: Days, outcome: Outcome, flag: str | None
) -> None:
    target = known(1, old)
    plan = repeat(new, target)
    assert (plan.outcome, plan.flag) == (outcome, flag)
    assert plan.target == (None if outcome is INSERTED else target)
    assert plan.status is (None if outcome is REINFORCED else Status.ACTIVE)


def test_a_repeat_for_longer_of_what_another_agent_said_stands_beside_it() -> None:
    bob = Actor("acme", "bob", Role.WRITER)
    plan = repeat((None, None), known(1, (-5, 5)), actor=bob)
    assert plan == Plan(INSERTED, Status.ACTIVE, flag=OTHER_TIMES)


def swapped(days: Days, agent: str = "ada") -> tuple[Candidate, Candidate]:
    """What usually holds, and an exception to it."""
    usual = known(1, (None, None))
    return usual, known(2, days, agent, excepts=(usual.lineage,))


def test_saying_again_what_an_exception_hides_ends_the_exception() -> None:
    usual, exception = swapped((-1, 5))
    plan = repeat((None, None), usual, exception)
    assert plan == Plan(SUPERSEDED, Status.ACTIVE, usual, (exception,))


@pytest.mark.parametrize(("new", "outcome"), [((None, None), REINFORCED), ((6, None), INSERTED)])
def test_an_exception_to_come_stays_unless_its_time_is_meant(new: Days, outcome: Outcome) -> None:
    usual, exception = swapped((5, 9))
    assert repeat(new, usual, exception).outcome is outcome


def test_an_exception_that_is_said_to_last_ends_what_it_excepted() -> None:
    usual, exception = swapped((-1, 5))
    plan = repeat((None, None), exception, usual)
    assert plan == Plan(SUPERSEDED, Status.ACTIVE, exception, (usual,))


def test_an_exception_that_is_said_to_last_longer_excepts_on() -> None:
    usual, exception = swapped((-1, 5))
    plan = repeat((-1, 9), exception, usual)
    assert plan == Plan(SUPERSEDED, Status.ACTIVE, exception, (), (usual.lineage,))


def test_a_writer_repeats_anothers_lesson_and_ends_only_its_own_exception() -> None:
    bob = Actor("acme", "bob", Role.WRITER)
    usual, exception = swapped((-1, 5), "bob")
    plan = repeat((None, None), usual, exception, actor=bob)
    assert (plan.outcome, plan.target, plan.others) == (SUPERSEDED, exception, ())
    usual, exception = swapped((-1, 5), "ada")
    assert repeat((None, None), usual, exception, actor=bob).outcome is Outcome.DISPUTED


sides = st.none() | st.integers(-5, 5).map(lambda number: 2 * number + 1)
intervals = st.tuples(sides, sides).filter(
    lambda days: days[0] is None or days[1] is None or days[0] < days[1]
)


def begins(days: Days, stands_in: bool) -> int:
    """Without a start, what stands in for another lesson begins when it is learnt."""
    over = days[1] is not None and days[1] < 0
    if days[0] is not None:
        return days[0]
    return 0 if stands_in and not over else -99


@given(intervals, intervals)
def test_of_two_that_contradict_each_other_one_holds_wherever_either_does(
    old: Days, new: Days
) -> None:
    target = known(1, old)
    plan = contrary(new, target)
    start = begins(new, plan.outcome is SUPERSEDED or bool(plan.excepts))
    held = plan.validity or of(new)
    for number in range(-14, 15, 2):
        at = NOW + timedelta(days=number)
        second = start <= number and held.holds_at(at)
        first = target.validity.holds_at(at)
        if plan.outcome is SUPERSEDED:
            first = first and number < start
        elif second and plan.excepts:
            first = False
        assert not (first and second)
        assert (first or second) == (
            target.validity.holds_at(at) or (start <= number and of(new).holds_at(at))
        )


def test_an_interval_holds_from_its_start_until_before_its_end() -> None:
    week = of((0, 7))
    tick = timedelta(microseconds=1)
    assert [week.holds_at(NOW + at) for at in (-tick, 0 * tick)] == [False, True]
    end = NOW + timedelta(days=7)
    assert [week.holds_at(at) for at in (end - tick, end)] == [True, False]
    assert ALWAYS.holds_at(NOW)
