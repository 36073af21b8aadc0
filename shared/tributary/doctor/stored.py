"""How the database executes a statement inside a stored function, which EXPLAIN does not show."""

import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from psycopg import Connection, sql
from psycopg.rows import DictRow

from tributary.doctor.plans import EXPLAIN, Node, literal, plan_of

FUNCTION = """
SELECT prosrc AS source, coalesce(proconfig, '{}') AS settings,
       proargnames[:pronargs] AS names, proargtypes::regtype[]::text[] AS types
FROM pg_proc WHERE pronamespace = 'public'::regnamespace
  AND proname = %s || '_' || lpad(gate_of(%s)::text, 2, '0')
"""
COMMENT = re.compile(r"--[^\n]*")
BEFORE = re.compile(r"\s*(?:BEGIN\s+)?(?:RETURN\s+QUERY|RETURN|\w+\s*:=)?\s*", re.IGNORECASE)
INTO = re.compile(r"(?<!INSERT)\s+INTO\s+[\w\s,]+?(?=\s+FROM\b)", re.IGNORECASE)
QUERY = re.compile(r"(?:SELECT|WITH|INSERT|UPDATE|DELETE)\b", re.IGNORECASE)


@dataclass(frozen=True, slots=True)
class Inside:
    """One statement of the body of a function that each partition has, found by what it holds.

    `values` are of the parameters, by their names; what is left out is null. `variables` say the
    SQL type and the value of whatever else of PL/pgSQL the statement uses.
    """

    function: str
    fragment: str
    values: Mapping[str, Any]
    variables: Mapping[str, tuple[str, Any]] = field(default_factory=dict)


def explain_inside(connection: Connection[DictRow], tribe: str, inside: Inside) -> Node:
    """The plan for any values, under the function's own settings, as PL/pgSQL keeps it.

    The function is that of the tribe's partition. Raises LookupError when there is no such
    function, or no such statement in it.
    """
    row = connection.execute(FUNCTION, (inside.function, tribe)).fetchone()
    if row is None:
        raise LookupError(f"there is no function {inside.function}")
    bound = {
        name: (type_, inside.values.get(name))
        for name, type_ in zip(row["names"], row["types"], strict=True)
    } | dict(inside.variables)
    statement = numbered(statement_of(row["source"], inside.fragment), list(bound))
    types = ", ".join(type_ for type_, _ in bound.values())
    values = sql.SQL(", ").join(literal(value) for _, value in bound.values())
    with connection.transaction(force_rollback=True):
        connection.execute("SELECT enter_tribe(%s)", (tribe,))
        for setting in ("plan_cache_mode=force_generic_plan", *row["settings"]):
            connection.execute("SELECT set_config(%s, %s, true)", setting.split("=", 1))
        connection.execute(f"PREPARE inside ({types}) AS {statement}")
        found = plan_of(connection.execute(sql.SQL(EXPLAIN + "EXECUTE inside ({})").format(values)))
        connection.execute("DEALLOCATE inside")
    return found


def statement_of(source: str, fragment: str) -> str:
    """The only statement of a PL/pgSQL body that holds the fragment, as plain SQL."""
    plain = " ".join(COMMENT.sub("", source).split())
    found = [one for one in plain.split(";") if fragment in one]
    if len(found) != 1:
        raise LookupError(f"{len(found)} statements hold {fragment!r}")
    statement = INTO.sub("", BEFORE.sub("", found[0], count=1).strip(), count=1)
    return statement if QUERY.match(statement) else f"SELECT {statement}"


def numbered(statement: str, names: list[str]) -> str:
    """With $1, $2 ... for the variables' names; a name behind a dot is a column's."""
    order = {name: f"${number}" for number, name in enumerate(names, start=1)}
    words = "|".join(map(re.escape, order))
    return re.sub(rf"(?<![.\w])({words})\b(?!\s*\()", lambda found: order[found[1]], statement)
