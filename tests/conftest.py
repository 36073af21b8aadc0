"""The database that every test of SQL shares; each test has tribes of its own."""

from collections.abc import Callable, Iterator
from itertools import count
from typing import Any

import pytest
from psycopg.conninfo import make_conninfo

from tests.support.fakes import ValueClassifier, WordEmbedder
from tests.support.server import new_server
from tributary.adapters.postgres.database import Connect, connector
from tributary.adapters.postgres.migrate import migrate
from tributary.domain.roles import Actor, Role
from tributary.edge.wiring import Wiring
from tributary.memory import APP_ROLE, Memory
from tributary.ports import Classifier, Embedder

_numbers = count(1)


@pytest.fixture(scope="session")
def admin_dsn() -> Iterator[str]:
    """A migrated PostgreSQL, as its superuser."""
    with new_server() as dsn:
        with connector(conninfo=dsn)() as connection:  # nothing here outlives the tests
            connection.execute("ALTER SYSTEM SET fsync = off")
            connection.execute("SELECT pg_reload_conf()")
        migrate(connector(conninfo=dsn))
        yield dsn


@pytest.fixture(scope="session")
def dsn(admin_dsn: str) -> str:
    """The same, as the role of the functions."""
    return make_conninfo(admin_dsn, user=APP_ROLE)


@pytest.fixture
def tribe(request: pytest.FixtureRequest) -> str:
    """A tribe that no other test uses."""
    return f"t{next(_numbers)}-{request.node.name[:40].translate(_SAFE)}"


_SAFE = {ord(char): "-" for char in "[](),:/\\ '\"<>=+|*&^$#!?;`~{}"}


class Wirings:
    """Makes wirings over the test database, and closes them."""

    def __init__(self, dsn: str) -> None:
        self._dsn = dsn
        self._made: list[Wiring] = []

    def __call__(
        self,
        embedder: Embedder | None = None,
        classifier: Classifier | None = None,
        options: str = "",
        connect: Connect | None = None,
        **parts: Any,
    ) -> Wiring:
        """`options` are of the connection (`-c name=value`), `parts` other fields of Wiring."""
        made = Wiring(
            connect or connector(conninfo=self._dsn, options=options),
            make_embedder=lambda: embedder or WordEmbedder(),
            make_classifier=lambda: classifier or ValueClassifier(),
            **parts,
        )
        self._made.append(made)
        return made

    def close(self) -> None:
        for made in self._made:
            made.database.close()


@pytest.fixture
def wirings(dsn: str) -> Iterator[Wirings]:
    """A factory of wirings with words for an embedder and last words for values."""
    made = Wirings(dsn)
    yield made
    made.close()


@pytest.fixture
def memories(wirings: Wirings, tribe: str) -> Callable[..., Memory]:
    """A factory of memories of this test's tribe."""

    def memory(
        agent: str = "ada",
        role: Role = Role.CURATOR,
        tribe: str = tribe,
        embedder: Embedder | None = None,
        classifier: Classifier | None = None,
        wiring: Wiring | None = None,
    ) -> Memory:
        wiring = wiring or wirings(embedder, classifier)
        wiring.registry.found(tribe)
        return Memory(wiring, Actor(tribe, agent, role))

    return memory
