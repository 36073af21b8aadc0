"""What the role of the functions may not do, whatever code it is made to run."""

import pytest
from psycopg import errors, sql

from tests.support.sql import MEMORY_TABLES, plant, value
from tributary.memory import APP_ROLE

RECALLED = {"lessons", "lesson_vectors", "lesson_words", "word_counts", "tribe_sizes"}
KEPT_FOR_EVER = ("memory_audit", "decisions", "idempotency_keys", "lessons", "recall_receipts")


def test_it_owns_nothing(admin):
    for catalogue, owner in [
        ("pg_class", "relowner"), ("pg_proc", "proowner"), ("pg_namespace", "nspowner"),
        ("pg_type", "typowner"), ("pg_database", "datdba"),
    ]:  # fmt: skip
        counted = f"SELECT count(*) FROM {catalogue} WHERE {owner} = %s::regrole"
        assert value(admin, counted, APP_ROLE) == 0, catalogue


def test_it_has_no_attribute_that_lifts_row_security(admin):
    found = admin.execute(
        "SELECT rolsuper, rolbypassrls, rolcreaterole, rolcreatedb, rolreplication"
        " FROM pg_roles WHERE rolname = %s",
        (APP_ROLE,),
    ).fetchone()
    assert set(found.values()) == {False}


@pytest.mark.parametrize(
    "statement",
    [
        "CREATE TABLE public.mine (a int)",
        "CREATE TEMPORARY TABLE mine (a int)",
        "CREATE SCHEMA mine",
        "CREATE FUNCTION public.mine() RETURNS int LANGUAGE sql AS 'SELECT 1'",
        "CREATE OR REPLACE FUNCTION current_tribe() RETURNS text LANGUAGE sql AS 'SELECT ''x'''",
        "CREATE INDEX ON lessons (content)",
        "ALTER TABLE lessons DISABLE ROW LEVEL SECURITY",
        "ALTER TABLE lessons NO FORCE ROW LEVEL SECURITY",
        "DROP POLICY own_tribe ON lessons",
        "CREATE POLICY all_tribes ON lessons USING (true)",
        "DROP TABLE lessons",
        "TRUNCATE lessons",
        "DROP TABLE gate_00",
        "SET ROLE postgres",
        "SELECT * FROM agent_keys",
        "INSERT INTO schema_migrations VALUES ('x', 'y')",
        "UPDATE lessons SET content = 'something else'",
        "UPDATE lessons SET source_agent = 'somebody else'",
        "UPDATE lessons SET created_at = now()",
        "UPDATE disputes SET opened_by = 'somebody else'",
        "INSERT INTO agent_keys VALUES ('x', 'a', 'b')",
        "INSERT INTO agents (tribe, name, role) VALUES ('a', 'b', 'curator')",
        "UPDATE agents SET role = 'curator'",
        "UPDATE tribes SET name = 'x'",
        "DELETE FROM tribes",
        "UPDATE memory_audit SET agent = 'nobody'",
        "UPDATE decisions SET outcome = 'inserted'",
        "UPDATE idempotency_keys SET key = 'x'",
        "UPDATE recall_receipts SET lessons = '{}'",
        "UPDATE lesson_vectors SET model = 'x' WHERE false; TRUNCATE lesson_vectors",
        "COPY lessons TO PROGRAM 'true'",
    ],
)
def test_it_is_refused(app, statement):
    with pytest.raises(errors.InsufficientPrivilege):
        app.execute(statement)


@pytest.mark.parametrize("table", KEPT_FOR_EVER)
def test_it_cannot_delete_what_is_kept_for_ever(app, table):
    with pytest.raises(errors.InsufficientPrivilege):
        app.execute(sql.SQL("DELETE FROM {}").format(sql.Identifier(table)))


@pytest.mark.parametrize("table", sorted({*MEMORY_TABLES} - RECALLED))
def test_it_cannot_reach_a_partition_past_the_policy_of_its_parent(app, table):
    for number in (0, 63):
        partition = sql.Identifier(f"{table}_{number:02}")
        with pytest.raises(errors.InsufficientPrivilege):
            app.execute(sql.SQL("SELECT * FROM {}").format(partition))


def test_a_partition_that_recall_asks_shows_a_tribe_its_own_rows_and_changes_nothing(app, admin):
    number = value(admin, "SELECT gate_of('owner')")
    other = value(
        admin,
        "SELECT 'other-' || n FROM generate_series(1, 1000) AS n WHERE gate_of('other-' || n) = %s",
        number,
    )
    plant(admin, "owner", ["the printer is on floor 2"])
    plant(admin, other, ["the printer is on floor 3"])
    for table in RECALLED:
        partition = sql.Identifier(f"{table}_{number:02}")
        count = sql.SQL("SELECT array_agg(DISTINCT tribe) AS tribes FROM {}").format(partition)
        for entered, seen in (("", None), (other, [other])):
            with app.transaction():
                app.execute("SELECT enter_tribe(%s)", (entered,))
                assert app.execute(count).fetchone()["tribes"] == seen
        for statement in ("DELETE FROM {}", "UPDATE {} SET tribe = 'x'"):
            with pytest.raises(errors.InsufficientPrivilege):
                app.execute(sql.SQL(statement).format(partition))


def test_functions_that_run_as_their_owner_fix_the_search_path_and_are_not_public(admin):
    found = admin.execute(
        "SELECT proname, proconfig, has_function_privilege('public', oid, 'EXECUTE') AS open"
        " FROM pg_proc WHERE prosecdef AND pronamespace = 'public'::regnamespace ORDER BY 1"
    ).fetchall()
    assert [row["proname"] for row in found] == [
        "add_agent", "identify", "open_scratch", "remove_scratch",
    ]  # fmt: skip
    assert all(row["proconfig"] == ["search_path=public, pg_temp"] for row in found)
    assert not any(row["open"] for row in found)
