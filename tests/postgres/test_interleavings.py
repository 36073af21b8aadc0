"""Two actors on two connections, in every order that their steps can take.

Each order must end as one of those does in which the actors take turns: it must look as if one act
had come after the other, in what is told and in what is stored. The steps are those of
tests.support.steps.StepConnection; TRIBUTARY_INTERLEAVINGS=all cuts them finer, for about ten times
as many orders, and adds a meeting. Run with `-s` to see how many there are.
"""

import os
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from math import comb

import pytest

from tests.support.fakes import FixedClassifier
from tests.support.garden import gardener
from tests.support.stage import Meeting, Stage
from tributary.doctor.histories import Told, one_topic
from tributary.domain.errors import ClassifierFailedError
from tributary.domain.lesson import draft
from tributary.domain.roles import Role
from tributary.ports import Resolution
from tributary.usecases.garden import Gardened
from tributary.usecases.learn.attempt import new_attempt
from tributary.usecases.learn.classify import Classify

TOPIC = "the billing port is"
OLD, NEW, NEWER = (f"{TOPIC} {port}" for port in (7001, 7002, 7003))
ELSEWHERE = "ash yew oak elm"
ALL = os.environ.get("TRIBUTARY_INTERLEAVINGS") == "all"
BUDGET = timedelta(minutes=5)


@pytest.fixture
def stage(wirings, dsn, admin, tribe):
    made = Stage(wirings, dsn, admin, tribe)
    yield made
    made.close()


def learn(content, agent="ada", role=Role.CURATOR, **named):
    def act(scene, wiring):
        learned = scene.recorder.learn(scene.memory(wiring, agent, role), content, **named)
        scene.props.setdefault("old", learned and learned.lesson_id)
        return learned

    return act


def overtaken(content):
    """A learn that another overtook in its first round: it takes the lease of the topic."""

    def act(scene, wiring):
        first = wiring.prepare
        again = replace(wiring.learn, prepare=lambda attempt, round_: first(attempt, round_ + 1))
        learned = again(new_attempt(scene.actor(), draft(content), wiring.ids))
        scene.recorder.told.append(Told(content, learned))
        return learned

    return act


def retire(scene, wiring):
    return scene.memory(wiring).retire(scene.props["old"], "wrong")


def reinforce(scene, wiring):
    return scene.memory(wiring, "bob").reinforce(scene.props["old"])


def dispute(content):
    """Bob's word against Ada's."""

    def act(scene, wiring):
        learn(content, "bob", Role.WRITER)(scene, wiring)
        (scene.props["dispute"],) = wiring.ledger.disputes(scene.tribe, None, 10)

    return act


def resolve(resolution):
    def act(scene, wiring):
        dispute = scene.props["dispute"].id
        return wiring.curate.resolve(scene.actor("carol"), dispute, resolution).resolution.value

    return act


def due(scene, wiring):
    """Unused for so long that the gardener retires it."""
    scene.admin.execute(
        "UPDATE lessons SET last_used_at = last_used_at - interval '400 days' WHERE tribe = %s",
        (scene.tribe,),
    )


def tend(scene, wiring):
    gardened = gardener(wiring, scene.tribe)(datetime.now(UTC), BUDGET)
    return len(gardened.retired)


def park(content):
    """As if it had been learnt while the classifier was out of order."""

    def act(scene, wiring):
        out_of_order = Classify(FixedClassifier(ClassifierFailedError("out of order")))
        parking = replace(wiring.learn, classify=out_of_order)
        attempt = new_attempt(scene.actor(), draft(content), wiring.ids)
        scene.recorder.told.append(Told(content, parking(attempt)))

    return act


def settle(scene, wiring):
    garden = gardener(wiring, scene.tribe)
    done = garden._settle(scene.tribe, datetime.now(UTC) + BUDGET, Gardened(), dry_run=False)
    return done.settled, done.parked


