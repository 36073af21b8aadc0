"""One connection, opened when it is first needed and again when it broke."""

import os
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from threading import RLock
from typing import Any

import psycopg
from psycopg import Connection, Cursor
from psycopg.conninfo import conninfo_to_dict
from psycopg.rows import DictRow, dict_row

from tributary.adapters.postgres import halfvec
from tributary.adapters.postgres.failures import translated
from tributary.adapters.postgres.patience import LIMITS, PatientConnection
from tributary.domain.errors import ConfigurationError, DatabaseUnavailableError

halfvec.register()  # every connection copies what is registered when it opens

Connect = Callable[[], Connection[DictRow]]
# The server gives a statement up after 15 s and a transaction after 20 s (migration 0001): who
# has heard nothing for longer is not heard.
PATIENCE = 30.0


class Database:
    """Transactions of one tribe each, on a lazily opened connection; one at a time."""

    def __init__(self, connect: Connect, patience: float = PATIENCE) -> None:
        self.patience = patience  # seconds to wait for an answer
        self._connect = connect
        self._connection: Connection[DictRow] | None = None
        self._process = os.getpid()
        self._inherited: list[Connection[DictRow]] = []
        self._one_at_a_time = RLock()

    @contextmanager
    def reading(self, tribe: str) -> Iterator[Connection[DictRow]]:
        """A READ COMMITTED transaction that sees the rows of `tribe` only.

        It is pipelined: statements go out without waiting, up to the first fetch.
        Raises DatabaseUnavailableError.
        """
        with self._transaction(tribe) as connection:
            yield connection

    def alone(self, statement: str, values: dict[str, Any]) -> Cursor[DictRow]:
        """One statement that enters its tribe itself, as a transaction of its own.

        Raises DatabaseUnavailableError.
        """
        with self._one_at_a_time, self._translating():
            return self._ready().execute(statement, values)

    @contextmanager
    def gated(self, tribe: str, gate: int, keep: bool = True) -> Iterator[Connection[DictRow]]:
        """A SERIALIZABLE transaction behind the gate of the tribe's partition.

        LOCK TABLE takes no snapshot, so that of the transaction is taken after the wait.
        With `keep=False` it is rolled back in the end.
        Raises SerializationConflictError, DatabaseUnavailableError.
        """
        begin = (
            "BEGIN ISOLATION LEVEL SERIALIZABLE",
            f"LOCK TABLE gate_{gate:02} IN EXCLUSIVE MODE",
        )
        with self._transaction(tribe, begin, "COMMIT" if keep else "ROLLBACK") as connection:
            yield connection

    @contextmanager
    def outside_tribes(self) -> Iterator[Connection[DictRow]]:
        """A transaction that sees no tribe's rows: for what happens before one is known."""
        with self._transaction("") as connection:
            yield connection

    @contextmanager
    def _transaction(
        self, tribe: str, begin: tuple[str, ...] = ("BEGIN",), end: str = "COMMIT"
    ) -> Iterator[Connection[DictRow]]:
        # Not psycopg's transaction(), which waits for the answer to BEGIN and again to COMMIT:
        # a recall is one round trip instead of four. An error leaves the clean-up to
        # _leave_clean.
        with self._one_at_a_time, self._translating():
            connection = self._ready()
            with connection.pipeline():
                for statement in begin:
                    connection.execute(statement)
                connection.execute("SELECT enter_tribe(%s)", (tribe,))
                yield connection
                connection.execute(end)

    @contextmanager
    def _translating(self) -> Iterator[None]:
        try:
            yield
        except psycopg.Error as error:
            failure = translated(error)
            if failure is None:
                raise
            raise failure from error
        finally:
            self._leave_clean()

    def _ready(self) -> Connection[DictRow]:
        if self._connection is not None and self._process != os.getpid():
            # After a fork it is the parent's: closing it here would end its session too.
            self._inherited.append(self._connection)
            self._connection = None
        self._process = os.getpid()
        if self._connection is not None and not self._alive(self._connection):
            self.close()
        if self._connection is None:
            self._connection = self._connect()
        if isinstance(self._connection, PatientConnection):
            self._connection.patience = self.patience
        if self._connection.info.transaction_status != psycopg.pq.TransactionStatus.IDLE:
            raise RuntimeError("a transaction within a transaction")
        return self._connection

    @staticmethod
    def _alive(connection: Connection[DictRow]) -> bool:
        """False when the server has hung up, which costs no round trip to see."""
        if connection.closed:
            return False
        try:
            # The first reads the server's last words, the second finds nothing behind them.
            connection.pgconn.consume_input()
            connection.pgconn.consume_input()
        except psycopg.Error:
            return False
        return connection.pgconn.status == psycopg.pq.ConnStatus.OK

    def _leave_clean(self) -> None:
        """A pipeline that failed half-way leaves its transaction open: end it."""
        connection = self._connection
        if connection is None:
            return
        idle = psycopg.pq.TransactionStatus.IDLE
        if not connection.closed and connection.info.transaction_status != idle:
            try:
                connection.rollback()
            except psycopg.Error:
                connection.close()
        if connection.closed:
            self._connection = None

    def close(self) -> None:
        """Close the connection; the next use opens another."""
        if self._connection is not None:
            self._connection.close()
            self._connection = None


def connector(password: Callable[[], str | None] = lambda: None, **parameters: Any) -> Connect:
    """How to open a connection: `parameters` are libpq's, `password` is asked at every connect.

    No named prepared statements, because those pin a connection of RDS Proxy. What `parameters`
    do not say of timeouts is taken from LIMITS.
    Raises DatabaseUnavailableError; ConfigurationError when the parameters are not libpq's.
    """

    def connect() -> Connection[DictRow]:
        try:
            return PatientConnection.connect(
                **_with_limits(parameters),
                password=password(),
                autocommit=True,
                prepare_threshold=None,
                row_factory=dict_row,
            )
        except psycopg.OperationalError as error:
            raise DatabaseUnavailableError("no connection") from error
        except psycopg.ProgrammingError as error:
            raise ConfigurationError("the dsn is not a connection string of libpq") from error

    return connect


def _with_limits(parameters: dict[str, Any]) -> dict[str, Any]:
    given = conninfo_to_dict(parameters.get("conninfo", ""))
    missing = {name: limit for name, limit in LIMITS.items() if name not in given}
    if "PGCONNECT_TIMEOUT" in os.environ:
        missing.pop("connect_timeout", None)
    return missing | parameters
