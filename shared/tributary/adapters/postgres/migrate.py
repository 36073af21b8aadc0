"""Bring a database to the newest schema."""

import logging
from dataclasses import dataclass
from hashlib import sha256
from importlib.resources import files

from psycopg import Connection
from psycopg.errors import InsufficientPrivilege, UndefinedTable
from psycopg.rows import DictRow

from tributary.adapters.postgres.database import Connect
from tributary.domain.errors import ConfigurationError

MIN_PGVECTOR = (0, 8, 4)  # earlier ones may corrupt an HNSW index in VACUUM (its changelog)
_LOCK = 7_403_121_950  # any constant: who migrates holds this advisory lock
_log = logging.getLogger(__name__)


@dataclass(frozen=True, slots=True)
class Migrated:
    """The names of the migrations applied by this call, and what an operator should know."""

    applied: tuple[str, ...]
    pgvector: str
    warnings: tuple[str, ...]


def migrate(connect: Connect) -> Migrated:
    """Apply what is missing, in one transaction; a second caller waits, then finds nothing to do.

    A user who may not migrate is content when nothing is missing. Raises ConfigurationError when
    something is, or when an applied migration differs from the file of that name.
    """
    with connect() as connection:
        try:
            with connection.transaction():
                connection.execute("SELECT pg_advisory_xact_lock(%s)", (_LOCK,))
                applied = tuple(_apply_missing(connection))
        except InsufficientPrivilege:
            _require_complete(connection)
            applied = ()
        version = _pgvector_version(connection)
    return Migrated(applied, version, _warnings(version))


def _require_complete(connection: Connection[DictRow]) -> None:
    try:
        rows = connection.execute("SELECT name, checksum FROM schema_migrations").fetchall()
    except (InsufficientPrivilege, UndefinedTable):
        rows = []
    known = {row["name"]: row["checksum"] for row in rows}
    if not all(_is_applied(known, name, text) for name, text in _migrations()):
        raise ConfigurationError(
            "the schema is not up to date, and this user may not change it:"
            " run `tributary migrate --dsn ...` as one who may create roles and extensions"
        )


def _apply_missing(connection: Connection[DictRow]) -> list[str]:
    connection.execute(
        "CREATE TABLE IF NOT EXISTS schema_migrations"
        " (name text PRIMARY KEY, checksum text NOT NULL,"
        " applied_at timestamptz NOT NULL DEFAULT now())"
    )
    rows = connection.execute("SELECT name, checksum FROM schema_migrations").fetchall()
    known = {row["name"]: row["checksum"] for row in rows}
    return [
        name
        for name, text in _migrations()
        if not _is_applied(known, name, text) and _apply(connection, name, text)
    ]


def _is_applied(known: dict[str, str], name: str, text: str) -> bool:
    if name not in known:
        return False
    if known[name] != _checksum(text):
        raise ConfigurationError(f"migration {name} was applied in another version than this one")
    return True


def _apply(connection: Connection[DictRow], name: str, text: str) -> bool:
    connection.execute(text.encode())
    connection.execute(
        "INSERT INTO schema_migrations (name, checksum) VALUES (%s, %s)", (name, _checksum(text))
    )
    return True


def _migrations() -> list[tuple[str, str]]:
    folder = files("tributary") / "migrations"
    found = [one for one in folder.iterdir() if one.name.endswith(".sql")]
    return sorted((one.name.removesuffix(".sql"), one.read_text("utf-8")) for one in found)


def _checksum(text: str) -> str:
    return sha256(text.encode()).hexdigest()


def _pgvector_version(connection: Connection[DictRow]) -> str:
    row = connection.execute(
        "SELECT extversion FROM pg_extension WHERE extname = 'vector'"
    ).fetchone()
    return str(row["extversion"]) if row else ""


def _warnings(version: str) -> tuple[str, ...]:
    if tuple(int(part) for part in version.split(".")) >= MIN_PGVECTOR:
        return ()
    needed = ".".join(map(str, MIN_PGVECTOR))
    warning = f"pgvector {version} is older than {needed}, which mends HNSW vacuuming: update it"
    _log.warning(warning)
    return (warning,)
