"""Verdicts that something overtook between the reading of the candidates and the commit."""

from concurrent.futures import ThreadPoolExecutor
from threading import Barrier

import pytest

from tests.support.fakes import FixedClassifier, ValueClassifier
from tests.support.sql import statuses
from tests.support.steps import counted_commit
from tributary.domain.plan import Outcome
from tributary.domain.verdict import Relation, Verdict

TOPIC = "the billing port is"


def rounds(wirings, tribe, learned):
    return wirings().ledger.decision(tribe, learned.decision_id).rounds


def bump(admin, tribe, content):
    """As if something had changed this lesson just now."""
    admin.execute(
        "UPDATE lessons SET revision = 1 + (SELECT max(revision) FROM lessons WHERE tribe = %s)"
        " WHERE tribe = %s AND content = %s",
        (tribe, tribe, content),
    )


def test_two_learns_of_one_sentence_held_before_commit_are_one_lesson(
    memories, wirings, tribe, admin
):
    barrier = Barrier(2)
    made = [wirings() for _ in range(2)]
    commits = [
        counted_commit(one, lambda call: call == 1 and barrier.wait(timeout=60)) for one in made
    ]
    learners = [memories(wiring=one) for one in made]
    with ThreadPoolExecutor(2) as pool:
        answers = list(pool.map(lambda one: one.learn(f"{TOPIC} 7001"), learners))
    first, second = sorted(answers, key=lambda one: one.outcome)
    assert (first.outcome, second.outcome) == (Outcome.INSERTED, Outcome.REINFORCED)
    assert second.lesson_id == first.lesson_id
    assert [one.raised["StaleCandidatesError"] for one in commits] in ([0, 1], [1, 0])
    assert statuses(admin, tribe) == {"active": [f"{TOPIC} 7001"]}
    assert [rounds(wirings, tribe, one) for one in (first, second)] == [1, 2]


def test_what_changes_far_away_does_not_make_a_verdict_stale(memories, wirings, tribe):
    memories().learn(f"{TOPIC} 7001")
    elsewhere = memories("bob")
    wiring = wirings(
        classifier=ValueClassifier(before=lambda: elsewhere.learn("Lisbon has seven hills"))
    )
    commit = counted_commit(wiring)
    learned = memories(wiring=wiring).learn(f"{TOPIC} 7002")
    assert learned.outcome is Outcome.SUPERSEDED
    assert (commit.calls, commit.raised.total()) == (1, 0)
    assert rounds(wirings, tribe, learned) == 1


def test_a_near_lesson_learnt_meanwhile_is_compared_with_in_a_second_round(
    memories, wirings, tribe, admin
):
    first, bob = memories(), memories()
    old = first.learn(f"{TOPIC} 7001")
    classifier = ValueClassifier()
    meanwhile = iter([lambda: bob.learn(f"{TOPIC} 7002")])
    classifier.before = lambda: next(meanwhile, lambda: None)()
    wiring = wirings(classifier=classifier)
    commit = counted_commit(wiring)
    learned = memories(wiring=wiring).learn(f"{TOPIC} 7003")
    assert learned.outcome is Outcome.SUPERSEDED
    assert learned.target_id != old.lesson_id
    assert commit.raised == {"StaleCandidatesError": 1}
    assert classifier.calls == 2
    assert statuses(admin, tribe) == {
        "active": [f"{TOPIC} 7003"],
        "superseded": [f"{TOPIC} 7001", f"{TOPIC} 7002"],
    }


@pytest.mark.parametrize("content", [f"{TOPIC} 7002", f"{TOPIC} 7001"])
def test_a_target_retired_meanwhile_is_neither_superseded_nor_reinforced(
    memories, wirings, tribe, admin, content
):
    curator = memories()
    old = curator.learn(f"{TOPIC} 7001")
    wiring = wirings()
    commit = counted_commit(
        wiring, lambda call: call == 1 and curator.retire(old.lesson_id, "wrong")
    )
    learned = memories(wiring=wiring).learn(content)
    assert learned.outcome is Outcome.INSERTED
    assert commit.raised == {"StaleCandidatesError": 1}
    assert statuses(admin, tribe) == {"active": [content], "retired": [f"{TOPIC} 7001"]}


def test_a_topic_that_never_settles_ends_parked_beside_one_truth(memories, wirings, tribe, admin):
    memories().learn(f"{TOPIC} 7001")
    classifier = ValueClassifier(before=lambda: bump(admin, tribe, f"{TOPIC} 7001"))
    wiring = wirings(classifier=classifier)
    commit = counted_commit(wiring)
    parked = memories(wiring=wiring).learn(f"{TOPIC} 7002", idempotency_key="k")
    assert parked.outcome is Outcome.PENDING
    assert "others kept changing this topic" in parked.flag
    assert commit.raised == {"StaleCandidatesError": 3}
    assert classifier.calls == 3
    assert statuses(admin, tribe) == {"active": [f"{TOPIC} 7001"], "pending": [f"{TOPIC} 7002"]}
    assert memories().learn(f"{TOPIC} 7002", idempotency_key="k") == parked


def test_a_novel_verdict_is_stale_too_when_a_near_lesson_came_meanwhile(
    memories, wirings, tribe, admin
):
    bob = memories()
    wiring = wirings()
    commit = counted_commit(wiring, lambda call: call == 1 and bob.learn(f"{TOPIC} 7001"))
    learned = memories(wiring=wiring).learn(f"{TOPIC} 7002")
    assert learned.outcome is Outcome.SUPERSEDED
    assert commit.raised == {"StaleCandidatesError": 1}


def test_a_sentence_that_takes_back_and_replaces_loses_neither(memories, tribe, admin):
    old = memories().learn("The nightly job runs at 02:00.")
    changed = "The nightly job never runs at 02:00 any more; it runs at 04:30."
    verdict = Verdict(Relation.CONTRADICTS, old.lesson_id, 0.9)
    new = memories(classifier=FixedClassifier(verdict)).learn(changed)
    assert (new.outcome, new.target_id) == (Outcome.SUPERSEDED, old.lesson_id)
    assert statuses(admin, tribe) == {
        "active": [changed],
        "superseded": ["The nightly job runs at 02:00."],
    }
