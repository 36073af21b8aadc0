"""A server that is there, but takes nobody, or nobody's writes: full, read-only, a standby."""

import re
from contextlib import ExitStack, contextmanager

import psycopg
import pytest

from tests.faults.conftest import settle, typed
from tests.support.cluster import until
from tests.support.functions import functions_on
from tests.support.load import under_load
from tests.support.sql import value
from tributary.domain.errors import DatabaseUnavailableError

QUERY = "alpha bravo"


@contextmanager
def every_connection_taken(cluster):
    """By the superuser, whose reserve is then larger than what the functions had."""
    with cluster.admin() as admin, ExitStack() as taken:
        while is_connected(cluster.dsn, taken):
            pass
        disconnect(admin)
        assert not is_connected(cluster.app, taken)
        yield


@contextmanager
def limit_of_the_role(cluster):
    """The role of the functions may hold no more connections."""
    with cluster.admin() as admin, ExitStack() as taken:
        admin.execute("ALTER ROLE tributary_app CONNECTION LIMIT 0")
        disconnect(admin)
        try:
            assert not is_connected(cluster.app, taken)
            yield
        finally:
            admin.execute("ALTER ROLE tributary_app CONNECTION LIMIT -1")


def is_connected(dsn, taken):
    """False when there is no room for one more."""
    try:
        taken.enter_context(psycopg.connect(dsn))
    except psycopg.OperationalError as error:
        if not re.search("too many|remaining connection slots are reserved", str(error)):
            raise
        return False
    return True


def disconnect(admin):
    """End the sessions of the functions, so that they need new ones."""
    mine = "FROM pg_stat_activity WHERE usename = 'tributary_app'"
    admin.execute(f"SELECT pg_terminate_backend(pid) {mine}")


@contextmanager
def standby_that_takes_nobody(cluster):
    with cluster.as_standby(hot=False):
        with pytest.raises(psycopg.OperationalError, match="the database system is"):  # 57P03
            psycopg.connect(cluster.dsn)
        yield


@contextmanager
def standby_that_only_reads(cluster):
    with cluster.as_standby(hot=True):
        with cluster.admin() as admin:
            assert value(admin, "SELECT pg_is_in_recovery()")
        yield


@contextmanager
def read_only_database(cluster):
    """As an operator sets it before a fail-over; sessions that are open follow."""
    with cluster.admin() as admin:
        reload(admin, "ALTER SYSTEM SET default_transaction_read_only = on", "on")
        try:
            yield
        finally:
            reload(admin, "ALTER SYSTEM RESET default_transaction_read_only", "off")


def reload(admin, command, then):
    admin.execute("SET default_transaction_read_only = off")
    admin.execute(command)
    admin.execute("RESET default_transaction_read_only")
    admin.execute("SELECT pg_reload_conf()")
    until(lambda: value(admin, "SHOW default_transaction_read_only") == then)


FAULTS = {
    "every connection taken": every_connection_taken,
    "the role's connections taken": limit_of_the_role,
    "a standby that takes nobody": standby_that_takes_nobody,
    "a standby that only reads": standby_that_only_reads,
    "read-only": read_only_database,
}


@pytest.mark.parametrize("fault", FAULTS)
def test_learners_are_told_and_go_on_when_it_is_over(cluster, learners, recorder, tribe, fault):
    memories = learners(cluster.app, 3)
    bystander = memories.pop()
    with under_load(memories, recorder) as load:
        bystander.recall(QUERY)
        with FAULTS[fault](cluster):
            load.more_errors(4)
            with pytest.raises(DatabaseUnavailableError) as raised:
                bystander.recall(QUERY)
        load.more(6)
        assert bystander.recall(QUERY).lessons
    settle(cluster.dsn, tribe, recorder)
    print(f"\n{fault}: {load.acknowledged} acknowledged, {dict(load.errors)}, {raised.value}")
    assert set(load.errors) == {"DatabaseUnavailableError"}


@pytest.mark.parametrize("fault", FAULTS)
def test_over_https_it_is_503_and_works_again_when_it_is_over(cluster, tribe, fault):
    body = {"content": "alpha bravo charlie delta 1"}
    key = {"headers": {"idempotency-key": "k"}}
    with functions_on(cluster.app, tribe) as service:
        service.found()
        with FAULTS[fault](cluster):
            typed(service("POST /v1/learn", body, **key), "database_unavailable")
            typed(service("POST /v1/recall", {"query": QUERY}), "database_unavailable")
        learned = service.ok("POST /v1/learn", body, **key)
        (lesson,) = service.ok("POST /v1/recall", {"query": QUERY})["lessons"]
        assert (learned["outcome"], learned["lesson_id"]) == ("inserted", lesson["id"])
