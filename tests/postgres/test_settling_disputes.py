"""Disputes in a memory that goes on changing while they wait."""

from concurrent.futures import ThreadPoolExecutor

import pytest

from tests.support.fakes import FixedClassifier, ValueClassifier
from tests.support.invariants import check
from tests.support.sql import dump, statuses
from tests.support.steps import counted_commit
from tributary.domain.errors import (
    ClassifierFailedError,
    ConflictingStateError,
    TopicBusyError,
    TransientError,
)
from tributary.domain.plan import Outcome
from tributary.domain.roles import Actor, Role
from tributary.ports import Resolution

OLD, NEW, NEWER = (f"the billing port is {port}" for port in (7001, 7002, 7003))


@pytest.fixture
def ada(memories):
    return memories("ada")


@pytest.fixture
def bob(memories):
    return memories("bob", Role.WRITER)


@pytest.fixture
def old(ada):
    return ada.learn(OLD)


@pytest.fixture
def new(bob, old):
    """Bob's word against Ada's."""
    return bob.learn(NEW)


@pytest.fixture
def dispute(wiring, tribe, new):
    (found,) = wiring.ledger.disputes(tribe, None, 10)
    return found


@pytest.fixture
def settle(wiring, tribe, dispute):
    def settle(resolution, using=wiring):
        return using.curate.resolve(Actor(tribe, "carol", Role.CURATOR), dispute.id, resolution)

    return settle


def waiting(wiring, tribe):
    return [one.id for one in wiring.ledger.disputes(tribe, None, 10)]


def test_saying_it_again_opens_no_second_dispute(wiring, bob, new, dispute, tribe, admin):
    again = bob.learn(NEW, idempotency_key="again")
    assert (again.outcome, again.lesson_id) == (Outcome.DISPUTED, new.lesson_id)
    assert (again.target_id, again.flag) == (new.target_id, new.flag)
    assert again.decision_id != new.decision_id
    assert waiting(wiring, tribe) == [dispute.id]
    assert statuses(admin, tribe) == {"active": [OLD], "disputed": [NEW]}
    assert wiring.ledger.decision(tribe, again.decision_id).lesson_id == new.lesson_id
    assert bob.learn(NEW, idempotency_key="again") == again
    check(admin, tribe)


def test_the_same_word_of_another_agent_or_another_word_is_a_dispute_of_its_own(
    wiring, bob, memories, new, dispute, tribe, admin
):
    dave = memories("dave", Role.WRITER).learn(NEW)
    other = bob.learn(NEWER)
    assert len({new.lesson_id, dave.lesson_id, other.lesson_id}) == 3
    assert len(waiting(wiring, tribe)) == 3
    assert statuses(admin, tribe)["disputed"] == [NEW, NEW, NEWER]


@pytest.mark.parametrize("resolution", [Resolution.REJECT, Resolution.ACCEPT])
def test_once_it_is_settled_the_same_word_is_weighed_anew(
    wiring, bob, ada, new, settle, tribe, admin, resolution
):
    settle(resolution)
    if resolution is Resolution.ACCEPT:
        ada.learn(NEWER)
    again = bob.learn(NEW)
    assert again.outcome is Outcome.DISPUTED
    assert again.lesson_id != new.lesson_id
    assert len(waiting(wiring, tribe)) == 1
    check(admin, tribe)


def test_accepting_supersedes_what_came_in_the_place_of_a_retired_target(
    ada, settle, old, new, dispute, tribe, admin
):
    ada.retire(old.lesson_id, "wrong anyway")
    other = ada.learn(NEWER)
    assert other.outcome is Outcome.INSERTED
    settle(Resolution.ACCEPT)
    assert statuses(admin, tribe) == {"active": [NEW], "retired": [OLD], "superseded": [NEWER]}
    newest = ada.history(new.lesson_id).chain[-1]
    assert (newest.id, newest.supersedes) == (new.lesson_id, other.lesson_id)
    assert [one.content for one in ada.recall("billing port").lessons] == [NEW]
    check(admin, tribe)


