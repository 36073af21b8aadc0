"""Why learning does not search its index inside the transaction: the schedule that splits a topic.

The index insert of the first learner is held where it hurts: after PostgreSQL's check for
conflicts, which comes before the index's own code, and before the new row is in the graph. An
operator class whose norm function waits does that, because pgvector computes the norm of a new
vector first of all inside its insert.
"""

from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from pathlib import Path

import psycopg
import pytest
from psycopg import sql
from psycopg.conninfo import make_conninfo
from psycopg.rows import dict_row

from scripts.bench.systems.base import DIMENSIONS, Lesson, Place
from scripts.bench.systems.obvious import NEAREST, Obvious
from tests.support.sql import Admin, eventually, waiting
from tributary.adapters.classify.heuristic import HeuristicClassifier
from tributary.adapters.postgres.database import connector
from tributary.adapters.postgres.migrate import migrate
from tributary.domain.roles import Actor, Role
from tributary.edge.wiring import Wiring
from tributary.memory import APP_ROLE, Memory
from tributary.ports import Embedding

PATIENCE = 60  # seconds, for what takes milliseconds
THE_INSERT = 8_310  # the advisory lock that holds an index insert
HELD = "-c exhibit.held=on"
INDEXED = "-c enable_seqscan=off"  # what the planner does by itself once the table is large

WAITING = """
CREATE FUNCTION waiting_norm(value {type}) RETURNS float8 LANGUAGE plpgsql AS $$
BEGIN
    IF current_setting('exhibit.held', true) = 'on' THEN
        PERFORM pg_advisory_xact_lock_shared({lock});
    END IF;
    RETURN {norm}(value);
END $$;
CREATE OPERATOR CLASS waiting_ops FOR TYPE {type} USING hnsw AS
    OPERATOR 1 <=> ({type}, {type}) FOR ORDER BY float_ops,
    FUNCTION 1 {type}_negative_inner_product({type}, {type}),
    FUNCTION 2 waiting_norm({type}) {support};
CREATE INDEX waiting ON {table} USING hnsw (embedding waiting_ops);
"""

DIRECTION = (1.0, *[0.0] * (DIMENSIONS - 1))
SEVEN, NINE = (Lesson("t", f"The build timeout is {n} minutes", DIRECTION) for n in (7, 9))


class OneTopic:
    """Everything is about the same thing."""

    model = "one topic"

    def embed(self, text: str) -> Embedding:
        return Embedding(DIRECTION, self.model, truncated=False)


@pytest.fixture
def database(new_database: Callable[..., str]) -> str:
    return new_database()


@pytest.fixture
def owner(database: str) -> Iterator[Admin]:
    with psycopg.connect(database, autocommit=True, row_factory=dict_row) as connection:
        yield connection


def slow_down(owner: Admin, table: str, kind: str, norm: str, support: str = "") -> None:
    """Put an index whose insert can be held in the place of the table's HNSW index."""
    for row in owner.execute(
        "SELECT c.oid::regclass::text AS name FROM pg_index i JOIN pg_class c ON c.oid = indexrelid"
        " JOIN pg_am a ON a.oid = c.relam AND a.amname = 'hnsw' WHERE indrelid = %s::regclass",
        (table,),
    ).fetchall():
        owner.execute(sql.SQL("DROP INDEX {}").format(sql.Identifier(row["name"])))
    owner.execute(
        WAITING.format(type=kind, norm=norm, lock=THE_INSERT, table=table, support=support)
    )


@contextmanager
def held(owner: Admin) -> Iterator[None]:
    """Index inserts of sessions that are HELD wait until the end."""
    owner.execute("SELECT pg_advisory_lock(%s)", (THE_INSERT,))
    try:
        yield
    finally:
        owner.execute("SELECT pg_advisory_unlock(%s)", (THE_INSERT,))


def obvious(database: str, options: str) -> Obvious:
    dsn = make_conninfo(database, options=f"{INDEXED} {options}")
    system = Obvious(Place(dsn, folder=Path()))
    system.open()
    return system


def test_the_obvious_design_searches_by_its_hnsw_index(database):
    with obvious(database, "").connection as connection:
        asked = {"tenant": "t", "vector": str(list(DIRECTION)), "k": 20}
        plan = str(connection.execute("EXPLAIN " + NEAREST, asked).fetchall())
    assert "Index Scan using obvious_hnsw" in plan


def test_a_search_during_an_hnsw_insert_leaves_two_truths_in_the_obvious_design(database, owner):
    one, two = obvious(database, HELD), obvious(database, "")
    slow_down(owner, "obvious", "vector", "vector_norm")
    with ThreadPoolExecutor(1) as pool, held(owner):
        first = pool.submit(one.learn, SEVEN)
        eventually(owner, lambda: waiting(owner, "advisory") == 1)
        two.learn(NINE)  # from its first search to its commit, during the other's index insert
        assert not first.done()
    first.result(PATIENCE)
    assert (one.retries, two.retries) == (0, 0)
    assert sorted(two.search("t", "", DIRECTION, 10)) == [SEVEN.text, NINE.text]
    one.close()
    two.close()


def test_one_after_the_other_the_obvious_design_keeps_one(database):
    one, two = obvious(database, ""), obvious(database, "")
    one.learn(SEVEN)
    two.learn(NINE)
    assert two.search("t", "", DIRECTION, 10) == [NINE.text]
    one.close()
    two.close()


def learner(database: str, options: str) -> Memory:
    dsn = make_conninfo(database, user=APP_ROLE, options=options)
    wiring = Wiring(connector(conninfo=dsn), OneTopic, HeuristicClassifier)
    wiring.registry.found("t")
    return Memory(wiring, Actor("t", "agent", Role.WRITER))


def test_the_same_schedule_leaves_one_truth_here(database, owner):
    migrate(connector(conninfo=database))
    slow_down(
        owner, "lesson_vectors", "halfvec", "l2_norm",
        ", FUNCTION 3 hnsw_halfvec_support(internal)",
    )  # fmt: skip
    one, two = learner(database, HELD), learner(database, "")
    with ThreadPoolExecutor(2) as pool, held(owner):
        first = pool.submit(one.learn, SEVEN.text)
        eventually(owner, lambda: waiting(owner, "advisory") == 1)
        second = pool.submit(two.learn, NINE.text)
        eventually(owner, lambda: waiting(owner, "relation") == 1)  # it has searched: at the gate
        assert not first.done()
    assert first.result(PATIENCE).outcome == "inserted"
    assert second.result(PATIENCE).outcome == "superseded"
    recalled = two.recall("the build timeout", k=10)
    assert [lesson.content for lesson in recalled.lessons] == [NINE.text]
    one.close()
    two.close()
