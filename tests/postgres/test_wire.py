"""What goes over the wire, as a relay between the client and the server writes it down.

RDS Proxy pins a connection on all that is forbidden here, and each wait is a round trip.
"""

import re
from datetime import UTC, datetime, timedelta

import pytest

from tests.support.garden import gardener
from tests.support.wire import CLIENT, relay
from tributary.adapters.postgres.database import connector
from tributary.domain.lesson import draft
from tributary.domain.roles import Actor, Role
from tributary.ports import LessonFilter, Resolution
from tributary.usecases.learn.attempt import new_attempt

PINS = re.compile(
    r"\A\s*(SET|RESET|DISCARD|PREPARE|DECLARE|LISTEN|NOTIFY|CREATE)\b"
    r"|\bset_config\b|\bnextval\b|\bsetval\b|\bpg_(try_)?advisory|\bTEMP(ORARY)?\b",
    re.IGNORECASE,
)
MAX_TEXT = 16_384  # bytes


@pytest.fixture
def line(dsn):
    with relay(dsn) as made:
        yield made


@pytest.fixture
def wiring(line, dsn, wirings):
    return wirings(connect=connector(conninfo=line.conninfo(dsn)))


@pytest.fixture
def memory(memories, wiring, line):
    made = memories(wiring=wiring)
    made.learn("the first lesson connects and looks the gate up")
    line.messages.clear()
    return made


def do_everything(memory, memories, wiring, tribe):
    """Every kind of call there is, and each way that a learn can end."""
    old = memory.learn("the billing port is 7001", idempotency_key="k", tags=["billing"])
    memory.learn("the billing port is 7001", idempotency_key="k", tags=["billing"])
    memory.learn("the billing port is 7001")
    new = memory.learn("the billing port is 7002")
    now = datetime.now(UTC)
    memory.recall("billing port", tags=["billing"])
    memory.recall("billing port", as_of=now)
    memory.recall("billing port", as_of=now, true_at=now)
    memory.reinforce(new.lesson_id)
    memory.history(old.lesson_id)
    wiring.store.take_lease(tribe, old.lesson_id, old.decision_id, 0)
    memories("bob", Role.WRITER, wiring=wiring).learn("the billing port is 7003")
    (dispute,) = wiring.ledger.disputes(tribe, None, 10)
    wiring.curate.resolve(Actor(tribe, "ada", Role.CURATOR), dispute.id, Resolution.ACCEPT)
    memory.retire(memory.recall("billing port").lessons[0].id, "wrong")
    wiring.ledger.lessons(tribe, LessonFilter())
    wiring.ledger.decision(tribe, old.decision_id)
    wiring.ledger.stats(tribe)
    for dry_run in (True, False):
        gardener(wiring, tribe)(now, timedelta(minutes=1), dry_run=dry_run)
    founder = wiring.agents.found(tribe, "ada")
    wiring.agents.identify(founder.key)
    wiring.agents.add(Actor(tribe, "ada", Role.CURATOR), "bob", Role.READER)
    wiring.agents.revoke(Actor(tribe, "ada", Role.CURATOR), "bob")
    wiring.agents.all(Actor(tribe, "ada", Role.CURATOR))


def test_nothing_is_sent_that_pins_a_proxied_connection(memory, memories, wiring, tribe, line):
    do_everything(memory, memories, wiring, tribe)
    assert len(set(line.texts())) > 30
    assert [text for text in line.texts() if PINS.search(text)] == []
    assert {name for name, _ in line.sent()} == {""}
    assert max(len(text.encode()) for text in line.texts()) < MAX_TEXT
    simple = [one for one in line.messages if one.sender == CLIENT and one.kind in "QF"]
    assert simple == []


def test_no_portal_is_left_open_as_a_cursor(memory, memories, wiring, tribe, line):
    do_everything(memory, memories, wiring, tribe)
    binds = [one for one in line.messages if one.sender == CLIENT and one.kind == "B"]
    executes = [one for one in line.messages if one.sender == CLIENT and one.kind == "E"]
    assert {one.body.split(b"\0")[0] for one in binds} == {b""}
    assert {one.body[-4:] for one in executes} == {b"\0\0\0\0"}  # all rows at once


def test_connecting_sends_no_statement(memory, memories, wiring, line):
    wiring.database.close()
    line.messages.clear()
    memory.recall("billing port")
    assert len(line.texts()) == 1
    assert "recall_now(" in line.texts()[0]


def test_every_write_to_lessons_is_serializable_and_behind_the_gate(
    memory, memories, wiring, tribe, line
):
    do_everything(memory, memories, wiring, tribe)
    gate = wiring.store._gate(tribe)
    for transaction in transactions(line.texts()):
        if any(re.search(r"(INSERT INTO|UPDATE|DELETE FROM) lesson", text) for text in transaction):
            assert transaction[:3] == [
                "BEGIN ISOLATION LEVEL SERIALIZABLE",
                f"LOCK TABLE gate_{gate:02} IN EXCLUSIVE MODE",
                "SELECT enter_tribe($1)",
            ]


def test_every_transaction_enters_its_tribe_before_it_reads(memory, memories, wiring, tribe, line):
    do_everything(memory, memories, wiring, tribe)
    for transaction in transactions(line.texts()):
        if "recall_now(" in transaction[0]:
            continue  # enters it within
        first = 2 if transaction[1].startswith("LOCK") else 1
        assert transaction[first] == "SELECT enter_tribe($1)"
        assert transaction[-1] in ("COMMIT", "ROLLBACK")


@pytest.mark.parametrize("past", [False, True])
def test_a_recall_is_one_round_trip(memory, line, past):
    memory.recall("billing port", as_of=datetime.now(UTC) if past else None)
    assert len(line.texts()) == (4 if past else 1)
    assert line.waits() == 1


def test_preparing_a_learn_is_one_round_trip(memory, wiring, line):
    attempt = new_attempt(memory._actor, draft("the billing port is 7001"), wiring.ids, "k")
    wiring.prepare(attempt, 1)
    assert line.waits() == 1


@pytest.mark.parametrize(
    ("content", "waits"),
    [
        ("the billing port is 7001", 2),  # novel: read what changed, then write
        ("the first lesson connects and looks the gate twice", 2),  # contradicts
        ("the first lesson connects and looks the gate up", 3),  # duplicate: did it count?
    ],
)
def test_committing_a_learn_is_one_round_trip_to_look_and_one_to_write(
    memory, wiring, line, content, waits
):
    attempt = new_attempt(memory._actor, draft(content), wiring.ids, "k")
    prepared = wiring.prepare(attempt, 1)
    classified = wiring.classify(attempt, prepared.neighbourhood.candidates)
    line.messages.clear()
    wiring.commit(prepared, classified)
    assert line.waits() == waits


def transactions(texts):
    """The statements of each transaction."""
    found = []
    for text in texts:
        if text.startswith("BEGIN") or "recall_now(" in text:
            found.append([])
        found[-1].append(text)
    return found
