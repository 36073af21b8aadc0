"""PostgreSQL keeps tribes apart by itself, whatever the statement asks for."""

import pytest
from psycopg import errors, sql

from tests.support.sql import MEMORY_TABLES, dump, value
from tributary.domain.errors import NotFoundError
from tributary.domain.roles import Role
from tributary.ports import Resolution

OURS, THEIRS = "rls-ours", "rls-theirs"
TABLES = [*MEMORY_TABLES, "agents"]
DELETABLE = ("lesson_vectors", "lesson_vectors_past", "topic_leases")
# A column that may be changed in each table that has one.
UPDATABLE = {
    "lessons": "flag", "lesson_vectors": "model", "topic_leases": "until", "disputes": "reason",
    "recall_receipts": "folded",
}  # fmt: skip


@pytest.fixture(autouse=True)
def rows_of_two_tribes(memories, wirings, admin):
    """Rows of both tribes in every table."""
    if value(admin, "SELECT count(*) FROM lessons WHERE tribe = %s", OURS):
        return
    for tribe in (OURS, THEIRS):
        memory = memories(tribe=tribe)
        wirings().agents.found(tribe, "ada")
        memory.learn("the billing port is 7001", idempotency_key="k")
        learned = memory.learn("the billing port is 7002")
        memory.recall("billing port")
        memories("bob", Role.WRITER, tribe=tribe).learn("the billing port is 7003")
        wirings().store.take_lease(tribe, learned.lesson_id, learned.decision_id, 3_600)


@pytest.fixture
def inside(app):
    """A transaction in our tribe."""
    with app.transaction(force_rollback=True):
        app.execute("SELECT enter_tribe(%s)", (OURS,))
        yield app


def test_the_catalogue_forces_row_security_on_every_table_with_a_tribe(admin):
    found = admin.execute(
        "SELECT relname FROM pg_class c WHERE relkind IN ('r', 'p') AND NOT relispartition"
        " AND NOT (relrowsecurity AND relforcerowsecurity) AND EXISTS"
        " (SELECT FROM pg_attribute WHERE attrelid = c.oid AND attname = 'tribe')"
    )
    # Read before the tribe is known, and by its owner only.
    assert [row["relname"] for row in found] == ["agent_keys"]


@pytest.mark.parametrize("table", TABLES)
def test_without_a_tribe_there_are_no_rows(app, table):
    assert value(app, f"SELECT count(*) FROM {table}") == 0
    with app.transaction():
        app.execute("SELECT enter_tribe('')")
        assert value(app, f"SELECT count(*) FROM {table}") == 0


@pytest.mark.parametrize("table", TABLES)
def test_in_a_tribe_only_its_own_rows_are_seen(inside, table):
    assert value(inside, f"SELECT count(*) FROM {table} WHERE tribe = %s", OURS) > 0
    assert value(inside, f"SELECT count(*) FROM {table} WHERE tribe <> %s", OURS) == 0
    assert value(inside, f"SELECT count(*) FROM {table} WHERE tribe = %s", THEIRS) == 0


@pytest.mark.parametrize("table", MEMORY_TABLES)
def test_a_row_cannot_be_put_into_another_tribe(inside, table):
    columns = [
        row["attname"]
        for row in inside.execute(
            "SELECT attname FROM pg_attribute WHERE attrelid = %s::regclass"
            " AND attnum > 0 AND NOT attisdropped AND attgenerated = '' AND attname <> 'tribe'",
            (table,),
        )
    ]
    copied = sql.SQL("INSERT INTO {0} (tribe, {1}) SELECT {2}, {1} FROM {0} LIMIT 1").format(
        sql.Identifier(table), sql.SQL(", ").join(map(sql.Identifier, columns)), THEIRS
    )
    with pytest.raises(errors.InsufficientPrivilege, match="violates row-level security"):
        inside.execute(copied)


@pytest.mark.parametrize(("table", "column"), UPDATABLE.items())
def test_rows_of_another_tribe_cannot_be_changed(inside, table, column):
    statement = f"UPDATE {table} SET {column} = {column} WHERE tribe = %s"
    assert inside.execute(statement, (OURS,)).rowcount > 0
    assert inside.execute(statement, (THEIRS,)).rowcount == 0


@pytest.mark.parametrize("table", UPDATABLE)
def test_a_row_cannot_be_moved_into_another_tribe(inside, table):
    with pytest.raises(errors.InsufficientPrivilege):
        inside.execute(f"UPDATE {table} SET tribe = %s WHERE tribe = %s", (THEIRS, OURS))


@pytest.mark.parametrize("table", DELETABLE)
def test_rows_of_another_tribe_cannot_be_deleted(inside, admin, table):
    before = dump(admin, THEIRS)
    assert inside.execute(f"DELETE FROM {table} WHERE tribe <> %s", (OURS,)).rowcount == 0
    assert inside.execute(f"DELETE FROM {table}").rowcount > 0
    assert dump(admin, THEIRS) == before


def test_the_tribe_ends_with_its_transaction(app):
    with app.transaction():
        app.execute("SELECT enter_tribe(%s)", (OURS,))
        assert value(app, "SELECT count(*) FROM lessons") > 0
    assert value(app, "SELECT count(*) FROM lessons") == 0


def test_a_view_of_rows_through_an_index_is_held_back_too(inside):
    inside.execute("SET LOCAL enable_seqscan = off")
    nearest = inside.execute(
        "SELECT tribe FROM lesson_vectors"
        " ORDER BY embedding <=> (SELECT embedding FROM lesson_vectors LIMIT 1)"
    )
    assert {row["tribe"] for row in nearest} == {OURS}


def test_a_curator_of_one_tribe_finds_nothing_of_another_by_its_id(wirings, memories, admin):
    wiring = wirings()
    theirs = value(admin, "SELECT id FROM lessons WHERE tribe = %s AND status = 'active'", THEIRS)
    dispute = value(admin, "SELECT id FROM disputes WHERE tribe = %s", THEIRS)
    decision = value(admin, "SELECT id FROM decisions WHERE tribe = %s", THEIRS)
    memory = memories(tribe=OURS, wiring=wiring)
    before = dump(admin, THEIRS)
    for attempt in (
        lambda: memory.reinforce(theirs),
        lambda: memory.retire(theirs, "mine now"),
        lambda: memory.history(theirs),
        lambda: wiring.curate.resolve(memory._actor, dispute, Resolution.ACCEPT),
    ):
        with pytest.raises(NotFoundError, match="in this tribe"):
            attempt()
    assert wiring.ledger.decision(OURS, decision) is None
    assert dump(admin, THEIRS) == before
