"""Isolation as the database itself enforces it: what its catalogue says, and what it shows."""

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

from psycopg import Connection, errors, sql
from psycopg.rows import DictRow

from tributary.adapters.postgres.database import Connect
from tributary.doctor.report import Check, Figures, check
from tributary.domain.errors import ConfigurationError
from tributary.memory import APP_ROLE

NAME = "isolation by the database"
KEYS = "agent_keys"  # read before the tribe is known, through a function of its owner's only

OF_TRIBES = """
SELECT relname, relrowsecurity AND relforcerowsecurity AS forced,
       EXISTS (SELECT FROM pg_policy WHERE polrelid = c.oid) AS policy,
       has_table_privilege(%(role)s, c.oid, 'SELECT') AS readable
FROM pg_class c WHERE relnamespace = 'public'::regnamespace AND relkind IN ('r', 'p')
  AND NOT relispartition AND EXISTS (
    SELECT FROM pg_attribute WHERE attrelid = c.oid AND attname = 'tribe' AND NOT attisdropped)
ORDER BY relname
"""
# Recall asks the partitions themselves, so these have their parent's policies, and no others.
PARTITIONS = """
WITH guarded AS (
    SELECT c.oid, relname, relkind, relispartition,
           relrowsecurity AND relforcerowsecurity AS forced, (
        SELECT array_agg((polcmd, polroles, polpermissive, pg_get_expr(polqual, polrelid),
                          pg_get_expr(polwithcheck, polrelid))::text ORDER BY polname)
        FROM pg_policy WHERE polrelid = c.oid
    ) AS policies
    FROM pg_class c WHERE relnamespace = 'public'::regnamespace
)
SELECT part.relname FROM guarded part
JOIN pg_inherits ON inhrelid = part.oid JOIN guarded parent ON parent.oid = inhparent
WHERE part.relispartition AND part.relkind = 'r'
  AND has_table_privilege(%(role)s, part.oid, 'SELECT, INSERT, UPDATE, DELETE')
  AND (NOT part.forced OR part.policies IS DISTINCT FROM parent.policies)
ORDER BY part.relname LIMIT 5
"""
OWNED = """
SELECT classid::regclass::text AS kind, count(*) AS number FROM pg_shdepend
WHERE refclassid = 'pg_authid'::regclass AND refobjid = %(role)s::regrole AND deptype = 'o'
GROUP BY 1 ORDER BY 1
"""
LIFTING = """
SELECT attribute FROM pg_roles, LATERAL (VALUES
    ('SUPERUSER', rolsuper), ('BYPASSRLS', rolbypassrls), ('CREATEROLE', rolcreaterole),
    ('CREATEDB', rolcreatedb), ('REPLICATION', rolreplication)) AS has (attribute, given)
WHERE rolname = %(role)s AND given
"""


def check_catalogue(connect: Connect, tribe: str) -> Check:
    """`tribe` has rows, so that seeing none means something."""
    with connect() as connection:
        login = connection.info.user
        wrong = [*_login(connection, login), *_catalogue(connection)]
        tables = _rows(connection, OF_TRIBES)
        with as_app(connection):
            wrong += _seen(connection, [one["relname"] for one in tables if one["readable"]], tribe)
    result = f"{len(tables)} tables with tribes; {APP_ROLE} is held by row security in all"
    if wrong:
        result = f"{len(wrong)} of the database's own safeguards are missing"
    figures: Figures = {"tables": len(tables), "login": login, "missing": len(wrong)}
    return check(NAME, f"catalogue read, rows looked for as {APP_ROLE}", result, wrong, figures)


@contextmanager
def as_app(connection: Connection[DictRow]) -> Iterator[None]:
    """A transaction as the role of the functions; afterwards all is as it was.

    Raises ConfigurationError when the login may not become that role.
    """
    with connection.transaction(force_rollback=True):
        become_app(connection, "SET LOCAL")
        yield


def become_app(connection: Connection[DictRow], how: str = "SET") -> None:
    """Go on as the role of the functions."""
    if connection.info.user == APP_ROLE:
        return
    try:
        connection.execute(f"{how} ROLE {APP_ROLE}")
    except errors.InsufficientPrivilege as error:
        raise ConfigurationError(
            f"{connection.info.user} may not become {APP_ROLE}: give a --dsn that logs in as"
            f" {APP_ROLE}, or as a superuser"
        ) from error


def _login(connection: Connection[DictRow], login: str) -> Iterator[str]:
    """Row security holds for everyone but a role that lifts it."""
    if login != APP_ROLE and {"SUPERUSER", "BYPASSRLS"} & set(_lifting(connection, login)):
        yield (
            f"{login}, who logs in by this DSN, passes row security: let programs log in"
            f" as {APP_ROLE}"
        )


def _catalogue(connection: Connection[DictRow]) -> Iterator[str]:
    for row in _rows(connection, OF_TRIBES):
        if row["relname"] == KEYS:
            if row["readable"]:
                yield f"{APP_ROLE} can read {KEYS}"
        elif not (row["forced"] and row["policy"]):
            yield f"row security is not forced on {row['relname']}"
    for row in _rows(connection, PARTITIONS):
        yield f"{APP_ROLE} reaches {row['relname']} past the policy of its parent"
    for row in _rows(connection, OWNED):
        yield f"{APP_ROLE} owns {row['number']} rows of {row['kind']}"
    for attribute in _lifting(connection, APP_ROLE):
        yield f"{APP_ROLE} has the attribute {attribute}"


def _lifting(connection: Connection[DictRow], role: str) -> list[str]:
    return [row["attribute"] for row in _rows(connection, LIFTING, role)]


def _seen(connection: Connection[DictRow], tables: list[str], tribe: str) -> Iterator[str]:
    """What is there without a tribe, and of other tribes with one."""
    for entered, condition in (("", "true"), (tribe, "tribe <> current_tribe()")):
        connection.execute("SELECT enter_tribe(%s)", (entered,))
        for table in tables:
            probe = f"SELECT EXISTS (SELECT FROM {{}} WHERE {condition}) AS any"
            if _first(connection, sql.SQL(probe).format(sql.Identifier(table))):
                where = "in a tribe, of others" if entered else "without a tribe"
                yield f"rows of {table} are seen {where}"
    if not _first(connection, sql.SQL("SELECT EXISTS (SELECT FROM lessons) AS any")):
        yield "a tribe does not see its own lessons"


def _rows(connection: Connection[DictRow], statement: str, role: str = APP_ROLE) -> list[Any]:
    return connection.execute(statement, {"role": role}).fetchall()


def _first(connection: Connection[DictRow], statement: sql.Composed | sql.SQL) -> bool:
    return bool((connection.execute(statement).fetchone() or {})["any"])
