"""What the migrations leave behind, as the catalogue has it."""

import pytest

from tests.support.sql import MEMORY_TABLES, value


def test_every_memory_table_has_64_hash_partitions(admin):
    found = admin.execute(
        "SELECT inhparent::regclass::text AS parent, count(*) AS number FROM pg_inherits"
        " JOIN pg_class c ON c.oid = inhrelid AND c.relkind = 'r' GROUP BY 1"
    )
    assert {row["parent"]: row["number"] for row in found} == dict.fromkeys(MEMORY_TABLES, 64)


def test_there_are_64_gates_without_columns_or_rows(admin):
    found = admin.execute(
        "SELECT relname AS name, relnatts AS columns, pg_relation_size(oid) AS size"
        " FROM pg_class WHERE relkind = 'r' AND relname ~ '^gate_' ORDER BY 1"
    ).fetchall()
    assert [row["name"] for row in found] == [f"gate_{number:02}" for number in range(64)]
    assert {(row["columns"], row["size"]) for row in found} == {(0, 0)}


@pytest.mark.parametrize("table", ["lesson_vectors", "lesson_vectors_past"])
def test_no_vector_is_stored_out_of_line(admin, table):
    found = admin.execute(
        "SELECT attstorage::text AS storage, count(*) AS number FROM pg_attribute"
        " WHERE attname = 'embedding' AND attrelid IN"
        " (SELECT inhrelid FROM pg_inherits WHERE inhparent = %s::regclass) GROUP BY 1",
        (table,),
    )
    assert [(row["storage"], row["number"]) for row in found] == [("p", 64)]


@pytest.mark.parametrize("tribe_name", ["acme", "acme-corp", "a%", "acme.eu", "x" * 64])
def test_the_gate_of_a_tribe_has_the_number_of_its_partition(admin, tribe_name):
    gate = value(admin, "SELECT gate_of(%s)", tribe_name)
    for table in MEMORY_TABLES:
        partition = f"{table}_{gate:02}"
        assert value(
            admin,
            "SELECT satisfies_hash_partition(%s::regclass, 64, %s, %s::text)",
            table, gate, tribe_name,
        )  # fmt: skip
        bound = f"FOR VALUES WITH (modulus 64, remainder {gate})"
        assert bound == value(
            admin,
            "SELECT pg_get_expr(relpartbound, oid) FROM pg_class WHERE relname = %s",
            partition,
        )


def test_the_functions_role_is_held_to_timeouts(app):
    found = {
        name: value(app, "SELECT current_setting(%s)", name)
        for name in (
            "statement_timeout", "lock_timeout", "transaction_timeout",
            "idle_in_transaction_session_timeout",
        )
    }  # fmt: skip
    assert found == {
        "statement_timeout": "15s",
        "lock_timeout": "5s",
        "transaction_timeout": "20s",
        "idle_in_transaction_session_timeout": "10s",
    }


@pytest.mark.parametrize(
    ("name", "setting"),
    [("jit", "off"), ("TimeZone", "UTC"), ("hnsw.iterative_scan", "relaxed_order")],
)
def test_planner_settings_come_with_the_database(app, name, setting):
    assert value(app, "SELECT current_setting(%s)", name) == setting


def test_every_index_on_vectors_is_one_of_the_designed_ones(admin):
    found = admin.execute(
        "SELECT DISTINCT am.amname AS kind FROM pg_index i JOIN pg_class c ON c.oid = i.indexrelid"
        " JOIN pg_am am ON am.oid = c.relam WHERE i.indrelid IN"
        " (SELECT inhrelid FROM pg_inherits WHERE inhparent = 'lesson_vectors'::regclass)"
    )
    assert {row["kind"] for row in found} == {"btree", "hnsw"}
