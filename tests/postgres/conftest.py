"""Ways to the database that go past the code under test."""

from collections.abc import Callable, Iterator
from datetime import timedelta
from itertools import count

import psycopg
import pytest
from psycopg import sql
from psycopg.conninfo import make_conninfo
from psycopg.rows import dict_row

from tests.support.garden import gardener
from tests.support.sql import Admin
from tributary.edge.wiring import Wiring
from tributary.memory import Memory
from tributary.usecases.garden import Gardened

BUDGET = timedelta(minutes=5)
_numbers = count(1)


@pytest.fixture(scope="session")
def admin(admin_dsn: str) -> Iterator[Admin]:
    """The superuser, whom row security does not hold back."""
    with psycopg.connect(admin_dsn, autocommit=True, row_factory=dict_row) as connection:
        yield connection


@pytest.fixture
def app(dsn: str) -> Iterator[Admin]:
    """A plain connection of the role of the functions."""
    with psycopg.connect(dsn, autocommit=True, row_factory=dict_row) as connection:
        yield connection


@pytest.fixture
def memory(memories: Callable[..., Memory]) -> Memory:
    """A curator's memory of this test's tribe."""
    return memories()


@pytest.fixture
def wiring(wirings: Callable[..., Wiring]) -> Wiring:
    """The use cases."""
    return wirings()


@pytest.fixture
def garden(wiring: Wiring, tribe: str) -> Callable[..., Gardened]:
    """The gardener of this test's tribe alone, as of an instant."""
    return lambda now, **parts: gardener(wiring, tribe)(now, BUDGET, **parts)


@pytest.fixture(scope="module")
def new_database(admin: Admin, admin_dsn: str) -> Iterator[Callable[..., str]]:
    """A factory of empty databases on the same server; their superuser's DSN."""
    made = []

    def make(owner: str = "postgres") -> str:
        name = f"scrap_{next(_numbers)}"
        made.append(name)
        admin.execute(
            sql.SQL("CREATE DATABASE {} OWNER {}").format(*map(sql.Identifier, (name, owner)))
        )
        return make_conninfo(admin_dsn, dbname=name)

    yield make
    for name in made:
        admin.execute(sql.SQL("DROP DATABASE {} WITH (FORCE)").format(sql.Identifier(name)))
