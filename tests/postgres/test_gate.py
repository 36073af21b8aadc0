"""The gate, the isolation level and the index: each holds where another is passed by."""

from concurrent.futures import ThreadPoolExecutor
from threading import Event

import psycopg
import pytest
from psycopg import errors

from tests.support.fakes import StoppedClock
from tests.support.sql import eventually, plant, statuses, value, waiting
from tributary.domain.errors import SerializationConflictError, StaleCandidatesError

PATIENCE = 60  # seconds, for what takes milliseconds


def ask(transaction, statement, *values):
    return value(transaction._connection, statement, *values)


def arrive(transaction):
    """Have an answer from behind the gate: until then, statements are only on their way."""
    ask(transaction, "SELECT 1")


def test_the_isolation_inside_the_gate_is_serializable(wirings, memories, tribe):
    memories()
    wiring = wirings()
    show = "SHOW transaction_isolation"
    assert wiring.store.in_gate(tribe, lambda inside: ask(inside, show)) == "serializable"
    with wiring.database.reading(tribe) as connection:
        assert value(connection, show) == "read committed"


def test_the_gate_of_the_tribe_is_held_and_no_other(wirings, memories, tribe, admin):
    memories()
    store = wirings().store
    gates = store.in_gate(
        tribe,
        lambda inside: ask(
            inside,
            "SELECT array_agg(relation::regclass::text) FROM pg_locks"
            " WHERE pid = pg_backend_pid() AND mode = 'ExclusiveLock' AND relation IS NOT NULL",
        ),
    )
    assert gates == [f"gate_{value(admin, 'SELECT gate_of(%s)', tribe):02}"]


def test_a_second_transaction_waits_before_the_gate_until_the_first_has_ended(
    wirings, memories, tribe, admin
):
    memories()
    inside, leave, order = Event(), Event(), []

    def first(transaction):
        arrive(transaction)
        inside.set()
        assert leave.wait(PATIENCE)
        order.append("first")

    def second(transaction):
        arrive(transaction)
        order.append("second")

    with ThreadPoolExecutor(2) as pool:
        one = pool.submit(wirings().store.in_gate, tribe, first)
        assert inside.wait(PATIENCE)
        two = pool.submit(wirings().store.in_gate, tribe, second)
        eventually(admin, lambda: waiting(admin, "relation") == 1)
        assert order == []
        leave.set()
        one.result(PATIENCE)
        two.result(PATIENCE)
    assert order == ["first", "second"]


def test_who_waited_sees_what_was_committed_meanwhile(wirings, memories, tribe, admin):
    memories()
    count = "SELECT count(*) FROM lessons"
    inside, leave = Event(), Event()

    def first(transaction):
        arrive(transaction)
        inside.set()
        assert leave.wait(PATIENCE)
        transaction._connection.execute(
            "INSERT INTO lessons (tribe, id, lineage, status, content, revision, changed_at,"
            " source_agent, created_at, last_used_at, tended_at) SELECT %s, gen_random_uuid(),"
            " gen_random_uuid(), 'pending', 'x', 1, now(), 'ada', now(), now(), now()",
            (tribe,),
        )

    with ThreadPoolExecutor(2) as pool:
        one = pool.submit(wirings().store.in_gate, tribe, first)
        assert inside.wait(PATIENCE)
        two = pool.submit(wirings().store.in_gate, tribe, lambda inside: ask(inside, count))
        eventually(admin, lambda: waiting(admin, "relation") == 1)
        leave.set()
        one.result(PATIENCE)
        assert two.result(PATIENCE) == 1


def test_tribes_of_different_partitions_do_not_wait_for_each_other(wirings, memories, tribe, admin):
    other = value(
        admin, "SELECT 'other-' || n FROM generate_series(1, 1000) AS n"
        " WHERE gate_of('other-' || n) <> gate_of(%s) LIMIT 1", tribe,
    )  # fmt: skip
    ours, theirs = memories(), memories(tribe=other)

    def work(inside):
        arrive(inside)
        return theirs.learn("a lesson elsewhere")

    assert wirings().store.in_gate(tribe, work).outcome == "inserted"
    assert ours.recall("lesson").lessons == ()


def test_a_writer_that_did_not_take_the_gate_is_caught_by_the_isolation_level(
    wirings, memories, tribe, admin, dsn
):
    memories()
    attempts = []

    def work(inside):
        attempts.append(ask(inside, "SELECT count(*) FROM lessons WHERE tribe = %s", tribe))
        inside._connection.execute(
            "INSERT INTO topic_leases VALUES (%s, gen_random_uuid(), gen_random_uuid(), now())",
            (tribe,),
        )
        if len(attempts) == 1:
            pass_the_gate_by()

    def pass_the_gate_by():
        with psycopg.connect(dsn) as rogue:
            rogue.isolation_level = psycopg.IsolationLevel.SERIALIZABLE
            rogue.execute("SELECT enter_tribe(%s)", (tribe,))
            rogue.execute("SELECT count(*) FROM topic_leases WHERE tribe = %s", (tribe,))
            rogue.execute(
                "INSERT INTO lessons (tribe, id, lineage, status, content, revision, changed_at,"
                " source_agent, created_at, last_used_at, tended_at) SELECT %s, gen_random_uuid(),"
                " gen_random_uuid(), 'pending', 'x', 1, now(), 'eve', now(), now(), now()",
                (tribe,),
            )

    wirings().store.in_gate(tribe, work)
    assert attempts == [0, 1]


def test_two_truths_in_one_lineage_are_refused_by_the_index(admin, tribe):
    (one,) = plant(admin, tribe, ["the billing port is 7001"])
    with pytest.raises(errors.UniqueViolation, match="lineage"):
        admin.execute(
            "INSERT INTO lessons (tribe, id, lineage, status, content, revision, changed_at,"
            " source_agent, created_at, last_used_at, tended_at) SELECT tribe, gen_random_uuid(),"
            " lineage, status, content, 2, now(), 'eve', now(), now(), now()"
            " FROM lessons WHERE tribe = %s AND id = %s",
            (tribe, one),
        )
    assert statuses(admin, tribe) == {"active": ["the billing port is 7001"]}


def test_a_gate_that_stays_shut_is_given_up_after_the_lock_timeout(wirings, memories, tribe):
    memories()
    impatient = wirings(options="-c lock_timeout=20", clock=StoppedClock()).store

    def work(inside):
        arrive(inside)
        with pytest.raises(SerializationConflictError) as raised:
            impatient.in_gate(tribe, lambda transaction: None)
        return raised.value

    conflict = wirings().store.in_gate(tribe, work)
    assert (conflict.sqlstate, conflict.attempts) == ("55P03", 4)


def test_work_that_raises_is_undone_and_leaves_the_gate_open(wirings, memories, tribe, admin):
    memory = memories()
    lesson = memory.learn("the billing port is 7001").lesson_id
    wiring = wirings()

    def work(inside):
        inside.retire("ada", lesson, "half done")
        raise StaleCandidatesError(1)

    with pytest.raises(StaleCandidatesError):
        wiring.store.in_gate(tribe, work)
    assert statuses(admin, tribe) == {"active": ["the billing port is 7001"]}
    assert wiring.store.in_gate(tribe, lambda inside: inside.lesson(lesson)).id == lesson


def test_a_transaction_within_a_transaction_is_a_bug_and_refused(wirings, memories, tribe):
    memories()
    wiring = wirings()
    with pytest.raises(RuntimeError, match="within a transaction"):
        wiring.store.in_gate(tribe, lambda inside: wiring.ledger.stats(tribe))
    assert wiring.ledger.stats(tribe)["revision"] == 0
