"""64 clients of two tribes over 4 connections to the server, each for one transaction at a time.

PgBouncer in transaction mode stands in for RDS Proxy: who leaves anything in a session leaves it
to a stranger. `TRIBUTARY_TURNS` sets how often each client learns and recalls.
"""

import os
from concurrent.futures import ThreadPoolExecutor
from itertools import count
from threading import Barrier

import psycopg
import pytest
from psycopg.rows import dict_row

from scripts.build import pgbouncer
from tests.faults.conftest import settle, typed
from tests.support.fakes import ValueClassifier, WordEmbedder
from tests.support.functions import functions_on
from tests.support.history import Recorder
from tests.support.load import TYPED
from tests.support.pgbouncer import MISSING, ROOT, bouncer
from tests.support.sql import value
from tributary.adapters.postgres.database import connector
from tributary.domain.errors import TransientError
from tributary.domain.roles import Actor, Role
from tributary.edge.wiring import Wiring
from tributary.memory import Memory

CLIENTS, SERVERS = 64, 4
TURNS = int(os.environ.get("TRIBUTARY_TURNS", "3"))
WORDS = ("amber", "basalt", "cedar", "dune", "ember", "flint", "grove", "heath")

pytestmark = pytest.mark.skipif(pgbouncer.program(ROOT) is None, reason=MISSING)


@pytest.fixture(scope="module")
def pool(dsn):
    with bouncer(dsn, SERVERS) as made:
        yield made


@pytest.fixture
def tribes(tribe):
    return [f"{tribe[:40]}.one", f"{tribe[:40]}.two"]


class Client:
    """Learns and recalls in its tribe; every lesson names the tribe in which it was said."""

    def __init__(self, pool, number, tribe, recorder):
        self.wiring = Wiring(connector(conninfo=pool.dsn), WordEmbedder, ValueClassifier)
        self.memory = Memory(self.wiring, Actor(tribe, f"agent{number}", Role.CURATOR))
        self.number, self.tribe, self.recorder = number, tribe, recorder
        self.recalled = self.strangers = 0
        self.errors = []

    def work(self, begin):
        begin.wait(timeout=60)
        for turn in range(TURNS):
            self.learn(f"{self.number}-{turn}", turn)
            self.recall()

    def learn(self, key, turn):
        word = WORDS[(self.number + turn) % len(WORDS)]
        content = f"{word} {word}s of {self.tribe} {self.number}"
        for _ in count():
            if self.recorder.learn(self.memory, content, idempotency_key=key):
                return

    def recall(self):
        for _ in count():
            try:
                found = self.memory.recall(f"{WORDS[self.number % len(WORDS)]} of", k=50)
            except TransientError as error:
                self.errors.append(type(error).__name__)
                continue
            self.recalled += len(found.lessons)
            self.strangers += sum(self.tribe not in one.content for one in found.lessons)
            return


@pytest.mark.timeout(120 + 60 * TURNS)
def test_many_clients_of_two_tribes_share_few_connections_and_nothing_else(
    pool, tribes, admin_dsn, admin
):
    recorders = {tribe: Recorder() for tribe in tribes}
    clients = [
        Client(pool, number, tribes[number % 2], recorders[tribes[number % 2]])
        for number in range(CLIENTS)
    ]
    for client in clients[:2]:
        client.wiring.registry.found(client.tribe)
    begin, most = Barrier(CLIENTS + 1), 0
    with ThreadPoolExecutor(CLIENTS) as threads:
        working = [threads.submit(client.work, begin) for client in clients]
        begin.wait(timeout=60)
        while not all(one.done() for one in working):
            most = max(most, sessions(admin))
        for one in working:
            one.result()
    assert len(pool.show("CLIENTS")) > CLIENTS  # all are connected still, and the console
    for tribe, recorder in recorders.items():
        settle(admin_dsn, tribe, recorder)
        assert {one.error for one in recorder.told if one.error} <= TYPED
    acknowledged = sum(one.learned is not None for each in recorders.values() for one in each.told)
    met = [one.error for each in recorders.values() for one in each.told if one.error]
    print(
        f"\n{CLIENTS} clients over {most} connections: {acknowledged} learns, "
        f"{sum(client.recalled for client in clients)} lessons recalled, "
        f"{sum(client.strangers for client in clients)} of them of another tribe; errors {met}"
    )
    assert sum(client.strangers for client in clients) == 0
    assert all(client.recalled for client in clients)
    assert acknowledged == CLIENTS * TURNS
    assert 0 < most <= SERVERS
    for client in clients:
        client.memory.close()


def test_no_session_keeps_anything_of_who_had_it(pool, tribes, dsn):
    client = Client(pool, 0, tribes[0], Recorder())
    client.wiring.registry.found(tribes[0])
    client.learn("k", 0)
    client.recall()
    with (
        psycopg.connect(dsn, row_factory=dict_row) as fresh,
        psycopg.connect(pool.dsn, autocommit=True, row_factory=dict_row) as pooled,
    ):
        for ask in (
            "SELECT count(*) FROM pg_prepared_statements",
            "SELECT count(*) FROM pg_cursors WHERE name <> ''",
            "SELECT count(*) FROM pg_listening_channels()",
            "SELECT count(*) FROM pg_locks WHERE pid = pg_backend_pid() AND locktype = 'advisory'",
            "SELECT count(*) FROM lessons",
        ):
            assert value(pooled, ask) == 0, ask
        settings = "SELECT string_agg(name || '=' || setting, ',' ORDER BY name) FROM pg_settings"
        settings += " WHERE source = 'session' AND name <> 'application_name'"
        assert value(pooled, settings) == value(fresh, settings)
        assert not value(pooled, "SELECT current_setting('tributary.tribe', true)")
    (own,) = [one for one in pool.show("POOLS") if one["database"] != "pgbouncer"]
    assert (own["pool_mode"], own["cl_waiting"]) == ("transaction", 0)
    assert own["sv_active"] == 0  # nobody is pinned to a session
    assert 0 < own["sv_idle"] + own["sv_used"] + own["sv_tested"] <= SERVERS
    assert 0 < len(pool.show("SERVERS")) <= SERVERS
    client.memory.close()


def test_over_https_a_proxy_that_is_gone_is_503_and_the_next_call_after_it_is_back_works(
    dsn, tribe
):
    body = {"content": "amber ambers of the tribe 1"}
    with bouncer(dsn, SERVERS) as first, functions_on(first.dsn, tribe) as service:
        service.found()
        first.stop()
        typed(service("POST /v1/learn", body), "database_unavailable")
        typed(service("POST /v1/recall", {"query": "amber"}), "database_unavailable")
        with bouncer(dsn, SERVERS, first.port):
            assert service.ok("POST /v1/learn", body)["outcome"] == "inserted"
            assert len(service.ok("POST /v1/recall", {"query": "amber"})["lessons"]) == 1


def sessions(admin):
    """How many connections the functions' role has to the server; looks for a moment."""
    asked = "SELECT count(*) FROM pg_stat_activity, pg_sleep(0.05) WHERE usename = 'tributary_app'"
    return value(admin, asked)
