"""Parked lessons, which the gardener classifies again."""

from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta

import pytest

from tests.support.fakes import FixedClassifier, StoppedClock, ValueClassifier
from tests.support.garden import gardener
from tests.support.invariants import check
from tests.support.sql import dump, statuses
from tests.support.steps import counted_commit
from tributary.domain.errors import ClassifierFailedError
from tributary.domain.plan import Outcome
from tributary.domain.roles import Role

TOPIC = "the billing port is"
OLD, NEW, NEWER = (f"{TOPIC} {port}" for port in (7001, 7002, 7003))
BROKEN = FixedClassifier(ClassifierFailedError("it answered in prose"))
BUDGET = timedelta(minutes=5)


@pytest.fixture
def garden(wirings, tribe):
    def garden(classifier=None, **parts):
        wiring = wirings(classifier=classifier or ValueClassifier())
        return gardener(wiring, tribe)(datetime.now(UTC), BUDGET, **parts)

    return garden


@pytest.fixture
def park(memories):
    """Learn a lesson while the classifier is out of order."""

    def park(content, agent="ada"):
        parked = memories(agent, Role.WRITER, classifier=BROKEN).learn(content)
        assert parked.outcome is Outcome.PENDING
        return parked

    return park


@pytest.fixture
def ada(memories):
    return memories("ada", Role.WRITER)


def audit(memory, lesson_id):
    return [one.action for one in memory.history(lesson_id).audit]


def test_a_parked_contradiction_supersedes_once_it_is_classified(ada, park, garden, tribe, admin):
    old = ada.learn(OLD)
    parked = park(NEW)
    gardened = garden()
    assert (gardened.settled, gardened.parked) == (1, 0)
    assert statuses(admin, tribe) == {"active": [NEW], "superseded": [OLD]}
    (found,) = ada.recall("billing port").lessons
    assert (found.id, found.supersedes) == (parked.lesson_id, old.lesson_id)
    assert audit(ada, parked.lesson_id) == ["active", "pending"]
    chain = ada.history(old.lesson_id).chain
    assert [one.id for one in chain] == [old.lesson_id, parked.lesson_id]
    assert chain[1].flag is None


def test_a_parked_duplicate_reinforces_and_is_retired(ada, park, garden, tribe, admin):
    old = ada.learn(OLD)
    parked = park(OLD.replace("the", "THE"), agent="bob")
    assert garden().settled == 1
    assert set(statuses(admin, tribe)) == {"active", "retired"}
    assert audit(ada, old.lesson_id) == ["reinforced", "active"]
    (retired,) = ada.history(parked.lesson_id).chain
    assert retired.flag == f"duplicate of {old.lesson_id}"


def test_a_parked_contradiction_of_another_agent_becomes_a_dispute(ada, park, garden, tribe, admin):
    ada.learn(OLD)
    park(NEW, agent="bob")
    assert garden().settled == 1
    assert statuses(admin, tribe) == {"active": [OLD], "disputed": [NEW]}
    (dispute,) = dump(admin, tribe)["disputes"]
    assert dispute["opened_by"] == "bob"


def test_a_parked_lesson_whose_neighbour_is_gone_becomes_active(
    ada, memories, park, garden, admin, tribe
):
    old = ada.learn(OLD)
    park(NEW)
    memories().retire(old.lesson_id, "wrong")
    assert garden(BROKEN).settled == 1  # nothing left to ask the classifier about
    assert statuses(admin, tribe) == {"active": [NEW], "retired": [OLD]}


def test_a_parked_lesson_that_repeats_a_disputed_one_waits_no_longer(
    ada, park, memories, garden, tribe, admin
):
    ada.learn(OLD)
    parked = park(NEW, agent="bob")
    disputed = memories("bob", Role.WRITER).learn(NEW)
    assert disputed.outcome is Outcome.DISPUTED
    gardened = garden()
    assert (gardened.settled, gardened.parked) == (1, 0)
    assert statuses(admin, tribe) == {"active": [OLD], "disputed": [NEW], "retired": [NEW]}
    (retired,) = ada.history(parked.lesson_id).chain
    assert retired.flag == f"duplicate of {disputed.lesson_id}"
    assert len(dump(admin, tribe)["disputes"]) == 1
    check(admin, tribe)
    assert garden().settled == 0


