"""PgBouncer in transaction mode before a test server, as RDS Proxy stands before RDS."""

import os
import pwd
import signal
import subprocess
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import psycopg
from psycopg.conninfo import conninfo_to_dict, make_conninfo
from psycopg.rows import dict_row

from scripts.build import pgbouncer
from scripts.local.processes import LOOPBACK, free_port
from tests.support.cluster import until

ROOT = Path(__file__).parents[2]
MISSING = "PgBouncer is missing: `python -m scripts.build pgbouncer` fetches it"
# auth_type `any` logs everyone in as the user of the database line, who is one role only.
SETTINGS = """
[databases]
{database} = host={host} port={port} dbname={database} user={user}
[pgbouncer]
listen_addr = {loopback}
listen_port = {listens}
unix_socket_dir =
auth_type = any
pool_mode = transaction
default_pool_size = {size}
max_client_conn = 200
server_reset_query =
logfile = {log}
"""


@dataclass(frozen=True)
class Bouncer:
    """A running PgBouncer, and the DSN of its one database through it."""

    dsn: str
    port: int
    process: "subprocess.Popen[bytes]"

    def show(self, what: str) -> list[dict[str, Any]]:
        """An answer of its console: POOLS, SERVERS, CLIENTS, STATS."""
        console = make_conninfo(self.dsn, dbname="pgbouncer")
        # The console knows the simple protocol only.
        with psycopg.connect(
            console, autocommit=True, row_factory=dict_row, cursor_factory=psycopg.ClientCursor
        ) as connection:
            return connection.execute(f"SHOW {what}".encode()).fetchall()

    def answers(self) -> bool:
        """Whether it is there; AssertionError when it has ended."""
        assert self.process.poll() is None, "PgBouncer has ended"
        with suppress(psycopg.OperationalError):
            return bool(self.show("VERSION"))
        return False

    def stop(self) -> None:
        """At once, whoever is connected."""
        self.process.send_signal(signal.SIGTERM)
        self.process.wait(30)


@contextmanager
def bouncer(app_dsn: str, size: int, port: int | None = None) -> Iterator[Bouncer]:
    """Before the database of `app_dsn`, with at most `size` connections to it."""
    found = pgbouncer.program(ROOT)
    assert found, MISSING
    program, environment = found
    with TemporaryDirectory(prefix="tributary-test-") as folder:
        port, log = free_port(port), Path(folder) / "log"
        settings = Path(folder) / "pgbouncer.ini"
        given = {"port": 5432, **conninfo_to_dict(app_dsn)}
        settings.write_text(
            SETTINGS.format(
                database=given["dbname"], host=given["host"], port=given["port"],
                user=given["user"], loopback=LOOPBACK, listens=port, size=size, log=log,
            )
        )  # fmt: skip
        process = subprocess.Popen(
            [program, "--quiet", *_as_somebody(Path(folder)), str(settings)], env=environment
        )
        dsn = make_conninfo(
            host=LOOPBACK, port=port, user=given["user"], dbname=given["dbname"],
            sslmode="disable", gssencmode="disable",
        )  # fmt: skip
        made = Bouncer(dsn, port, process)
        try:
            until(made.answers)
            yield made
        finally:
            made.stop()


def _as_somebody(folder: Path) -> list[str]:
    """It refuses to run as root: then it becomes the user that the server runs as, too."""
    if os.geteuid() != 0:
        return []
    user = pwd.getpwnam("pgserver")
    os.chown(folder, user.pw_uid, user.pw_gid)
    return ["--user", user.pw_name]
