"""How the database executes the statements that the shipped code really sends."""

import re
from collections.abc import Iterator
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from typing import Any
from uuid import UUID

from psycopg import Connection, Cursor, sql
from psycopg.rows import DictRow
from psycopg.types.json import Jsonb

from tributary.adapters.postgres.database import Connect
from tributary.adapters.postgres.halfvec import HalfVector

READS_OR_WRITES = re.compile(r"\s*(SELECT|WITH|INSERT|UPDATE|DELETE)\b")
ALL_ROWS = "all rows"
EXPLAIN = "EXPLAIN (FORMAT JSON) "
TYPES = {
    UUID: "uuid", datetime: "timestamptz", timedelta: "interval", bool: "bool",
    int: "bigint", float: "float8", Jsonb: "jsonb",
}  # fmt: skip
Node = dict[str, Any]


@dataclass
class Spy:
    """Opens a connection that writes down what it executes."""

    open: Connect
    seen: list[tuple[str, Any]] = field(default_factory=list)
    connection: Connection[DictRow] = field(init=False)

    def connect(self) -> Connection[DictRow]:
        seen = self.seen

        class Recorder(Cursor[DictRow]):
            def execute(self, query: Any, params: Any = None, **options: Any) -> Any:
                if isinstance(query, str) and READS_OR_WRITES.match(query):
                    seen.append((query, params))
                return super().execute(query, params, **options)

        self.connection = self.open()
        self.connection.cursor_factory = Recorder
        return self.connection

    def one(self, fragment: str) -> tuple[str, Any]:
        """The last statement that holds `fragment`; raises LookupError when none does."""
        return [one for one in self.seen if fragment in one[0]][-1]


def explain(connection: Connection[DictRow], tribe: str, statement: str, params: Any) -> Node:
    """How the database would execute the statement in the tribe, with these values."""
    with connection.transaction(force_rollback=True):
        connection.execute("SELECT enter_tribe(%s)", (tribe,))
        return plan_of(connection.execute(EXPLAIN + statement, params))


def explain_generic(
    connection: Connection[DictRow], tribe: str, statement: str, params: dict[str, Any]
) -> Node:
    """The same, with a plan that was made for any values: `force_generic_plan`.

    The values still prune partitions, when the execution starts.
    """
    order = list(dict.fromkeys(re.findall(r"%\((\w+)\)s", statement)))
    numbered = re.sub(r"%\((\w+)\)s", lambda found: f"${order.index(found[1]) + 1}", statement)
    types = ", ".join(_type(params[name]) for name in order)
    values = sql.SQL(", ").join(literal(params[name]) for name in order)
    with connection.transaction(force_rollback=True):
        connection.execute("SELECT enter_tribe(%s)", (tribe,))
        connection.execute("SET LOCAL plan_cache_mode = force_generic_plan")
        connection.execute(f"PREPARE probe ({types}) AS {numbered}")
        found = plan_of(connection.execute(sql.SQL(EXPLAIN + "EXECUTE probe ({})").format(values)))
        connection.execute("DEALLOCATE probe")
    return found


def literal(value: Any) -> sql.Literal:
    """A value within a statement, where none can be bound."""
    return sql.Literal(str(value) if isinstance(value, HalfVector) else value)


def _type(value: Any) -> str:
    """As psycopg says it of a parameter; a text's type is the server's to find out."""
    if isinstance(value, list):
        return f"{TYPES.get(type(value[0]), 'text')}[]" if value else "unknown"
    return TYPES.get(type(value), "unknown")


def plan_of(cursor: Cursor[DictRow]) -> Node:
    """The topmost node of what EXPLAIN answers."""
    (row,) = cursor.fetchall()
    return dict(row["QUERY PLAN"][0]["Plan"])


def nodes(plan: Node) -> Iterator[Node]:
    """Every node of the plan, from the top."""
    yield plan
    for child in plan.get("Plans", []):
        yield from nodes(child)


def scans(plan: Node) -> dict[str, set[str]]:
    """Partitions (without their number) by how they are read: the index, or ALL_ROWS."""
    found: dict[str, set[str]] = {}
    for node in nodes(plan):
        table = node.get("Relation Name")
        how = node.get("Index Name", ALL_ROWS)
        if table is None and how != ALL_ROWS:  # a bitmap's lower half names only the index
            table = re.sub(r"(_\d\d)_.*", r"\1", how)
        if table and node["Node Type"] != "Bitmap Heap Scan":
            found.setdefault(_family(table), set()).add(_family(how))
    return found


def partitions(plan: Node) -> set[str]:
    """The numbers of the partitions that the plan reads or writes."""
    names = [node.get("Relation Name") or node.get("Index Name") or "" for node in nodes(plan)]
    return {found[1] for name in names if (found := re.search(r"_(\d\d)(?:_|$)", name))}


def _family(name: str) -> str:
    return re.sub(r"_\d\d(?=_|$)", "", name)
