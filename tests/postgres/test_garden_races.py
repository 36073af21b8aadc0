"""The gardener retires a lesson while others use it: one order, and the audit tells which."""

from concurrent.futures import ThreadPoolExecutor
from datetime import UTC, datetime, timedelta
from itertools import permutations
from threading import Event

import pytest

from tests.support.garden import gardener
from tests.support.sql import eventually, statuses, value, waiting
from tests.support.steps import counted_commit
from tributary.domain.errors import ConflictingStateError
from tributary.domain.plan import Outcome

FACT = "the billing port is 7001"
BUDGET = timedelta(minutes=5)
PATIENCE = 60


@pytest.fixture
def due(memory, tribe, admin):
    """A lesson that the gardener would retire now."""
    lesson = memory.learn(FACT).lesson_id
    admin.execute(
        "UPDATE lessons SET last_used_at = last_used_at - interval '400 days' WHERE tribe = %s",
        (tribe,),
    )
    return lesson


@pytest.fixture
def garden(wirings, tribe):
    return lambda: gardener(wirings(), tribe)(datetime.now(UTC), BUDGET)


def reinforced(memory, lesson):
    try:
        return memory.reinforce(lesson)
    except ConflictingStateError:
        return False


ORDERS = [list(order) for order in permutations(["garden", "reinforce", "learn", "recall"])]


@pytest.mark.parametrize("order", ORDERS, ids="-".join)
def test_in_every_order_the_fact_is_there_in_the_end_and_the_audit_says_why(
    memories, memory, due, garden, tribe, admin, order
):
    bob = memories("bob")
    acts = {
        "garden": garden,
        "reinforce": lambda: reinforced(bob, due),
        "learn": lambda: memory.learn(FACT),
        "recall": lambda: memory.recall("billing port"),
    }
    results = {name: acts[name]() for name in order}
    forgotten = order[0] == "garden"
    assert results["garden"].retired == ((due,) if forgotten else ())
    assert statuses(admin, tribe) == ({"active": [FACT], "retired": [FACT]} if forgotten
                                      else {"active": [FACT]})  # fmt: skip
    assert results["learn"].outcome is (Outcome.INSERTED if forgotten else Outcome.REINFORCED)
    assert results["reinforce"] is not forgotten
    actions = [one.action for one in reversed(memory.history(due).audit)]
    uses = ["reinforced"] * (0 if forgotten else 2)
    assert actions == ["active", *uses, *(["retired"] if forgotten else [])]


def test_a_learn_that_compared_with_a_lesson_retired_meanwhile_is_not_lost(
    memories, wirings, due, garden, tribe, admin
):
    wiring = wirings()
    commit = counted_commit(wiring, lambda call: call == 1 and garden())
    learned = memories(wiring=wiring).learn(FACT)
    assert commit.raised == {"StaleCandidatesError": 1}
    assert learned.outcome is Outcome.INSERTED
    assert learned.lesson_id != due
    assert statuses(admin, tribe) == {"active": [FACT], "retired": [FACT]}


@pytest.mark.parametrize("first", ["gardener", "agent"])
def test_who_waits_at_the_gate_sees_what_the_other_did(
    memory, wirings, due, garden, tribe, admin, first
):
    """Held at the gate together; the one in front decides, the other finds out."""
    inside, leave = Event(), Event()
    store = wirings().store

    def hold(transaction):
        value(transaction._connection, "SELECT 1")
        inside.set()
        assert leave.wait(PATIENCE)

    acts = {"gardener": garden, "agent": lambda: reinforced(memory, due)}
    order = [first, *(acts.keys() - {first})]
    with ThreadPoolExecutor(3) as pool:
        doorkeeper = pool.submit(store.in_gate, tribe, hold)
        assert inside.wait(PATIENCE)
        queue = []
        for place, name in enumerate(order, 1):
            queue.append(pool.submit(acts[name]))
            eventually(admin, lambda place=place: waiting(admin, "relation") == place)
        leave.set()
        doorkeeper.result(PATIENCE)
        results = dict(zip(order, [one.result(PATIENCE) for one in queue], strict=True))
    if first == "agent":
        assert results == {"agent": True, "gardener": results["gardener"]}
        assert results["gardener"].retired == ()
        assert statuses(admin, tribe) == {"active": [FACT]}
    else:
        assert results["gardener"].retired == (due,)
        assert results["agent"] is False
        assert statuses(admin, tribe) == {"retired": [FACT]}
