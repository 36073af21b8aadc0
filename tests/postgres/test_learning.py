"""What one learner sees, on real PostgreSQL."""

import pytest

from tests.support.fakes import FixedClassifier
from tributary.domain.errors import ClassifierFailedError, IdempotencyKeyReusedError
from tributary.domain.plan import Outcome
from tributary.domain.roles import Role
from tributary.domain.verdict import Relation, Verdict


def statuses(memory, lesson_id):
    return [lesson.status.value for lesson in memory.history(lesson_id).chain]


def test_a_first_lesson_is_inserted_and_recalled(memories):
    memory = memories()
    learned = memory.learn("the billing port is 7001", tags=["billing"])
    assert learned.outcome is Outcome.INSERTED
    (found,) = memory.recall("billing port").lessons
    assert (found.id, found.content, found.tags) == (
        learned.lesson_id,
        "the billing port is 7001",
        ("billing",),
    )


def test_the_same_sentence_again_reinforces_the_first(memories):
    memory = memories()
    first = memory.learn("the billing port is 7001")
    again = memory.learn("  the billing port is 7001 ")
    assert (again.outcome, again.lesson_id) == (Outcome.REINFORCED, first.lesson_id)
    assert len(memory.recall("billing port").lessons) == 1


def test_nfc_and_nfd_are_the_same_sentence(memories):
    memory = memories()
    first = memory.learn("the caf\u00e9 opens at 8")
    again = memory.learn("the cafe\u0301 opens at 8")
    assert (again.outcome, again.lesson_id) == (Outcome.REINFORCED, first.lesson_id)


def test_a_contradiction_supersedes_and_keeps_the_old_one_in_the_chain(memories):
    memory = memories()
    old = memory.learn("the billing port is 7001")
    new = memory.learn("the billing port is 7002")
    assert (new.outcome, new.target_id) == (Outcome.SUPERSEDED, old.lesson_id)
    assert [one.content for one in memory.recall("billing port").lessons] == [
        "the billing port is 7002"
    ]
    assert statuses(memory, old.lesson_id) == ["superseded", "active"]


def test_a_writer_disputes_what_another_agent_said(memories):
    ada, bob = memories("ada", Role.WRITER), memories("bob", Role.WRITER)
    ada.learn("the billing port is 7001")
    disputed = bob.learn("the billing port is 7002")
    assert disputed.outcome is Outcome.DISPUTED
    assert [one.content for one in bob.recall("billing port").lessons] == [
        "the billing port is 7001"
    ]


def test_a_key_gives_one_lesson_and_the_first_answer(memories):
    memory = memories()
    first = memory.learn("the billing port is 7001", idempotency_key="k")
    memory.learn("the billing port is 7002")
    again = memory.learn("the billing port is 7001", idempotency_key="k")
    assert again == first


def test_a_key_with_another_request_is_refused(memories):
    memory = memories()
    memory.learn("the billing port is 7001", idempotency_key="k")
    with pytest.raises(IdempotencyKeyReusedError):
        memory.learn("the billing port is 7002", idempotency_key="k")


@pytest.mark.parametrize(
    "answer",
    [
        ClassifierFailedError("prose"),
        Verdict(Relation.CONTRADICTS, None, 0.9),
        Verdict(Relation.DUPLICATE, None, 0.9),
        Verdict(Relation.CONTRADICTS, None, 7.0),
    ],
)
def test_a_classifier_that_fails_parks_the_lesson_and_supersedes_nothing(memories, answer):
    memory = memories()
    old = memory.learn("the billing port is 7001")
    parked = memories(classifier=FixedClassifier(answer)).learn("the billing port is 7002")
    assert parked.outcome is Outcome.PENDING
    assert parked.flag is not None
    assert statuses(memory, old.lesson_id) == ["active"]
    assert [one.id for one in memory.recall("billing port").lessons] == [old.lesson_id]