NEW_TOPIC = {
    "opposite": Meeting([learn(OLD)], [learn(NEW)], topic=one_topic),
    "identical": Meeting([learn(OLD)], [learn(OLD)], topic=one_topic),
    "identical, of two agents": Meeting([learn(OLD)], [learn(OLD, "bob")], topic=one_topic),
    "unrelated": Meeting([learn(OLD)], [learn(ELSEWHERE)]),
    "under one key": Meeting([learn(OLD, idempotency_key="k")], [learn(OLD, idempotency_key="k")],
                             fine=True),
    "opposite, under one key": Meeting([learn(OLD, idempotency_key="k")],
                                       [learn(NEW, idempotency_key="k")], fine=True),
}  # fmt: skip
KNOWN_TOPIC = {
    f"{how} and {name}": Meeting([learn(content)], acts, [learn(OLD), *setup], topic=one_topic)
    for how, content in (("opposite", NEWER), ("identical", OLD))
    for name, acts, setup in (
        ("opposite", [learn(NEW)], []),
        ("retire", [retire], []),
        ("reinforce", [reinforce], []),
        ("the gardener", [tend], [due]),
        ("a parked lesson", [settle], [park(NEW)]),
    )
}
LEASED_TOPIC = {
    "overtaken and opposite": Meeting([overtaken(NEWER)], [learn(NEW)], [learn(OLD)],
                                      topic=one_topic),
    "overtaken and overtaken": Meeting([overtaken(NEWER)], [overtaken(NEW)], [learn(OLD)],
                                       topic=one_topic),
}  # fmt: skip
if ALL:
    LEASED_TOPIC["opposite and two in turn"] = Meeting(
        [learn(NEWER)], [learn(NEW), learn(OLD)], [learn(OLD)], topic=one_topic
    )
DISPUTED_TOPIC = {
    f"{how} and {resolution}": Meeting(
        [learn(content)], [resolve(resolution)], [learn(OLD), dispute(NEW)],
        topic=None if resolution is Resolution.KEEP_BOTH else one_topic,
    )
    for how, content in (("opposite", NEWER), ("identical", NEW))
    for resolution in Resolution
}  # fmt: skip
WITHOUT_LEARN = {
    "two gardeners": Meeting([settle], [settle], [learn(OLD), park(NEW)], topic=one_topic),
    "two resolutions": Meeting([resolve(Resolution.ACCEPT)], [resolve(Resolution.REJECT)],
                               [learn(OLD), dispute(NEW)], topic=one_topic),
}  # fmt: skip
MEETINGS = NEW_TOPIC | KNOWN_TOPIC | LEASED_TOPIC | DISPUTED_TOPIC | WITHOUT_LEARN


@pytest.mark.parametrize("name", MEETINGS)
def test_every_order_of_steps_ends_as_if_one_had_come_after_the_other(stage, name):
    meeting = replace(MEETINGS[name], fine=ALL or MEETINGS[name].fine)
    endings = stage.all_orders(meeting)
    turns = stage.in_turn(meeting)
    for run, ending in endings:
        assert ending in turns, run.story
    assert {ending for _, ending in endings} == turns
    assert any(run.blocked for run, _ in endings)
    assert sum(run.overlapped for run, _ in endings) == len(endings) - 2
    assert name not in LEASED_TOPIC or any("sleep" in run.story for run, _ in endings)
    print(f"{name}: {len(endings)} orders, {sum(run.blocked for run, _ in endings)} blocked")


def test_two_actors_who_never_meet_have_as_many_orders_as_their_steps_can_be_merged(stage):
    def steps(number):
        def act(scene, wiring):
            for _ in range(number):
                wiring.clock.step()

        return act

    endings = stage.all_orders(Meeting([steps(3)], [steps(2)]))
    assert len(endings) == comb(5, 2)
    assert not any(run.blocked for run, _ in endings)


def test_orders_in_which_a_use_is_lost_are_found(stage):
    """What the scheduler is for: a read, a step, a write that rests on the read."""

    def use(scene, wiring):
        wiring.clock.step()
        seen = scene.props.get("uses", 0)
        wiring.clock.step()
        scene.props["uses"] = seen + 1
        return seen + 1

    meeting = Meeting([use], [use])
    endings = stage.all_orders(meeting)
    turns = stage.in_turn(meeting)
    lost = [run.story for run, ending in endings if ending not in turns]
    assert len(lost) == 4
    assert len(endings) == comb(4, 2)
