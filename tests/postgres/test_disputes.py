"""Contradictions that a writer may not settle, and what a curator makes of them."""

import pytest

from tests.support.sql import dump, statuses
from tributary.domain.errors import ConflictingStateError, ForbiddenError, NotFoundError
from tributary.domain.plan import Outcome
from tributary.domain.roles import Actor, Role
from tributary.ports import Resolution

OLD, NEW, NEWER = (f"the billing port is {port}" for port in (7001, 7002, 7003))


@pytest.fixture
def ada(memories):
    return memories("ada")


@pytest.fixture
def old(ada):
    return ada.learn(OLD)


@pytest.fixture
def new(memories, old):
    """Bob's word against Ada's."""
    return memories("bob", Role.WRITER).learn(NEW)


@pytest.fixture
def dispute(wiring, tribe, new):
    (found,) = wiring.ledger.disputes(tribe, None, 10)
    return found


@pytest.fixture
def settle(wiring, tribe, dispute):
    def settle(resolution, role=Role.CURATOR, **parts):
        return wiring.curate.resolve(Actor(tribe, "carol", role), dispute.id, resolution, **parts)

    return settle


def links(ada, lesson_id):
    return [
        (one.content, one.status.value, one.supersedes is not None, one.superseded_by is not None)
        for one in ada.history(lesson_id).chain
    ]


def test_a_dispute_names_both_lessons_and_who_opened_it(dispute, old, new):
    assert new.outcome is Outcome.DISPUTED
    assert (dispute.lesson_id, dispute.target_id) == (new.lesson_id, old.lesson_id)
    assert (dispute.opened_by, dispute.resolution) == ("bob", None)


def test_accepting_supersedes_the_old_lesson(ada, settle, old, new):
    settled = settle(Resolution.ACCEPT, reason="Bob looked it up")
    assert (settled.resolution, settled.resolved_by) == (Resolution.ACCEPT, "carol")
    assert settled.reason == "Bob looked it up"
    assert links(ada, old.lesson_id) == [
        (OLD, "superseded", False, True),
        (NEW, "active", True, False),
    ]
    older, newer = ada.history(new.lesson_id).chain
    assert older.deactivated_at == newer.activated_at == settled.resolved_at
    assert [one.content for one in ada.recall("billing port").lessons] == [NEW]
    assert newer.source_agent == "bob"


def test_rejecting_retires_the_new_lesson_and_says_why(ada, settle, old, new, tribe, admin):
    settle(Resolution.REJECT, reason="a typing error")
    assert statuses(admin, tribe) == {"active": [OLD], "retired": [NEW]}
    (rejected,) = ada.history(new.lesson_id).chain
    assert rejected.flag == "a typing error"
    assert rejected.activated_at is rejected.deactivated_at is None
    assert [one.content for one in ada.recall("billing port").lessons] == [OLD]


def test_keeping_both_makes_two_lineages(ada, settle, old, new, tribe, admin):
    settle(Resolution.KEEP_BOTH)
    assert statuses(admin, tribe) == {"active": [OLD, NEW]}
    assert links(ada, old.lesson_id) == [(OLD, "active", False, False)]
    assert links(ada, new.lesson_id) == [(NEW, "active", False, False)]
    assert len(ada.recall("billing port").lessons) == 2


@pytest.mark.parametrize("resolution", Resolution)
def test_the_audit_tells_who_settled_it(ada, settle, new, resolution):
    settle(resolution)
    entry, opened = ada.history(new.lesson_id).audit
    assert (opened.action, opened.agent) == ("disputed", "bob")
    assert (entry.action, entry.agent) == (
        "retired" if resolution is Resolution.REJECT else "active",
        "carol",
    )


def test_accepting_after_the_target_was_superseded_supersedes_what_is_true_now(
    ada, settle, old, new, dispute, tribe, admin
):
    ada.learn(NEWER)
    settle(Resolution.ACCEPT)
    assert links(ada, old.lesson_id) == [
        (OLD, "superseded", False, True),
        (NEWER, "superseded", True, True),
        (NEW, "active", True, False),
    ]
    assert statuses(admin, tribe) == {"active": [NEW], "superseded": [OLD, NEWER]}


def test_accepting_after_the_target_was_retired_supersedes_nothing(
    ada, settle, old, new, dispute, tribe, admin
):
    ada.retire(old.lesson_id, "wrong anyway")
    settle(Resolution.ACCEPT)
    assert links(ada, old.lesson_id) == [(OLD, "retired", False, False)]
    assert links(ada, new.lesson_id) == [(NEW, "active", False, False)]


@pytest.mark.parametrize("resolution", [Resolution.REJECT, Resolution.KEEP_BOTH])
def test_other_resolutions_leave_alone_what_became_of_the_target(
    ada, settle, old, new, dispute, tribe, admin, resolution
):
    ada.learn(NEWER)
    settle(resolution)
    assert links(ada, old.lesson_id) == [
        (OLD, "superseded", False, True),
        (NEWER, "active", True, False),
    ]


def test_two_disputes_about_one_lesson_are_settled_one_after_the_other(
    ada, memories, wiring, settle, old, new, dispute, tribe, admin
):
    third = memories("dave", Role.WRITER).learn(NEWER)
    assert third.outcome is Outcome.DISPUTED
    settle(Resolution.ACCEPT)
    (left,) = wiring.ledger.disputes(tribe, None, 10)
    wiring.curate.resolve(Actor(tribe, "carol", Role.CURATOR), left.id, Resolution.ACCEPT)
    assert links(ada, old.lesson_id) == [
        (OLD, "superseded", False, True),
        (NEW, "superseded", True, True),
        (NEWER, "active", True, False),
    ]
    assert wiring.ledger.disputes(tribe, None, 10) == ()


@pytest.mark.parametrize("second", Resolution)
def test_a_dispute_is_settled_once(settle, tribe, admin, second):
    settle(Resolution.KEEP_BOTH)
    before = dump(admin, tribe)
    with pytest.raises(ConflictingStateError, match="keep_both"):
        settle(second)
    assert dump(admin, tribe) == before


def test_a_writer_settles_nothing_and_an_unknown_dispute_is_not_found(
    settle, wiring, tribe, admin, new
):
    before = dump(admin, tribe)
    with pytest.raises(ForbiddenError):
        settle(Resolution.ACCEPT, Role.WRITER)
    with pytest.raises(NotFoundError, match="dispute"):
        wiring.curate.resolve(Actor(tribe, "c", Role.CURATOR), new.lesson_id, Resolution.ACCEPT)
    assert dump(admin, tribe) == before


def test_a_writer_may_supersede_its_own_word_but_not_a_protected_one(memories, tribe, admin):
    bob = memories("bob", Role.WRITER)
    first = bob.learn(OLD)
    assert bob.learn(NEW).outcome is Outcome.SUPERSEDED
    admin.execute("UPDATE lessons SET protected = true WHERE tribe = %s", (tribe,))
    assert bob.learn(NEWER).outcome is Outcome.DISPUTED
    assert statuses(admin, tribe) == {"superseded": [OLD], "active": [NEW], "disputed": [NEWER]}
    assert bob.history(first.lesson_id).chain[-1].content == NEW
