"""A connection that does not wait for ever.

A server, or a proxy before it, may take what it is sent and never answer. TCP counts that as a
healthy line, so neither `tcp_user_timeout` nor keepalives end the wait: only the client can.
"""

from collections.abc import Generator
from time import monotonic
from typing import Any, TypeVar

import psycopg
from psycopg import Connection
from psycopg.rows import DictRow

Result = TypeVar("Result")

# psycopg's own default is 130 s, and that of TCP for a line that went dead is many minutes.
LIMITS: dict[str, Any] = {
    "connect_timeout": 5,  # seconds, for each host of the conninfo
    "tcp_user_timeout": 10_000,  # milliseconds that sent data may stay unacknowledged
    "keepalives_idle": 10,  # seconds; finds out about a host that went away while we wait
    "keepalives_interval": 5,
    "keepalives_count": 2,
}


class SilentServerError(psycopg.OperationalError):
    """The server took too long to answer; the connection is closed."""


class PatientConnection(Connection[DictRow]):
    """Waits at most `patience` seconds for each answer, or for ever when that is None.

    Raises SilentServerError.
    """

    patience: float | None = None

    def wait(self, gen: Generator[Any, Any, Result], *how: Any, **more: Any) -> Result:
        """Psycopg's one place to wait for the server; it looks up every tenth of a second."""
        if self.patience is not None:
            gen = self._in_time(gen, monotonic() + self.patience)
        return super().wait(gen, *how, **more)

    def _in_time(
        self, gen: Generator[Any, Any, Result], deadline: float
    ) -> Generator[Any, Any, Result]:
        try:
            wanted = next(gen)
            while True:
                ready = yield wanted
                if monotonic() > deadline:
                    # What the server may still say would be taken for the next answer.
                    self.pgconn.finish()
                    raise SilentServerError("no answer in time")
                wanted = gen.send(ready)
        except StopIteration as finished:
            result: Result = finished.value
            return result
