"""Many writers on one topic at the same instant, with a classifier that takes its time."""

import time
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from statistics import mean, median
from threading import Barrier

import pytest

from tests.support.fakes import ValueClassifier
from tests.support.garden import gardener
from tests.support.history import Recorder, check_history
from tests.support.sql import statuses
from tributary.doctor.histories import one_topic
from tributary.domain.plan import Outcome, Policy

WRITERS = 16
LATENCY = 0.2  # seconds: that of a small model behind an API
TOPIC = "billing API port is"
BUDGET = timedelta(minutes=5)


@dataclass
class SlowClassifier(ValueClassifier):
    """Takes as long as a model does: what else happens meanwhile is the test."""

    def classify(self, new, candidates):
        time.sleep(LATENCY)
        return super().classify(new, candidates)


@dataclass
class Rush:
    """All writers together on one topic, and how often each learn was classified."""

    recorder: Recorder
    classified: list[int]


@pytest.fixture
def rush(memories, wirings):
    def rush(policy, known=True):
        recorder = Recorder()
        if known:
            recorder.learn(memories(), f"{TOPIC} 7000")
        classifiers = [SlowClassifier() for _ in range(WRITERS)]
        writers = [memories(wiring=wirings(classifier=one, policy=policy)) for one in classifiers]
        barrier = Barrier(WRITERS)

        def learn(number):
            barrier.wait(timeout=60)
            recorder.learn(writers[number], f"{TOPIC} {7001 + number}")

        with ThreadPoolExecutor(WRITERS) as pool:
            list(pool.map(learn, range(WRITERS)))
        return Rush(recorder, [one.calls for one in classifiers])

    return rush


@pytest.mark.parametrize("known", [True, False], ids=["known", "new"])
def test_a_learn_of_a_hot_topic_is_classified_at_most_twice_and_none_is_parked(
    rush, admin, tribe, known
):
    rushed = rush(Policy(), known)
    found = check_history(admin, tribe, rushed.recorder.told, topic=one_topic)
    assert median(rushed.classified) <= 2
    assert mean(rushed.classified) <= 2
    assert {one.learned.outcome for one in rushed.recorder.told} <= {
        Outcome.INSERTED, Outcome.SUPERSEDED,
    }  # fmt: skip
    assert max(one["rounds"] for one in found["decisions"]) <= Policy().max_rounds
    left = {status: len(which) for status, which in statuses(admin, tribe).items()}
    assert left == {"active": 1, "superseded": WRITERS - 1 + known}
    print(f"{sorted(rushed.classified)} classifications, mean {mean(rushed.classified)}")


def test_what_does_not_fit_into_the_rounds_is_parked_and_settled_by_the_gardener(
    rush, wirings, memories, admin, tribe
):
    rushed = rush(Policy(max_rounds=1))
    recorder = rushed.recorder
    found = check_history(admin, tribe, recorder.told, topic=one_topic)
    parked = [one for one in recorder.told if one.learned.outcome is Outcome.PENDING]
    assert 0 < len(parked) < WRITERS
    assert max(rushed.classified) == 1
    assert {one["rounds"] for one in found["decisions"] if one["outcome"] != "pending"} == {1}
    garden = gardener(wirings(), tribe)
    settled = 0
    while pending := statuses(admin, tribe).get("pending"):
        gardened = garden(datetime.now(UTC), BUDGET)
        assert gardened.settled > 0, pending
        settled += gardened.settled
    assert settled == len(parked)
    check_history(admin, tribe, recorder.told, topic=one_topic)
    left = statuses(admin, tribe)
    assert left.keys() <= {"active", "superseded", "disputed"}
    assert sum(map(len, left.values())) == WRITERS + 1
    print(f"{len(parked)} parked and settled; then { ({k: len(v) for k, v in left.items()}) }")
