"""The topic lease: one learner at a time classifies a topic that is contended."""

from collections.abc import Callable
from dataclasses import dataclass
from uuid import UUID

import pytest

from tests.support.fakes import StoppedClock, ValueClassifier
from tests.support.sql import statuses, value
from tests.support.steps import counted_commit
from tributary.domain.errors import SerializationConflictError, TopicBusyError
from tributary.domain.lesson import draft
from tributary.domain.plan import Outcome
from tributary.domain.roles import Actor, Role
from tributary.usecases.learn.attempt import new_attempt
from tributary.usecases.learn.prepare import LEASE_PATIENCE

TOPIC = "the billing port is"
FIRST, SECOND = UUID(int=1), UUID(int=2)


@dataclass
class BusyClock(StoppedClock):
    """Something happens while it sleeps."""

    meanwhile: Callable[[], object] = lambda: None

    def sleep(self, seconds: float) -> None:
        super().sleep(seconds)
        self.meanwhile()


@pytest.fixture
def old(memories):
    return memories().learn(f"{TOPIC} 7001")


@pytest.fixture
def store(wirings):
    return wirings().store


def held(admin, tribe):
    return value(admin, "SELECT count(*) FROM topic_leases WHERE tribe = %s", tribe)


def attempt(wiring, tribe, content):
    return new_attempt(Actor(tribe, "ada", Role.WRITER), draft(content), wiring.ids)


def test_a_lease_belongs_to_one_holder_who_may_take_it_again(store, tribe, old):
    assert store.take_lease(tribe, old.lesson_id, FIRST, 3_600)
    assert not store.take_lease(tribe, old.lesson_id, SECOND, 3_600)
    assert store.take_lease(tribe, old.lesson_id, FIRST, 3_600)


def test_a_lease_ends_by_itself(store, tribe, old):
    assert store.take_lease(tribe, old.lesson_id, FIRST, 0)
    assert store.take_lease(tribe, old.lesson_id, SECOND, 3_600)
    assert not store.take_lease(tribe, old.lesson_id, FIRST, 3_600)


def test_leases_of_other_topics_and_tribes_are_others(store, tribe, old, memories):
    memories(tribe=f"{tribe}-2")
    assert store.take_lease(tribe, old.lesson_id, FIRST, 3_600)
    assert store.take_lease(tribe, FIRST, SECOND, 3_600)
    assert store.take_lease(f"{tribe}-2", old.lesson_id, SECOND, 3_600)


@pytest.mark.parametrize(("seconds", "seen"), [(3_600, True), (0, False)])
def test_the_first_round_sees_a_lease_of_another_learner(wirings, store, tribe, old, seconds, seen):
    wiring = wirings()
    mine = attempt(wiring, tribe, f"{TOPIC} 7002")
    embedding = wiring.embedder.embed(mine.draft.content)
    store.take_lease(tribe, old.lesson_id, SECOND, seconds)
    assert store.neighbourhood(mine, embedding).leased is seen
    assert store.take_lease(tribe, old.lesson_id, mine.decision_id, 3_600) is not seen
    assert store.neighbourhood(mine, embedding).leased is seen  # its own is none to wait for


def test_a_learner_who_finds_the_topic_leased_waits_and_then_says_so(wirings, store, tribe, old):
    clock = StoppedClock()
    wiring = wirings(clock=clock)
    store.take_lease(tribe, old.lesson_id, SECOND, 3_600)
    with pytest.raises(TopicBusyError, match=str(old.lesson_id)):
        wiring.prepare(attempt(wiring, tribe, f"{TOPIC} 7002"), 1)
    assert len(clock.slept) == LEASE_PATIENCE
    assert max(clock.slept) <= 0.1


def test_a_learner_goes_on_as_soon_as_the_lease_ends(wirings, memories, store, tribe, old, admin):
    store.take_lease(tribe, old.lesson_id, SECOND, 3_600)
    clock = BusyClock(meanwhile=lambda: store.take_lease(tribe, old.lesson_id, SECOND, 0))
    classifier = ValueClassifier()
    learned = memories(wiring=wirings(classifier=classifier, clock=clock)).learn(f"{TOPIC} 7002")
    assert learned.outcome is Outcome.SUPERSEDED
    assert (len(clock.slept), classifier.calls) == (1, 1)
    assert held(admin, tribe) == 0


def test_a_second_round_holds_the_lease_while_it_classifies_and_ends_it_with_its_commit(
    wirings, memories, tribe, old, admin
):
    bob = memories()
    leases = []
    classifier = ValueClassifier(before=lambda: leases.append(held(admin, tribe)))
    wiring = wirings(classifier=classifier)
    commit = counted_commit(wiring, lambda call: call == 1 and bob.learn(f"{TOPIC} 7002"))
    learned = memories(wiring=wiring).learn(f"{TOPIC} 7003")
    assert learned.outcome is Outcome.SUPERSEDED
    assert commit.raised == {"StaleCandidatesError": 1}
    assert leases == [0, 1]
    assert held(admin, tribe) == 0


def test_a_second_round_that_fails_frees_its_topic_at_once(wirings, memories, store, tribe, old):
    bob = memories()
    wiring = wirings()

    def meanwhile(call):
        if call == 1:
            bob.learn(f"{TOPIC} 7002")
        else:
            raise SerializationConflictError("40001", 4)

    counted_commit(wiring, meanwhile)
    with pytest.raises(SerializationConflictError):
        memories(wiring=wiring).learn(f"{TOPIC} 7003")
    assert store.take_lease(tribe, old.lesson_id, SECOND, 3_600)


def test_a_topic_leased_for_ever_does_not_lose_the_lesson(
    wirings, memories, store, tribe, old, admin
):
    store.take_lease(tribe, old.lesson_id, SECOND, 3_600)
    parked = memories(wiring=wirings(clock=StoppedClock())).learn(f"{TOPIC} 7002")
    assert parked.outcome is Outcome.PENDING
    assert statuses(admin, tribe) == {"active": [f"{TOPIC} 7001"], "pending": [f"{TOPIC} 7002"]}
