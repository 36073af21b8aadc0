"""A PostgreSQL that is killed, stopped, made a standby, and started again in place."""

import os
import shutil
import signal
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path
from subprocess import SubprocessError
from tempfile import TemporaryDirectory
from threading import Event
from typing import Any

import psutil
import psycopg
from psycopg.conninfo import conninfo_to_dict, make_conninfo
from psycopg.rows import dict_row

from scripts.local.postgres import get_server, pgexec  # which imports them without a warning
from tests.support.sql import Admin
from tributary.adapters.postgres import embedded
from tributary.adapters.postgres.database import connector
from tributary.adapters.postgres.migrate import migrate
from tributary.domain.errors import ConfigurationError, DatabaseUnavailableError
from tributary.memory import APP_ROLE

QUICK: dict[str, object] = {"recovery_init_sync_method": "syncfs"}


@dataclass(frozen=True)
class Cluster:
    """A server over one folder; its DSN stays the same whenever it runs."""

    folder: Path
    dsn: str
    handle: Any

    @property
    def app(self) -> str:
        """The DSN of the role of the functions."""
        return make_conninfo(self.dsn, user=APP_ROLE)

    @contextmanager
    def admin(self) -> Iterator[Admin]:
        """A superuser's connection."""
        with psycopg.connect(self.dsn, autocommit=True, row_factory=dict_row) as connection:
            yield connection

    def start(self) -> None:
        """Start it, and wait until it has recovered."""
        until(self._starts)

    def _starts(self) -> bool:
        # It may still be recovering, or just be giving up.
        with suppress(DatabaseUnavailableError, ConfigurationError, psycopg.OperationalError):
            assert embedded.start(self.folder) == self.dsn
            psycopg.connect(self.dsn).close()
            return True
        return False

    def stop(self, mode: str = "fast") -> None:
        self.control("-w", "-m", mode, "stop")

    @contextmanager
    def as_standby(self, hot: bool) -> Iterator[None]:
        """Started as a standby, which takes readers (`hot`) or nobody; promoted in the end."""
        sockets = conninfo_to_dict(self.dsn)["host"]
        self.stop()
        self.write("standby.signal")
        options = f"-h '' -k {sockets} -c hot_standby={'on' if hot else 'off'}"
        self.control("-w", "-o", options, "start")
        try:
            yield
        finally:
            self.control("-w", "promote")

    def control(self, *arguments: str) -> None:
        """`pg_ctl` on this server."""
        pgexec(
            "pg_ctl", ("-D", str(self.folder), *arguments),
            bin_path=self.handle.bin_path, user=self.handle.system_user,
        )  # fmt: skip

    def processes(self) -> list[psutil.Process]:
        """The postmaster, and every backend and worker of it; empty when it does not run."""
        with suppress(OSError, ValueError, psutil.Error):
            pid = int((self.folder / "postmaster.pid").read_text().split("\n", 1)[0])
            postmaster = psutil.Process(pid)
            return [postmaster, *postmaster.children(recursive=True)]
        return []

    def kill_all(self) -> int:
        """SIGKILL to all of them at once, so that none can tidy up; answers how many there were.

        What they wrote is in the kernel's page cache, which outlives them: this shows that a
        crash of PostgreSQL loses nothing, not that a crash of the machine does not.
        """
        postmaster = self.processes()[0]
        postmaster.suspend()  # else it might start or end others between the two steps
        every = self.processes()
        for process in every:
            with suppress(psutil.NoSuchProcess):
                process.send_signal(signal.SIGKILL)
        until(lambda: all(map(is_gone, every)))
        return len(every)

    def write(self, name: str, text: str = "") -> None:
        """A file of the folder, in place of the one that is there."""
        (self.folder / name).write_text(text)

    def set(self, **settings: object) -> None:
        """Settings that hold from the next start on."""
        with (self.folder / "postgresql.auto.conf").open("a") as file:
            file.writelines(f"{name} = '{value}'\n" for name, value in settings.items())


def is_gone(process: psutil.Process) -> bool:
    """Whether it has ended; nobody may have collected it yet."""
    try:
        return not process.is_running() or process.status() == psutil.STATUS_ZOMBIE
    except psutil.NoSuchProcess:
        return True


def until(condition: Callable[[], bool], patience: int = 6_000) -> None:
    """Wait until the condition holds, looking every 10 ms; AssertionError when it never does."""
    pause = Event()
    for _ in range(patience):
        if condition():
            return
        pause.wait(0.01)
    raise AssertionError("the condition never held")


@contextmanager
def new_cluster(
    settings: Mapping[str, object] | None = None,
    parent: Path | None = None,
    wal: Path | None = None,
) -> Iterator[Cluster]:
    """A migrated server in a new folder (below `parent`); afterwards both are gone.

    Its write-ahead log is in the folder `wal`, when one is given.

    Its durability is PostgreSQL's own: fsync and synchronous_commit stay on. After a crash it
    has the kernel sync the whole file system, instead of each of some thousand files.
    """
    with TemporaryDirectory(
        prefix="tributary-test-", dir=parent, ignore_cleanup_errors=True
    ) as folder:
        made = _started(Path(folder) / "data", QUICK | dict(settings or {}), wal)
        try:
            migrate(connector(conninfo=made.dsn))
            yield made
        finally:
            with suppress(SubprocessError):
                made.stop("immediate")


def _started(folder: Path, settings: Mapping[str, object], wal: Path | None) -> Cluster:
    handle = get_server(folder, start=False)
    handle.ensure_pgdata_inited()
    if wal:
        _move(folder / "pg_wal", wal / "pg_wal")
    Cluster(folder, "", handle).set(**settings)
    return Cluster(folder, embedded.start(folder), handle)


def _move(source: Path, target: Path) -> None:
    """Elsewhere, with a link in its old place."""
    owner = source.stat()
    shutil.copytree(source, target)
    for path in (target, *target.rglob("*")):
        os.chown(path, owner.st_uid, owner.st_gid)
    shutil.rmtree(source)
    source.symlink_to(target)