def test_what_an_agent_said_later_is_not_overruled_by_what_it_said_before(
    ada, park, garden, tribe, admin
):
    """The lesson was parked, then the agent learnt again: the parked word is the older one."""
    ada.learn(OLD)
    parked = park(NEW)
    later = ada.learn(NEWER)
    assert garden().settled == 1
    assert statuses(admin, tribe) == {"active": [NEWER], "superseded": [OLD], "disputed": [NEW]}
    (dispute,) = dump(admin, tribe)["disputes"]
    assert (dispute["lesson_id"], dispute["target_id"]) == (parked.lesson_id, later.lesson_id)


def test_two_parked_lessons_of_one_topic_are_settled_in_the_order_they_came(
    ada, park, garden, tribe, admin
):
    ada.learn(OLD)
    park(NEW)
    park(NEWER)
    assert garden().settled == 2
    assert statuses(admin, tribe) == {"active": [NEWER], "superseded": [OLD, NEW]}


def test_a_lesson_that_stays_parked_leaves_no_trace(ada, park, garden, tribe, admin):
    ada.learn(OLD)
    park(NEW)
    before = dump(admin, tribe)
    gardened = garden(BROKEN)
    assert (gardened.settled, gardened.parked) == (0, 1)
    assert dump(admin, tribe) == before


def test_a_dry_run_only_counts_what_is_parked(ada, park, garden, tribe, admin):
    ada.learn(OLD)
    park(NEW)
    before = dump(admin, tribe)
    gardened = garden(dry_run=True)
    assert (gardened.settled, gardened.parked) == (0, 1)
    assert dump(admin, tribe) == before


def test_the_key_of_a_parked_lesson_keeps_its_first_answer(memories, ada, garden, tribe, admin):
    ada.learn(OLD)
    parked = memories(classifier=BROKEN).learn(NEW, idempotency_key="k")
    garden()
    assert memories().learn(NEW, idempotency_key="k") == parked
    assert statuses(admin, tribe) == {"active": [NEW], "superseded": [OLD]}


def test_two_gardeners_at_once_settle_a_lesson_once(ada, park, garden, wirings, tribe, admin):
    ada.learn(OLD)
    park(NEW)
    wiring = wirings()
    commit = counted_commit(wiring, lambda call: call == 1 and garden())
    gardened = gardener(wiring, tribe)(datetime.now(UTC), BUDGET)
    assert commit.raised == {"ConflictingStateError": 1}
    assert (gardened.settled, gardened.parked) == (0, 0)
    assert statuses(admin, tribe) == {"active": [NEW], "superseded": [OLD]}
    assert len(dump(admin, tribe)["decisions"]) == 3


@dataclass
class Slow:
    """Each classification takes its time on this clock."""

    clock: StoppedClock
    name: str = "slow"
    inner: ValueClassifier = field(default_factory=ValueClassifier)

    def classify(self, new, candidates):
        self.clock.sleep(40)
        return self.inner.classify(new, candidates)


def test_the_time_budget_ends_the_settling_between_two_lessons(ada, park, wirings, tribe, admin):
    for topic in ("ash", "elm", "oak"):
        ada.learn(f"{topic} {topic} {topic} one")
        park(f"{topic} {topic} {topic} two")
    clock = StoppedClock()
    wiring = wirings(classifier=Slow(clock), clock=clock)
    gardened = gardener(wiring, tribe)(datetime.now(UTC), timedelta(seconds=60))
    assert (gardened.settled, gardened.finished) == (2, False)
    assert len(statuses(admin, tribe)["pending"]) == 1
    rest = gardener(wiring, tribe)(datetime.now(UTC), timedelta(seconds=60))
    assert (rest.settled, rest.finished) == (1, True)
