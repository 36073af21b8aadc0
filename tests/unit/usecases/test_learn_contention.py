"""Several learners of one topic, in an order that each test decides."""

from collections.abc import Callable
from datetime import timedelta
from itertools import count
from uuid import UUID

import pytest

from tests.support.fakes import FixedClassifier, ValueClassifier
from tests.unit.usecases.flows import TRIBE, Bench, workflow_
from tributary.domain.errors import (
    ClassifierFailedError,
    DatabaseUnavailableError,
    SerializationConflictError,
)
from tributary.domain.lesson import Status
from tributary.domain.plan import Outcome
from tributary.usecases.learn.prepare import LEASE_SECONDS, UNSETTLED

PORT = "billing API port is 7001"
STRANGER = UUID(int=99)


def interrupted(bench: Bench, *interruptions: Callable[[], object]) -> Bench:
    """A learner that is interrupted while its 1st, 2nd ... classification is pending."""
    waiting = iter(interruptions)
    return bench.with_(classifier=ValueClassifier(before=lambda: next(waiting, bool)()))


def active(bench: Bench) -> list[str]:
    return [one.draft.content for one in bench.store.of(TRIBE, Status.ACTIVE)]


def test_a_verdict_over_what_has_changed_is_not_acted_on(bench: Bench) -> None:
    bench.learn(PORT)
    slow = interrupted(bench, lambda: bench.learn("billing API port is 7002"))
    learned = slow.learn("billing API port is 7003")
    assert learned.outcome is Outcome.SUPERSEDED
    assert slow.taken == {"prepare": 2, "classify": 2, "commit": 2}
    chain = bench.store.of(TRIBE)
    assert [one.supersedes for one in chain] == [None, chain[0].id, chain[1].id]
    assert learned.target_id == chain[1].id
    assert active(bench) == ["billing API port is 7003"]


def test_a_rival_that_appears_in_an_empty_topic_is_seen(bench: Bench) -> None:
    bench.learn("billing port API docs")
    slow = interrupted(bench, lambda: bench.learn("billing API port is 7002"))
    assert slow.learn(PORT).outcome is Outcome.SUPERSEDED
    assert active(bench) == ["billing port API docs", PORT]


def test_the_same_sentence_learnt_meanwhile_is_reinforced(bench: Bench) -> None:
    bench.learn(PORT)
    slow = interrupted(bench, lambda: bench.learn("billing API port is 7002"))
    assert slow.learn("billing API port is 7002").outcome is Outcome.REINFORCED
    assert len(active(bench)) == 1
    assert slow.classifier.calls == 1  # the second time it is the same sentence


def test_a_target_that_was_retired_meanwhile_is_not_superseded(bench: Bench) -> None:
    first = bench.learn(PORT)

    def retire() -> None:
        key = (TRIBE, first.lesson_id)
        kept = bench.store.kept[key]
        values = {name: getattr(kept, name) for name in type(kept).__slots__}
        values |= {"status": Status.RETIRED, "vector": None, "revision": kept.revision + 1}
        bench.store.kept[key] = type(kept)(**values)

    learned = interrupted(bench, retire).learn("billing API port is 7002")
    assert (learned.outcome, learned.target_id) == (Outcome.INSERTED, None)


def test_what_changes_far_away_does_not_matter(bench: Bench) -> None:
    bench.learn(PORT)
    slow = interrupted(bench, lambda: bench.learn("bananas are yellow"))
    assert slow.learn("billing API port is 7002").outcome is Outcome.SUPERSEDED
    assert slow.taken == {"prepare": 1, "classify": 1, "commit": 1}


def test_a_topic_that_never_rests_parks_the_lesson_after_three_rounds(bench: Bench) -> None:
    bench.learn(PORT)
    ports = count(8000)

    def barge_in() -> None:
        bench.store.leases.clear()
        bench.learn(f"billing API port is {next(ports)}")

    slow = interrupted(bench, *[barge_in] * 9)
    parked = slow.learn("billing API port is 7002")
    assert (parked.outcome, parked.flag, parked.verdict) == (Outcome.PENDING, UNSETTLED, None)
    assert slow.taken == {"prepare": 4, "classify": 3, "commit": 4}
    assert active(bench) == ["billing API port is 8002"]
    assert [one.draft.content for one in bench.store.of(TRIBE, Status.PENDING)] == [
        "billing API port is 7002"
    ]


