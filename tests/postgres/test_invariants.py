"""Whatever agents and curators do, in whatever order, the memory stays consistent."""

from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from itertools import count
from random import Random

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from tests.support.fakes import ValueClassifier
from tests.support.garden import gardener
from tests.support.invariants import check
from tests.support.sql import statuses
from tributary.domain.errors import ClassifierFailedError, ConflictingStateError
from tributary.domain.roles import Actor, Role
from tributary.memory import Memory
from tributary.ports import LessonFilter, Resolution

INTERVALS = {
    "always": {},
    "once": {"valid_from": datetime(2019, 1, 1, tzinfo=UTC),
             "valid_to": datetime(2020, 1, 1, tzinfo=UTC)},
    "since": {"valid_from": datetime(2019, 7, 1, tzinfo=UTC)},
    "until": {"valid_to": datetime(2999, 1, 1, tzinfo=UTC)},
}  # fmt: skip
AGENTS = {"ada": Role.CURATOR, "bob": Role.WRITER, "carol": Role.WRITER}
_numbers = count(1)

agents = st.sampled_from(sorted(AGENTS))
topics = st.sampled_from(["the billing port is", "the cache of the web shop lives in"])
values = st.integers(1, 3)
intervals = st.sampled_from(sorted(INTERVALS))
picks = st.integers(0, 20)
steps = st.one_of(
    st.tuples(st.just("learn"), agents, topics, values),
    st.tuples(st.just("learn"), agents, topics, values, intervals),
    st.tuples(st.just("park"), agents, topics, values),
    st.tuples(st.just("retire"), picks),
    st.tuples(st.just("reinforce"), agents, picks),
    st.tuples(st.just("resolve"), picks, st.sampled_from(Resolution)),
    st.tuples(st.just("recall"), agents, topics, intervals),
    st.tuples(st.just("garden"), st.integers(0, 200)),
)


@dataclass
class Moody(ValueClassifier):
    """A classifier that can be out of order."""

    broken: bool = False

    def classify(self, new, candidates):
        if self.broken:
            raise ClassifierFailedError("out of order")
        return super().classify(new, candidates)


class Office:
    """The agents of one tribe, who work over one connection."""

    def __init__(self, wiring, classifier, tribe):
        self.wiring, self.classifier, self.tribe = wiring, classifier, tribe
        self.wiring.registry.found(tribe)

    def memory(self, agent):
        return Memory(self.wiring, Actor(self.tribe, agent, AGENTS[agent]))

    def lesson(self, pick):
        known = self.wiring.ledger.lessons(self.tribe, LessonFilter())
        return known[pick % len(known)].id if known else None

    def learn(self, agent, topic, number, interval="always"):
        self.memory(agent).learn(f"{topic} {number}", **INTERVALS[interval])

    def park(self, agent, topic, number):
        self.classifier.broken = True
        self.learn(agent, topic, number)
        self.classifier.broken = False

    def retire(self, pick):
        if lesson := self.lesson(pick):
            self.memory("ada").retire(lesson, "so it was drawn")

    def reinforce(self, agent, pick):
        if lesson := self.lesson(pick):
            self.memory(agent).reinforce(lesson)

    def resolve(self, pick, resolution):
        if found := self.wiring.ledger.disputes(self.tribe, None, 50):
            dispute = found[pick % len(found)]
            self.wiring.curate.resolve(self.memory("ada")._actor, dispute.id, resolution)

    def recall(self, agent, topic, interval):
        now = self.memory(agent).recall(topic).lessons
        assert {one.status for one in now} <= {"active"}
        then = self.memory(agent).recall(topic, true_at=INTERVALS[interval].get("valid_to"))
        for one in (*now, *then.lessons):
            assert 0 <= one.score <= 1, one

    def garden(self, days):
        now = datetime.now(UTC) + timedelta(days=days)
        gardener(self.wiring, self.tribe)(now, timedelta(minutes=1))

    def do(self, step):
        name, *parts = step
        with suppress(ConflictingStateError):  # the draw may well be of a retired lesson
            getattr(self, name)(*parts)


@pytest.fixture
def office(wirings):
    """A factory of offices, each in a tribe of its own, over one connection."""
    classifier = Moody()
    wiring = wirings(classifier=classifier)
    return lambda: Office(wiring, classifier, f"office-{next(_numbers)}")


@settings(
    max_examples=60, deadline=None, derandomize=True, database=None,
    suppress_health_check=[HealthCheck.function_scoped_fixture],
)  # fmt: skip
@given(drawn=st.lists(steps, min_size=3, max_size=14))
def test_any_sequence_of_steps_keeps_the_invariants(office, admin, drawn):
    at = office()
    for step in drawn:
        at.do(step)
    check(admin, at.tribe)


@pytest.mark.parametrize("seed", [1, 2])
def test_agents_at_work_together_keep_the_invariants(wirings, admin, tribe, seed):
    """Each agent draws its own steps; what they meet in the middle is left to chance."""

    def work(number):
        draw = Random(seed * 100 + number)
        classifier = Moody()
        at = Office(wirings(classifier=classifier), classifier, tribe)
        agent = sorted(AGENTS)[number % 3]
        for _ in range(8):
            topic = draw.choice(["the billing port is", "the cache of the web shop lives in"])
            at.do(
                draw.choice([
                    ("learn", agent, topic, draw.randint(1, 9)),
                    ("learn", agent, topic, draw.randint(1, 9)),
                    ("reinforce", agent, draw.randint(0, 9)),
                    ("retire", draw.randint(0, 9)),
                    ("resolve", draw.randint(0, 9), draw.choice(list(Resolution))),
                    ("garden", draw.randint(0, 100)),
                ])
            )  # fmt: skip

    with ThreadPoolExecutor(4) as pool:
        list(pool.map(work, range(4)))
    check(admin, tribe)
    assert sum(map(len, statuses(admin, tribe).values())) >= 4
