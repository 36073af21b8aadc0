"""The gardener: folds uses in, lets confidence fade, retires what nobody uses."""

from datetime import UTC, datetime, timedelta
from math import log

import pytest

from tests.support.fakes import StoppedClock
from tests.support.garden import gardener
from tests.support.sql import dump
from tributary.domain.scoring import Forgetting

RULES = Forgetting()
DAY = timedelta(days=1)
LIFETIME = -log(RULES.floor) * RULES.initial_strength * DAY  # about 90 days
BUDGET = timedelta(minutes=5)


def lesson(admin, tribe, content):
    return next(row for row in dump(admin, tribe)["lessons"] if row["content"] == content)


def later(days):
    return datetime.now(UTC) + days * DAY


def test_a_lesson_is_retired_when_its_lifetime_has_passed_without_a_use(
    memory, garden, tribe, admin
):
    learned = memory.learn("the billing port is 7001")
    used = lesson(admin, tribe, "the billing port is 7001")["last_used_at"]
    assert garden(used + LIFETIME - DAY / 24).retired == ()
    gardened = garden(used + LIFETIME + DAY / 24)
    assert gardened.retired == (learned.lesson_id,)
    assert memory.recall("billing port").lessons == ()
    history = memory.history(learned.lesson_id)
    assert (history.chain[0].status, history.audit[0].action) == ("retired", "retired")
    assert history.audit[0].agent == "gardener"
    assert history.chain[0].flag == history.audit[0].detail["reason"]
    assert "forgotten" in history.chain[0].flag


def test_a_protected_lesson_is_neither_retired_nor_doubted(memory, garden, tribe, admin):
    memory.learn("the billing port is 7001")
    admin.execute("UPDATE lessons SET protected = true WHERE tribe = %s", (tribe,))
    before = dump(admin, tribe)
    gardened = garden(later(10_000))
    assert (gardened.retired, gardened.weakened) == ((), 0)
    assert dump(admin, tribe) == before


def test_confidence_halves_in_its_half_life_without_a_use(memory, garden, tribe, admin):
    memory.learn("the billing port is 7001")
    admin.execute("UPDATE lessons SET strength = 3650 WHERE tribe = %s", (tribe,))
    start = lesson(admin, tribe, "the billing port is 7001")["tended_at"]
    for halvings in (1, 2):
        gardened = garden(start + halvings * RULES.confidence_half_life * DAY)
        assert gardened.weakened == 1
        confidence = lesson(admin, tribe, "the billing port is 7001")["confidence"]
        assert confidence == pytest.approx(0.5**halvings, rel=1e-4)


def test_a_run_every_day_weakens_as_much_as_one_run(memories, memory, wirings, tribe, admin):
    memory.learn("the billing port is 7001")
    start = lesson(admin, tribe, "the billing port is 7001")["tended_at"]
    daily = gardener(wirings(), tribe)
    for day in range(1, 31):
        daily(start + day * DAY, BUDGET)
    assert lesson(admin, tribe, "the billing port is 7001")["confidence"] == pytest.approx(
        0.5 ** (30 / RULES.confidence_half_life), rel=1e-4
    )


def test_a_use_between_two_runs_is_not_held_against_the_lesson(memory, garden, tribe, admin):
    learned = memory.learn("the billing port is 7001")
    admin.execute(
        "UPDATE lessons SET tended_at = now() - interval '40 days',"
        " last_used_at = now() - interval '40 days' WHERE tribe = %s",
        (tribe,),
    )
    memory.reinforce(learned.lesson_id)
    garden(datetime.now(UTC))
    assert lesson(admin, tribe, "the billing port is 7001")["confidence"] == pytest.approx(1)


def test_the_same_instant_twice_changes_nothing_the_second_time(memory, garden, tribe, admin):
    for number in range(6):
        memory.learn(f"fact{number} is about subject{number}")
    memory.recall("fact1")
    now = later(50)
    first = garden(now)
    assert (first.strengthened, first.weakened) == (5, 6)
    after = dump(admin, tribe)
    second = garden(now)
    assert (second.strengthened, second.weakened, second.retired) == (0, 0, ())
    assert dump(admin, tribe) == after


def test_a_dry_run_says_what_would_be_done_and_does_nothing(memory, garden, tribe, admin):
    kept = memory.learn("the kept port is 7001")
    memory.learn("a lesson nobody needs")
    memory.recall("kept", k=1)
    admin.execute(
        "UPDATE lessons SET last_used_at = now() - interval '100 days',"
        " tended_at = now() - interval '100 days' WHERE tribe = %s",
        (tribe,),
    )
    before, now = dump(admin, tribe), later(0)
    would = garden(now, dry_run=True)
    assert dump(admin, tribe) == before
    assert len(would.retired) == 1
    assert (would.strengthened, would.weakened) == (1, 2)
    assert garden(now) == would
    assert [row["id"] for row in dump(admin, tribe)["lessons"] if row["status"] == "active"] == [
        kept.lesson_id
    ]


def test_a_very_late_run_is_no_error(memory, garden, tribe, admin):
    memory.learn("the billing port is 7001")
    admin.execute("UPDATE lessons SET strength = 3650 WHERE tribe = %s", (tribe,))
    gardened = garden(datetime(9000, 1, 1, tzinfo=UTC))
    assert len(gardened.retired) == 1


def test_a_run_whose_time_is_up_does_nothing_more_and_says_so(memory, wirings, tribe, admin):
    memory.learn("the billing port is 7001")
    before = dump(admin, tribe)
    late = gardener(wirings(clock=StoppedClock()), tribe)
    gardened = late(later(1_000), timedelta(0))
    assert not gardened.finished
    assert gardened.retired == ()
    assert dump(admin, tribe) == before
    assert late(later(1_000), BUDGET).finished
