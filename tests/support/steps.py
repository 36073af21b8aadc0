"""Steps of a use case that count, wait for each other, or fail on the way."""

from collections import Counter
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import Any

from psycopg import Connection
from psycopg.rows import DictRow

from tributary.adapters.postgres.database import Database
from tributary.adapters.postgres.learning import LEASE, NEIGHBOURHOOD
from tributary.edge.wiring import Wiring


def nothing(call: int) -> None:
    """What a step does before its calls, by default."""


@dataclass
class Counted:
    """A step that counts its calls and what it raised; `before` is told the number of the call."""

    step: Callable[..., Any]
    before: Callable[[int], None] = nothing
    calls: int = 0
    raised: Counter[str] = field(default_factory=Counter)

    def __call__(self, *values: Any, **named: Any) -> Any:
        self.calls += 1
        self.before(self.calls)
        try:
            return self.step(*values, **named)
        except Exception as error:
            self.raised[type(error).__name__] += 1
            raise


def counted_commit(wiring: Wiring, before: Callable[[int], None] = nothing) -> Counted:
    """The wiring's commit, from now on counted."""
    counted = Counted(wiring.commit, before)
    wiring.commit = counted  # type: ignore[assignment]
    return counted


class FailingDatabase(Database):
    """Has the server give up gated transactions; the database of a wiring from the start."""

    def __init__(self, wiring: Wiring) -> None:
        super().__init__(wiring.connect)
        self.failures, self.sqlstate = 0, ""
        self.begun = 0
        wiring.database = self

    def fail(self, failures: int, sqlstate: str) -> None:
        """The next `failures` gated transactions end with this error."""
        self.failures, self.sqlstate = failures, sqlstate

    @contextmanager
    def gated(self, tribe: str, gate: int, keep: bool = True) -> Iterator[Connection[DictRow]]:
        self.begun += 1
        with super().gated(tribe, gate, keep) as connection:
            yield connection
            if self.failures > 0:  # as late as can be: after every write
                self.failures -= 1
                connection.execute(
                    f"DO $$ BEGIN RAISE EXCEPTION USING ERRCODE = '{self.sqlstate}'; END $$"
                )


def go_on(step: str) -> None:
    """What a connection does before its steps, by default."""


class StepConnection(Connection[DictRow]):
    """A connection that stops before each step of its transactions, by calling `stop`.

    The steps are cut wherever what others see or lock of this one, or it of them, can change:
    before the first statement of a READ COMMITTED transaction, before the gate, and before the end
    of a gated transaction that wrote. `fine` also cuts before its first write, and before the
    second snapshot of a comparison. What is sent between two of these nobody else can tell apart.
    """

    stop: Callable[[str], None] = staticmethod(go_on)
    fine = False
    _gated = _began = False

    def execute(self, query: Any, params: Any = None, **named: Any) -> Any:
        step = self._step(str(query).strip())
        if step:
            with self.pipeline():  # nested, it has the server answer all that was sent so far
                pass
            self.stop(step)
        return super().execute(query, params, **named)

    def _step(self, query: str) -> str | None:
        if query.startswith("BEGIN"):
            self._gated = self._began = False
            return None
        if query.startswith("LOCK TABLE"):
            self._gated = True
            return "lock"
        if "enter_tribe" in query or "gate_of" in query:
            return None
        if query in ("COMMIT", "ROLLBACK"):
            return query.lower() if self._gated and self._began else None
        return self._write(query) if self._gated else self._read(query)

    def _write(self, query: str) -> str | None:
        if self._began or not (set(query.split()) & {"INSERT", "UPDATE", "DELETE"}):
            return None
        self._began = True
        return "write" if self.fine else None

    def _read(self, query: str) -> str | None:
        if self._began and not (self.fine and query == NEIGHBOURHOOD.strip()):
            return None
        self._began = True
        return {LEASE.strip(): "lease", NEIGHBOURHOOD.strip(): "compare"}.get(query, "look")
