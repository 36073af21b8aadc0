"""A database that is down, restarted, read-only, slow, or hangs up."""

import re
import select

import pytest
from psycopg.conninfo import conninfo_to_dict, make_conninfo

from tests.support.fakes import ValueClassifier, WordEmbedder
from tests.support.server import new_server, server_at
from tests.support.sql import dump, statuses, value
from tributary.adapters.postgres.database import connector
from tributary.adapters.postgres.migrate import migrate
from tributary.domain.errors import DatabaseUnavailableError
from tributary.domain.plan import Outcome
from tributary.domain.roles import Actor, Role
from tributary.edge.wiring import Wiring
from tributary.memory import APP_ROLE, Memory

PATIENCE = 60_000  # milliseconds, for what takes one
FACT = "the billing port is 7001"


@pytest.fixture(scope="module")
def own_server():
    """A server that this module may stop and start."""
    with new_server() as dsn:
        yield server_at(dsn)


@pytest.fixture
def elsewhere(own_server):
    """A memory on that server."""
    dsn = own_server.get_uri()
    migrate(connector(conninfo=dsn))
    wiring = Wiring(
        connector(conninfo=make_conninfo(dsn, user=APP_ROLE)), WordEmbedder, ValueClassifier
    )
    wiring.registry.found("elsewhere")
    with Memory(wiring, Actor("elsewhere", "ada", Role.CURATOR)) as memory:
        yield memory


def kill(admin, wiring):
    """End the connection from the server's side, and see it arrive at ours."""
    connection = wiring.database._connection
    line = select.poll()
    line.register(connection.fileno(), getattr(select, "POLLRDHUP", select.POLLHUP))
    admin.execute("SELECT pg_terminate_backend(%s)", (connection.info.backend_pid,))
    assert line.poll(PATIENCE)


def test_a_database_that_is_down_is_said_to_be_and_used_again_once_it_is_back(
    own_server, elsewhere
):
    elsewhere.learn(FACT)
    own_server._stop()
    for call in (
        lambda: elsewhere.recall("billing port"),
        lambda: elsewhere.learn("the billing port is 7002", idempotency_key="k"),
        lambda: elsewhere.recall("billing port"),
    ):
        with pytest.raises(DatabaseUnavailableError):
            call()
    own_server.ensure_postgres_running()
    assert [one.content for one in elsewhere.recall("billing port").lessons] == [FACT]
    again = elsewhere.learn("the billing port is 7002", idempotency_key="k")
    assert again.outcome is Outcome.SUPERSEDED


def test_a_server_that_was_never_there_is_unavailable(wirings, tmp_path):
    wiring = wirings(connect=connector(conninfo=f"host={tmp_path} user={APP_ROLE}"))
    with pytest.raises(DatabaseUnavailableError, match="no connection"):
        wiring.ledger.stats("nobody")


def test_a_connection_killed_between_two_calls_is_not_noticed(memories, wirings, admin, tribe):
    wiring = wirings()
    memory = memories(wiring=wiring)
    memory.learn(FACT)
    for call in (
        lambda: memory.recall("billing port"),
        lambda: memory.learn("the billing port is 7002"),
        lambda: wiring.ledger.stats(tribe),
    ):
        kill(admin, wiring)
        call()
    assert statuses(admin, tribe) == {"active": ["the billing port is 7002"], "superseded": [FACT]}


def test_a_connection_killed_in_the_middle_stores_nothing_and_the_next_call_works(
    memories, wirings, admin, tribe
):
    wiring = wirings()
    memory = memories(wiring=wiring)
    lesson = memory.learn(FACT).lesson_id
    before = dump(admin, tribe)

    def work(inside):
        inside.retire("ada", lesson, "half done")
        pid = value(inside._connection, "SELECT pg_backend_pid()")
        admin.execute("SELECT pg_terminate_backend(%s)", (pid,))

    with pytest.raises(DatabaseUnavailableError):
        wiring.store.in_gate(tribe, work)
    assert dump(admin, tribe) == before
    assert [one.id for one in memory.recall("billing port").lessons] == [lesson]


def test_a_read_only_database_is_unavailable_and_keeps_what_it_has(memories, wirings, admin, tribe):
    memory = memories()
    lesson = memory.learn(FACT).lesson_id
    before = dump(admin, tribe)
    wiring = wirings(options="-c default_transaction_read_only=on")
    read_only = Memory(wiring, memory._actor)
    for call in (
        lambda: read_only.learn("the billing port is 7002"),
        lambda: read_only.recall("billing port"),
        lambda: read_only.reinforce(lesson),
    ):
        with pytest.raises(DatabaseUnavailableError, match="read-only"):
            call()
    assert len(read_only.history(lesson).chain) == 1
    assert dump(admin, tribe) == before


@pytest.mark.parametrize("limit", ["statement_timeout", "transaction_timeout"])
def test_what_takes_too_long_is_unavailable_and_the_next_call_works(
    wirings, memories, tribe, limit
):
    memories().learn(FACT)
    wiring = wirings(options=f"-c {limit}=500")
    with (
        pytest.raises(DatabaseUnavailableError),
        wiring.database.reading(tribe) as connection,
    ):
        value(connection, "SELECT pg_sleep(30)")
    assert wiring.ledger.stats(tribe)["active"] == 1


def test_a_failed_transaction_leaves_the_connection_usable_and_outside_the_tribe(
    wirings, memories, tribe
):
    memories().learn(FACT)
    wiring = wirings()
    with pytest.raises(ZeroDivisionError), wiring.database.reading(tribe):
        raise ZeroDivisionError
    with wiring.database.outside_tribes() as connection:
        assert value(connection, "SELECT count(*) FROM lessons") == 0
    assert wiring.ledger.stats(tribe)["active"] == 1


def test_what_was_closed_opens_again_when_it_is_used(memories):
    memory = memories()
    memory.learn(FACT)
    memory.close()
    memory.close()
    assert len(memory.recall("billing port").lessons) == 1


def test_errors_say_nothing_of_hosts_or_passwords(wirings):
    wiring = wirings(
        connect=connector(
            lambda: "s3cret-token", host="127.0.0.1", port=1, user=APP_ROLE, connect_timeout=2
        )
    )
    with pytest.raises(DatabaseUnavailableError) as raised:
        wiring.ledger.stats("nobody")
    assert not re.search(r"s3cret|127\.0\.0\.1", str(raised.value))


def test_a_password_is_asked_for_at_every_connect(admin, wirings, dsn, memories, tribe):
    asked = []
    connect = connector(lambda: asked.append(1) and None, **conninfo_to_dict(dsn))
    wiring = wirings(connect=connect)
    memory = memories(wiring=wiring)
    assert len(asked) == 1
    memory.recall("billing port")
    assert len(asked) == 1
    kill(admin, wiring)
    memory.recall("billing port")
    assert len(asked) == 2