def test_a_second_classification_holds_the_topic_and_lets_it_go(bench: Bench) -> None:
    first = bench.learn(PORT)
    holders = []

    def look() -> None:
        holders.append(bench.store.leases.get((TRIBE, first.lesson_id)))

    slow = interrupted(bench, lambda: (look(), bench.learn("billing API port is 7002")), look)
    learned = slow.learn("billing API port is 7003")
    assert holders[0] is None
    assert holders[1] == (learned.decision_id, bench.clock.now() + timedelta(seconds=LEASE_SECONDS))
    assert bench.store.leases == {}


def test_a_topic_that_another_holds_is_waited_for(bench: Bench) -> None:
    first = bench.learn(PORT)
    bench.store.take_lease(TRIBE, first.lesson_id, STRANGER, seconds=5)
    begun = bench.clock.now()
    learned = bench.learn("billing API port is 7002")
    assert learned.outcome is Outcome.SUPERSEDED
    assert bench.clock.now() - begun > timedelta(seconds=5)
    assert bench.taken["prepare"] > 2


def test_a_topic_that_is_never_let_go_parks_the_lesson(bench: Bench) -> None:
    first = bench.learn(PORT)
    bench.store.take_lease(TRIBE, first.lesson_id, STRANGER, seconds=1e6)
    parked = bench.learn("billing API port is 7002")
    assert (parked.outcome, parked.flag) == (Outcome.PENDING, UNSETTLED)
    assert bench.taken["classify"] == 1  # that of the first lesson
    assert active(bench) == [PORT]


def test_the_sleeps_of_a_waiting_learner_are_short_and_uneven(bench: Bench) -> None:
    first = bench.learn(PORT)
    bench.store.take_lease(TRIBE, first.lesson_id, STRANGER, seconds=1)
    bench.learn("billing API port is 7002")
    assert len(set(bench.clock.slept)) == len(bench.clock.slept) > 5
    assert max(bench.clock.slept) <= 0.1


def test_a_failure_in_a_later_round_parks_and_forgets_the_earlier_verdict(bench: Bench) -> None:
    bench.learn(PORT)
    failing = FixedClassifier(ClassifierFailedError("busy"))
    slow = interrupted(bench, lambda: bench.learn("billing API port is 7002"))
    answer = slow.classifier.classify
    slow.classifier.classify = lambda new, candidates: (  # type: ignore[method-assign]
        failing.classify if slow.classifier.calls else answer
    )(new, candidates)
    parked = slow.learn("billing API port is 7003")
    assert (parked.outcome, parked.verdict) == (Outcome.PENDING, None)
    assert slow.taken == {"prepare": 2, "classify": 2, "commit": 2}
    assert active(bench) == ["billing API port is 7002"]


def test_only_the_workflow_commits_again_after_a_conflict(bench: Bench) -> None:
    bench.store.conflicts = 2
    if bench.runner is not workflow_:
        with pytest.raises(SerializationConflictError):
            bench.learn(PORT, key="k")
        bench.store.conflicts = 0
    learned = bench.learn(PORT, key="k")
    assert learned.outcome is Outcome.INSERTED
    if bench.execution:
        assert bench.execution.path == ["Prepare", "Route", "Classify", *["Commit"] * 3]
    assert len(bench.store.of(TRIBE)) == 1


@pytest.mark.parametrize(
    ("failures", "tries"), [({"conflicts": 99}, 6), ({"outages": 99}, 3)], ids=["40001", "down"]
)
def test_the_workflow_gives_up_by_name_and_the_key_can_be_used_again(
    bench: Bench, failures: dict[str, int], tries: int
) -> None:
    vars(bench.store).update(failures)
    with pytest.raises((SerializationConflictError, DatabaseUnavailableError)):
        bench.learn(PORT, key="k")
    assert bench.store.tries == (tries if bench.runner is workflow_ else 1)
    assert bench.store.of(TRIBE) == []
    vars(bench.store).update(dict.fromkeys(failures, 0))
    assert bench.learn(PORT, key="k").outcome is Outcome.INSERTED


def test_eight_learners_of_one_topic_leave_one_truth_in_one_chain(bench: Bench) -> None:
    bench.learn(PORT)
    answers = []

    def nested(number: int) -> None:
        if number < 7008:
            slow = interrupted(bench, lambda: nested(number + 1))
            answers.append(slow.learn(f"billing API port is {number}"))

    nested(7002)
    assert {one.outcome for one in answers} == {Outcome.SUPERSEDED}
    chain = bench.store.of(TRIBE)
    assert [one.status for one in chain] == [Status.SUPERSEDED] * 6 + [Status.ACTIVE]
    assert [one.supersedes for one in chain[1:]] == [one.id for one in chain[:-1]]
    assert {one.target_id for one in answers} == {one.id for one in chain[:-1]}
