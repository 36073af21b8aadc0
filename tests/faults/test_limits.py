"""Each time limit of the server, hit by learners at work: somebody holds what they need.

The limits are those of migration 0001, made short.
"""

from concurrent.futures import ThreadPoolExecutor
from contextlib import closing, contextmanager
from threading import Event

import psycopg
import pytest

from tests.faults.conftest import settle, typed
from tests.support.cluster import until
from tests.support.functions import functions_on
from tests.support.load import under_load
from tests.support.sql import value
from tests.support.steps import counted_commit
from tributary.adapters.system import SystemIds
from tributary.domain.errors import DatabaseUnavailableError, SerializationConflictError

NONE = "-c lock_timeout=0 -c statement_timeout=0 -c transaction_timeout=0"
BUSY = "alpha0 bravo0 charlie0 delta0"


@contextmanager
def held(admin_dsn, tribe, table):
    """Somebody else has locked a partition of the tribe, and keeps it."""
    with closing(psycopg.connect(admin_dsn, options=NONE)) as holder:
        gate = holder.execute("SELECT gate_of(%s)", (tribe,)).fetchone()[0]
        holder.execute(f"LOCK TABLE {table}_{gate:02} IN ACCESS EXCLUSIVE MODE")
        yield


# The limit, what is held, and the error that the callers meet.
LIMITS = [
    ("lock_timeout", "gate", SerializationConflictError, "55P03", "contention"),
    ("statement_timeout", "lessons", DatabaseUnavailableError, "statement", "database_unavailable"),
    (
        "transaction_timeout", "lessons", DatabaseUnavailableError, "transaction|connection",
        "database_unavailable",
    ),
]  # fmt: skip


@pytest.mark.parametrize(("limit", "table", "error", "said", "code"), LIMITS)
def test_learners_who_wait_too_long_are_told_and_go_on_afterwards(
    learners, recorder, dsn, admin_dsn, tribe, limit, table, error, said, code
):
    options = f"{NONE} -c {limit}=300ms"
    memories = learners(dsn, 3, options=options)
    curious = memories.pop()
    with under_load(memories, recorder) as load:
        with held(admin_dsn, tribe, table):
            load.more_errors(4)
            with pytest.raises(error, match=said):
                curious.learn(BUSY + " 1", idempotency_key="k")
        recorder.learn(curious, BUSY + " 1", idempotency_key="k")
        load.more(6)
    settle(admin_dsn, tribe, recorder)
    print(f"\n{limit}: {load.acknowledged} acknowledged, {dict(load.errors)}")
    assert error.__name__ in load.errors


@pytest.mark.parametrize(("limit", "table", "error", "said", "code"), LIMITS)
def test_over_https_a_wait_that_is_too_long_is_503_and_the_next_call_works(
    dsn, admin_dsn, tribe, limit, table, error, said, code
):
    body = {"content": f"{BUSY} 1"}
    most = "200ms" if table == "gate" else "1s"  # other calls must not meet it
    with functions_on(dsn, tribe, PGOPTIONS=f"{NONE} -c {limit}={most}") as service:
        service.found()
        with held(admin_dsn, tribe, table):
            typed(service("POST /v1/learn", body), code)
            if table != "gate":
                typed(service("POST /v1/recall", {"query": BUSY}), code)
            else:
                assert service.ok("POST /v1/recall", {"query": BUSY})["lessons"] == []
        assert service.ok("POST /v1/learn", body)["outcome"] == "inserted"


class PausingIds(SystemIds):
    """Ids whose asker can be made to wait; the commit asks in the middle of its transaction."""

    def __init__(self):
        self.pauses = Event()
        self.asked, self.goes_on = Event(), Event()

    def new(self):
        if self.pauses.is_set():
            self.asked.set()
            self.goes_on.wait(60)
        return super().new()


def test_a_learner_that_pauses_inside_the_gate_loses_it_and_nothing_else(
    learners, recorder, dsn, admin_dsn, admin, tribe
):
    """As a function whose process is frozen does."""
    (slow,) = learners(dsn, options=f"{NONE} -c transaction_timeout=2s")
    others = learners(dsn, 2)
    ids = slow._wiring.ids = PausingIds()
    counted_commit(slow._wiring, lambda call: call == 1 and ids.pauses.set())
    slow.recall(BUSY)
    pid = slow._wiring.database._connection.info.backend_pid
    with under_load(others, recorder) as load, ThreadPoolExecutor(1) as pool:
        frozen = pool.submit(recorder.learn, slow, "unheard of", idempotency_key="slow")
        assert ids.asked.wait(60)
        until(lambda: is_ended(admin, pid))
        load.more(6)  # the others have the gate again
        ids.pauses.clear()
        ids.goes_on.set()
        assert frozen.result(60) is None
        again = recorder.learn(slow, "unheard of", idempotency_key="slow")
        assert again.outcome == "inserted"
    settle(admin_dsn, tribe, recorder)
    met = [one.error for one in recorder.told if one.idempotency_key == "slow"]
    assert met == ["DatabaseUnavailableError", None]


def test_a_session_that_idles_inside_the_gate_loses_it_and_nothing_else(
    learners, recorder, dsn, admin_dsn, admin, tribe
):
    (slow,) = learners(dsn, options=f"{NONE} -c idle_in_transaction_session_timeout=1s")
    others = learners(dsn, 2)
    lesson = recorder.learn(slow, "unheard of").lesson_id

    def idles(inside):
        inside.retire("ada", lesson, "half done")
        # The server's clock for this runs from a Sync to the next message of any kind. A commit
        # sends none before its end, so what bounds it is the limit of the whole transaction.
        inside._connection._pipeline.sync()
        until(lambda: is_ended(admin, slow._wiring.database._connection.info.backend_pid))
        inside.lesson(lesson)

    with under_load(others, recorder) as load:
        with pytest.raises(DatabaseUnavailableError, match=r"took too long|broke"):
            slow._wiring.store.in_gate(tribe, idles)
        load.more(6)
        assert [one.id for one in slow.recall("unheard of", k=1).lessons] == [lesson]
    settle(admin_dsn, tribe, recorder)


def is_ended(admin, pid):
    """Whether the server has given this session up."""
    return value(admin, "SELECT count(*) FROM pg_stat_activity WHERE pid = %s", pid) == 0
