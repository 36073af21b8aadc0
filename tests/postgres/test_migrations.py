"""Bringing a database to the newest schema."""

import logging
from concurrent.futures import ThreadPoolExecutor
from importlib.resources import files

import psycopg
import pytest
from psycopg.conninfo import make_conninfo
from psycopg.rows import dict_row

from tests.support.fakes import ValueClassifier, WordEmbedder
from tests.support.invariants import words_follow_what_is_active
from tests.support.sql import dump, eventually, plant, value, waiting
from tributary.adapters.postgres import migrate as migrations
from tributary.adapters.postgres.database import connector
from tributary.adapters.postgres.migrate import _LOCK, migrate
from tributary.domain.errors import ConfigurationError
from tributary.domain.roles import Actor, Role
from tributary.edge.wiring import Wiring
from tributary.memory import APP_ROLE, Memory

ALL = tuple(
    sorted(
        one.name.removesuffix(".sql")
        for one in (files("tributary") / "migrations").iterdir()
        if one.name.endswith(".sql")
    )
)
CATALOGUE = """
SELECT (SELECT json_agg(c ORDER BY oid) FROM pg_class c) AS relations,
       (SELECT json_agg(p ORDER BY oid) FROM pg_proc p) AS functions,
       (SELECT json_agg(p ORDER BY oid) FROM pg_policy p) AS policies,
       (SELECT json_agg(s ORDER BY s::text) FROM pg_db_role_setting s) AS settings,
       (SELECT json_agg(m ORDER BY name) FROM schema_migrations m) AS migrations
"""


@pytest.fixture(scope="module")
def scrap(new_database):
    """A migrated database to spoil."""
    dsn = new_database()
    migrate(connector(conninfo=dsn))
    return dsn


@pytest.fixture
def inside(scrap):
    with psycopg.connect(scrap, autocommit=True, row_factory=dict_row) as connection:
        yield connection


def test_a_fresh_database_gets_every_migration_in_order(new_database):
    migrated = migrate(connector(conninfo=new_database()))
    assert migrated.applied == ALL
    assert migrated.warnings == ()


def test_migrating_again_changes_nothing(scrap, inside):
    before = inside.execute(CATALOGUE).fetchone()
    assert migrate(connector(conninfo=scrap)).applied == ()
    assert inside.execute(CATALOGUE).fetchone() == before


def test_of_two_callers_at_once_one_migrates_and_the_other_waits_for_it(new_database):
    dsn = new_database()
    with (
        psycopg.connect(dsn, autocommit=True, row_factory=dict_row) as doorkeeper,
        ThreadPoolExecutor(2) as pool,
    ):
        doorkeeper.execute("SELECT pg_advisory_lock(%s)", (_LOCK,))
        calls = [pool.submit(migrate, connector(conninfo=dsn)) for _ in range(2)]
        eventually(doorkeeper, lambda: waiting(doorkeeper, "advisory") == 2)
        doorkeeper.execute("SELECT pg_advisory_unlock(%s)", (_LOCK,))
        assert sorted(one.result().applied for one in calls) == [(), ALL]


def test_two_databases_of_one_server_migrate_at_once_though_they_share_the_role(new_database):
    with ThreadPoolExecutor(2) as pool:
        calls = [
            pool.submit(migrate, connector(conninfo=dsn))
            for dsn in (new_database(), new_database())
        ]
        assert [one.result().applied for one in calls] == [ALL, ALL]


@pytest.fixture
def owned(admin, new_database):
    """A database of an owner who is no superuser, as on RDS, where rds_superuser may create the
    extension.
    """
    if not value(admin, "SELECT 1 FROM pg_roles WHERE rolname = 'master'"):
        admin.execute("CREATE ROLE master LOGIN CREATEROLE")
        admin.execute(f"GRANT {APP_ROLE} TO master WITH ADMIN OPTION")
    dsn = new_database(owner="master")
    with psycopg.connect(dsn, autocommit=True) as connection:
        connection.execute("CREATE EXTENSION vector")
    return dsn


@pytest.mark.parametrize("before", ["0007", "0010"])
def test_what_was_there_already_is_searched_as_what_is_learnt_later(owned, monkeypatch, before):
    as_owner = connector(conninfo=make_conninfo(owned, user="master"))
    every = migrations._migrations()
    with monkeypatch.context() as only:
        only.setattr(migrations, "_migrations", lambda: [one for one in every if one[0] < before])
        migrate(as_owner)
    with psycopg.connect(owned, autocommit=True, row_factory=dict_row) as inside:
        plant(inside, "acme", ["deploys happen on Tuesday", "the cache is cleared on Tuesday", ""])
        inside.execute(
            "UPDATE lesson_vectors SET valid_to = now() WHERE tribe = 'acme' AND id IN"
            " (SELECT id FROM lessons WHERE content = '')"
        )
        inside.execute("UPDATE lessons SET valid_to = now() WHERE content = ''")
        migrate(as_owner)
        found = dump(inside, "acme")
        assert [row["number"] for row in found["word_counts"] if row["word"] == "tuesday"] == [2]
        words_follow_what_is_active(found)
        inside.execute("DELETE FROM lesson_vectors WHERE tribe = 'acme'")
        inside.execute("UPDATE lessons SET status = 'retired' WHERE tribe = 'acme'")
        words_follow_what_is_active(dump(inside, "acme"))


def test_an_owner_who_is_no_superuser_can_migrate_and_everything_works(owned):
    assert migrate(connector(conninfo=make_conninfo(owned, user="master"))).applied == ALL
    wiring = Wiring(
        connector(conninfo=make_conninfo(owned, user=APP_ROLE)), WordEmbedder, ValueClassifier
    )
    boss = Actor("acme", "boss", Role.CURATOR)
    assert wiring.agents.identify(wiring.agents.found("acme", "boss").key) == boss
    with Memory(wiring, boss) as memory:
        memory.learn("the billing port is 7001")
        memory.learn("the billing port is 7002")
        (found,) = memory.recall("billing port").lessons
    assert found.content == "the billing port is 7002"


def test_a_migration_that_was_applied_in_another_version_is_refused(scrap, inside):
    inside.execute("UPDATE schema_migrations SET checksum = 'x' || checksum WHERE name ~ '^0003'")
    try:
        with pytest.raises(ConfigurationError, match="0003_lessons"):
            migrate(connector(conninfo=scrap))
    finally:
        inside.execute("UPDATE schema_migrations SET checksum = substr(checksum, 2) WHERE true"
                       " AND name ~ '^0003'")  # fmt: skip
    assert migrate(connector(conninfo=scrap)).applied == ()


@pytest.mark.parametrize(("version", "warned"), [("0.8.3", 1), ("0.8.4", 0), ("0.10.0", 0)])
def test_an_old_pgvector_is_warned_of(scrap, inside, caplog, version, warned):
    ours = value(inside, "SELECT extversion FROM pg_extension WHERE extname = 'vector'")
    inside.execute("UPDATE pg_extension SET extversion = %s WHERE extname = 'vector'", (version,))
    try:
        with caplog.at_level(logging.WARNING):
            migrated = migrate(connector(conninfo=scrap))
    finally:
        inside.execute("UPDATE pg_extension SET extversion = %s WHERE extname = 'vector'", (ours,))
    assert migrated.pgvector == version
    assert [record.getMessage() for record in caplog.records] == list(migrated.warnings)
    assert len(migrated.warnings) == warned
    assert all(version in one and "0.8.4" in one for one in migrated.warnings)