@pytest.mark.parametrize("resolution", [Resolution.ACCEPT, Resolution.KEEP_BOTH])
def test_what_is_active_by_now_is_kept_once(ada, settle, new, dispute, tribe, admin, resolution):
    same = ada.learn(NEW)
    assert same.outcome is Outcome.SUPERSEDED
    assert settle(resolution).resolution is resolution
    assert statuses(admin, tribe) == {
        "active": [NEW], "superseded": [OLD], "retired": [NEW],
    }  # fmt: skip
    (retired,) = ada.history(new.lesson_id).chain
    assert retired.flag == f"duplicate of {same.lesson_id}"
    (active,) = ada.recall("billing port").lessons
    assert active.id == same.lesson_id
    assert ada.history(same.lesson_id).chain[-1].reinforcements == 1
    check(admin, tribe)


def test_a_learn_during_an_acceptance_makes_it_compare_again(
    ada, wirings, settle, dispute, new, tribe, admin
):
    using = wirings()
    commit = counted_commit(using, lambda call: call == 1 and ada.learn(NEWER))
    settle(Resolution.ACCEPT, using)
    assert commit.raised == {"StaleCandidatesError": 1}
    assert statuses(admin, tribe) == {"active": [NEW], "superseded": [OLD, NEWER]}
    assert [one.content for one in ada.history(new.lesson_id).chain] == [OLD, NEWER, NEW]
    check(admin, tribe)


def test_an_acceptance_during_a_learn_makes_that_compare_again(
    memories, wirings, settle, dispute, new, tribe, admin
):
    using = wirings()
    commit = counted_commit(using, lambda call: call == 1 and settle(Resolution.ACCEPT))
    newer = memories("ada", wiring=using).learn(NEWER)
    assert commit.raised == {"StaleCandidatesError": 1}
    assert (newer.outcome, newer.target_id) == (Outcome.SUPERSEDED, new.lesson_id)
    assert statuses(admin, tribe) == {"active": [NEWER], "superseded": [OLD, NEW]}
    check(admin, tribe)


def test_acceptance_and_learn_at_once_leave_one_truth(
    ada, wirings, settle, dispute, wiring, tribe, admin
):
    using = wirings()
    with ThreadPoolExecutor(2) as pool:
        settling = pool.submit(settle, Resolution.ACCEPT, using)
        learning = pool.submit(ada.learn, NEWER)
        assert settling.result().resolution is Resolution.ACCEPT
        assert learning.result().outcome is Outcome.SUPERSEDED
    found = statuses(admin, tribe)
    assert len(found["active"]) == 1
    assert sorted(found["active"] + found["superseded"]) == [OLD, NEW, NEWER]
    check(admin, tribe)


def test_a_dispute_settled_by_another_meanwhile_is_settled_once(
    wirings, settle, dispute, tribe, admin
):
    using = wirings()
    counted_commit(using, lambda call: call == 1 and settle(Resolution.REJECT))
    with pytest.raises(ConflictingStateError, match="retired"):
        settle(Resolution.ACCEPT, using)
    assert statuses(admin, tribe) == {"active": [OLD], "retired": [NEW]}
    check(admin, tribe)


def test_a_classifier_that_fails_leaves_the_dispute_open(
    wirings, wiring, settle, dispute, tribe, admin
):
    before = dump(admin, tribe)
    failing = wirings(classifier=FixedClassifier(ClassifierFailedError("throttled")))
    with pytest.raises(TopicBusyError) as raised:
        settle(Resolution.ACCEPT, failing)
    assert isinstance(raised.value, TransientError)
    assert dump(admin, tribe) == before
    assert settle(Resolution.ACCEPT, wirings(classifier=ValueClassifier())).resolution
    assert waiting(wiring, tribe) == []
    assert statuses(admin, tribe) == {"active": [NEW], "superseded": [OLD]}
