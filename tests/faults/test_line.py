"""What a TCP line can do between a learner and the database: reset, crawl, half-close, fall silent.

`TRIBUTARY_RESETS` sets the number of resets; `pytest -s` shows the figures.
"""

import os

import pytest

from tests.faults.conftest import settle, typed
from tests.support.cluster import until
from tests.support.faults import BlackHole, HalfClose, ResetAtCommit, Slow, at_connect
from tests.support.functions import functions_on
from tests.support.load import under_load
from tests.support.wire import CLIENT, SERVER, healthy, parsed, relay
from tributary.domain.errors import DatabaseUnavailableError
from tributary.edge import runtime

RESETS = int(os.environ.get("TRIBUTARY_RESETS", "24"))
PATIENCE = 1.5  # seconds; 30 in earnest
QUERY = "alpha0 bravo0 charlie0 delta0"


@pytest.fixture
def line(dsn):
    with relay(dsn) as made:
        yield made


@pytest.fixture
def through(line, dsn, learners):
    """Learners behind the line."""
    return lambda number, **more: learners(line.conninfo(dsn), number, **more)


def test_a_line_reset_right_at_commit_loses_nothing_and_stores_nothing_twice(
    through, line, recorder, admin_dsn, tribe
):
    fault = line.fault = ResetAtCommit(every=3, most=RESETS)
    with under_load(through(4), recorder) as load:
        until(lambda: fault.hits == RESETS or load.untyped)
        load.more(8)
    settle(admin_dsn, tribe, recorder)
    print(
        f"\n{fault.after} resets right after COMMIT was sent and {fault.before} right before, of"
        f" {fault.seen} commits; {load.acknowledged} acknowledged, 0 lost, 0 twice;"
        f" callers met {dict(load.errors)}"
    )
    assert fault.after == fault.before == RESETS / 2
    assert load.errors["DatabaseUnavailableError"] >= RESETS


def test_a_slow_line_slows_learners_and_no_more(through, line, recorder, admin_dsn, tribe):
    fault = line.fault = Slow(0.005)
    with under_load(through(3), recorder) as load:
        load.more(6)
        fault.end()
    settle(admin_dsn, tribe, recorder)
    assert fault.hits > 100
    assert load.errors.total() == 0


@pytest.mark.parametrize("sender", [CLIENT, SERVER])
def test_a_line_that_is_closed_in_one_direction_is_opened_again(
    through, line, recorder, admin_dsn, tribe, sender
):
    with under_load(through(3), recorder) as load:
        for _ in range(4):
            before = load.errors.total()
            line.fault = HalfClose(sender)
            load.errors_beyond(before)
        line.fault = healthy
        load.more(6)
    settle(admin_dsn, tribe, recorder)
    print(f"\nhalf-closed by {sender}: {load.acknowledged} acknowledged, {dict(load.errors)}")
    assert load.errors["DatabaseUnavailableError"] >= 4


def serializable(message):
    """A black hole that begins at the first statement of a commit."""
    return message.kind == "P" and parsed(message)[1].startswith("BEGIN ISOLATION")


def commit(message):
    """One that takes the COMMIT, too: nobody hears of it."""
    return message.kind == "P" and parsed(message)[1] == "COMMIT"


SILENT = {
    "at connect": lambda: BlackHole(at_connect),
    "at once": BlackHole,
    "at the first statement of a commit": lambda: BlackHole(serializable),
    "at COMMIT": lambda: BlackHole(commit),
    "one byte a second": lambda: Slow(1.0, piece=1),
}


@pytest.mark.parametrize("silent", SILENT)
def test_a_line_that_falls_silent_ends_in_time_and_the_learners_go_on_over_the_next(
    through, line, recorder, admin_dsn, admin, tribe, silent
):
    memories = through(3, patience=PATIENCE, connect_timeout=2)  # the least there is
    with under_load(memories, recorder) as load:
        fault = line.fault = SILENT[silent]()
        if silent == "at connect":
            for memory in memories:  # which are at work: the next call opens another
                admin.execute(
                    "SELECT pg_terminate_backend(%s)",
                    (memory._wiring.database._connection.info.backend_pid,),
                )
        until(lambda: fault.hits >= 3 or load.untyped)
        load.more_errors(3)
        line.fault = healthy
        load.more(6)
    settle(admin_dsn, tribe, recorder)
    print(f"\nsilent {silent}: {load.acknowledged} acknowledged, {dict(load.errors)}")
    assert fault.hits > 0
    assert load.errors["DatabaseUnavailableError"] >= 3


def test_over_https_a_silent_line_is_503_in_time_and_the_next_call_works(line, dsn, tribe):
    body = {"content": "alpha bravo charlie delta 1"}
    key = {"headers": {"idempotency-key": "k"}}
    with functions_on(line.conninfo(dsn), tribe) as service:
        service.found()
        runtime.wiring().database.patience = PATIENCE
        for call in (
            lambda: service("POST /v1/learn", body, **key),
            lambda: service("POST /v1/recall", {"query": QUERY}),
        ):
            fault = line.fault = Slow(1.0, piece=1)
            typed(call(), "database_unavailable")
            assert fault.hits > 0
            line.fault = healthy
            service.ok("GET /v1/lessons")
        assert service.ok("POST /v1/recall", {"query": "alpha bravo"})["lessons"] == []
        assert service.ok("POST /v1/learn", body, **key)["outcome"] == "inserted"


def test_a_call_to_a_silent_server_ends_with_a_typed_error(through, line):
    (memory,) = through(1, patience=PATIENCE, connect_timeout=2)
    memory.recall(QUERY)
    line.fault = BlackHole()
    with pytest.raises(DatabaseUnavailableError, match="does not answer"):
        memory.recall(QUERY)
    with pytest.raises(DatabaseUnavailableError, match="no connection"):
        memory.recall(QUERY)
    line.fault = healthy
    assert memory.recall(QUERY).lessons == ()
