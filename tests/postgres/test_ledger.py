"""Reading the tribe: lists, pages and counts."""

import pytest

from tributary.domain.lesson import Status
from tributary.domain.roles import Role
from tributary.ports import LessonFilter


@pytest.fixture
def ledger(wirings):
    return wirings().ledger


@pytest.fixture
def lessons(memories):
    """Two retired, one superseded, one disputed, the rest active; oldest first."""
    ada, bob = memories("ada"), memories("bob", Role.WRITER)
    learned = [
        (ada, bob)[number % 2].learn(
            f"fact{number} is about subject{number}", tags=[f"tag{number % 3}", "all"]
        )
        for number in range(9)
    ]
    for one in learned[:2]:
        ada.retire(one.lesson_id, "wrong")
    ada.learn("fact2 is about subject2b", tags=["all"])
    bob.learn("fact4 is about subject4b", tags=["all"])
    return learned


def pages(read, size):
    """Every page until an empty one, by the id that the last one ended with."""
    found, after = [], None
    while page := read(after, size):
        assert len(page) <= size
        found.append(page)
        after = page[-1].id
    return found


@pytest.mark.parametrize("size", [1, 4, 11, 50])
def test_pages_of_lessons_are_newest_first_and_leave_nothing_out(ledger, lessons, tribe, size):
    whole = ledger.lessons(tribe, LessonFilter())
    read = pages(
        lambda after, size: ledger.lessons(tribe, LessonFilter(after=after, limit=size)), size
    )
    assert [one.id for page in read for one in page] == [one.id for one in whole]
    assert [one.id for one in whole] == sorted((one.id for one in whole), reverse=True)
    assert len(whole) == 11


@pytest.mark.parametrize(
    ("wanted", "number"),
    [
        (LessonFilter(status=Status.RETIRED), 2),
        (LessonFilter(status=Status.DISPUTED), 1),
        (LessonFilter(status=Status.PENDING), 0),
        (LessonFilter(tag="all"), 11),
        (LessonFilter(tag="tag1"), 3),
        (LessonFilter(tag="tag"), 0),
        (LessonFilter(agent="bob"), 5),
        (LessonFilter(agent="BOB"), 0),
        (LessonFilter(agent="bob", tag="tag1", status=Status.RETIRED), 1),
    ],
)
def test_filters_narrow_the_list(ledger, lessons, tribe, wanted, number):
    assert len(ledger.lessons(tribe, wanted)) == number


def test_pages_of_the_audit_are_newest_first_and_leave_nothing_out(ledger, lessons, tribe):
    whole = ledger.audit(tribe, None, None, 100)
    read = pages(lambda after, size: ledger.audit(tribe, None, after, size), 4)
    assert [entry for page in read for entry in page] == list(whole)
    assert [one.at for one in whole] == sorted((one.at for one in whole), reverse=True)
    assert len(whole) == 11 + 2 + 1


def test_the_audit_of_one_lesson_is_of_that_lesson_alone(ledger, lessons, tribe):
    entries = ledger.audit(tribe, lessons[0].lesson_id, None, 100)
    assert [one.action for one in entries] == ["retired", "active"]
    assert {one.lesson_id for one in entries} == {lessons[0].lesson_id}


def test_pages_of_open_disputes_are_oldest_first(ledger, memories, tribe):
    ada, bob = memories("ada"), memories("bob", Role.WRITER)
    for topic in ("ash", "elm", "oak"):
        ada.learn(f"{topic} {topic} {topic} one")
        bob.learn(f"{topic} {topic} {topic} two")
    whole = ledger.disputes(tribe, None, 100)
    read = pages(lambda after, size: ledger.disputes(tribe, after, size), 2)
    assert [one for page in read for one in page] == list(whole)
    assert [one.opened_at for one in whole] == sorted(one.opened_at for one in whole)
    assert len(whole) == 3


def test_the_counts_add_up(ledger, lessons, memories, tribe):
    memories().recall("fact7")
    assert ledger.stats(tribe) == {
        "active": 7, "retired": 2, "superseded": 1, "disputed": 1, "recalls": 1,
        "decisions": 11, "disputes": 1, "revision": 13,
    }  # fmt: skip


def test_an_empty_tribe_has_nothing_to_count(ledger, tribe):
    assert ledger.stats(tribe) == {"recalls": 0, "decisions": 0, "disputes": 0, "revision": 0}
    assert ledger.lessons(tribe, LessonFilter()) == ()


def test_a_decision_tells_what_was_compared_and_decided(ledger, memories, tribe):
    memory = memories()
    old = memory.learn("the billing port is 7001")
    new = memory.learn("the billing port is 7002")
    decision = ledger.decision(tribe, new.decision_id)
    ((compared, similarity),) = decision.candidates
    assert compared == old.lesson_id
    assert similarity == pytest.approx(0.8, abs=0.1)
    assert (decision.outcome, decision.target_id) == (new.outcome, old.lesson_id)
    assert (decision.verdict, decision.classifier) == (new.verdict, "value")
    assert (decision.agent, decision.rounds, decision.retries) == ("ada", 1, 0)
    assert ledger.decision(tribe, old.decision_id).classifier == "none"
