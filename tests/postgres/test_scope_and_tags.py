"""Where a lesson holds, and under which tags it is found."""

import pytest

from tests.support.invariants import check
from tests.support.sql import statuses
from tributary.domain.lesson import MAX_TAGS
from tributary.domain.plan import Outcome
from tributary.domain.roles import Role

PORT, OTHER = "the billing port is 7001", "the billing port is 7002"


def tagged(memory, *tags):
    return [one.content for one in memory.recall("billing port", tags=tags).lessons]


def tags_of(memory, learned):
    return memory.history(learned.lesson_id).chain[-1].tags


@pytest.mark.parametrize("content", [PORT, OTHER])
def test_what_holds_in_two_places_is_two_lessons(memory, tribe, admin, content):
    here = memory.learn(PORT, situation="production")
    there = memory.learn(content, situation="staging")
    assert [one.outcome for one in (here, there)] == [Outcome.INSERTED] * 2
    assert statuses(admin, tribe) == {"active": [PORT, content]}
    assert memory.history(there.lesson_id).chain[0].lineage == there.lesson_id


def test_each_place_has_its_own_updates(memory):
    learned = {place: memory.learn(PORT, situation=place) for place in ("staging", "eu production")}
    for place, old in learned.items():
        new = memory.learn(OTHER, situation=place.upper())
        assert (new.outcome, new.target_id) == (Outcome.SUPERSEDED, old.lesson_id)
        assert new.verdict.others == ()


@pytest.mark.parametrize(
    ("first", "second"),
    [
        ("while moving the cluster", "after the third outage"),
        ("staging", "after the third outage"),
        ("staging", None),
        (None, "staging"),
        ("staging", " Staging "),
    ],
)
def test_how_it_was_learnt_does_not_keep_lessons_apart(memory, first, second):
    old = memory.learn(PORT, situation=first)
    new = memory.learn(OTHER, situation=second)
    assert (new.outcome, new.target_id) == (Outcome.SUPERSEDED, old.lesson_id)


def test_another_agents_word_about_another_place_is_no_reason_for_a_dispute(memory, memories):
    memory.learn(PORT, situation="production")
    bob = memories("bob", Role.WRITER)
    assert bob.learn(OTHER, situation="staging").outcome is Outcome.INSERTED
    assert bob.learn(OTHER, situation="production").outcome is Outcome.DISPUTED


def test_a_repeated_lesson_is_found_under_the_new_tag_too(memory, memories, tribe, admin):
    old = memory.learn(PORT, tags=["billing", "ports"])
    bob = memories("bob", Role.WRITER)
    again = bob.learn(PORT, tags=["ports", "invoices"])
    assert (again.outcome, again.lesson_id) == (Outcome.REINFORCED, old.lesson_id)
    assert tags_of(memory, old) == ("billing", "ports", "invoices")
    for tags in (["billing"], ["invoices"], ["ports", "invoices"]):
        assert tagged(memory, *tags) == [PORT]
    assert tagged(memory, "payroll") == []
    check(admin, tribe)


def test_tags_that_are_there_already_stay_as_they_are(memory):
    old = memory.learn(PORT, tags=["b", "a"])
    for tags in ([], ["a"], ["a", "b"]):
        memory.learn(PORT, tags=tags)
        assert tags_of(memory, old) == ("b", "a")


def test_a_lesson_has_no_more_tags_than_it_may_and_keeps_the_first(memory):
    first = [f"first{number}" for number in range(MAX_TAGS - 1)]
    old = memory.learn(PORT, tags=first)
    memory.learn(PORT, tags=["second", "third"])
    found = tags_of(memory, old)
    assert len(found) == MAX_TAGS
    assert list(found[:-1]) == first
    assert found[-1] in ("second", "third")


def test_the_tags_of_what_is_replaced_are_not_taken_over(memory):
    memory.learn(PORT, tags=["billing"])
    new = memory.learn(OTHER, tags=["ports"])
    assert tags_of(memory, new) == ("ports",)
    assert tagged(memory, "billing") == []
