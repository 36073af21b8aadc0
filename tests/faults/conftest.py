"""Learners of one tribe, what they were told, and the check of both at the end of every test."""

from collections.abc import Callable, Iterator
from contextlib import closing
from typing import Any

import psycopg
import pytest
from psycopg.rows import dict_row

from tests.support.cluster import Cluster, new_cluster
from tests.support.fakes import ValueClassifier, WordEmbedder
from tests.support.history import Recorder, check_history
from tests.support.load import topic_of
from tests.support.sql import Admin
from tributary.adapters.postgres.database import connector
from tributary.domain.roles import Actor, Role
from tributary.edge.wiring import Wiring
from tributary.memory import Memory

Learners = Callable[..., list[Memory]]


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """One worker runs all that shares the server that is killed and stopped, or the full disk."""
    for item in items:
        for shared in ("cluster", "disk"):
            if "faults" in item.path.parts and shared in getattr(item, "fixturenames", ()):
                item.add_marker(pytest.mark.xdist_group(f"faults-{shared}"))


@pytest.fixture(scope="session")
def cluster() -> Iterator[Cluster]:
    """A server that these tests may kill, stop and start; each leaves it running."""
    with new_cluster({"max_connections": 20, "superuser_reserved_connections": 8}) as made:
        yield made


@pytest.fixture(scope="session")
def admin(admin_dsn: str) -> Iterator[Admin]:
    """The superuser of the server that all tests share."""
    with psycopg.connect(admin_dsn, autocommit=True, row_factory=dict_row) as connection:
        yield connection


@pytest.fixture
def recorder() -> Recorder:
    """What this test's learners are told."""
    return Recorder()


@pytest.fixture
def learners(tribe: str) -> Iterator[Learners]:
    """A factory of memories of this test's tribe, each with a connection of its own."""
    made: list[Memory] = []

    def make(
        dsn: str, number: int = 1, *, patience: float | None = None, **parameters: Any
    ) -> list[Memory]:
        new = []
        for _ in range(number):
            wiring = Wiring(connector(conninfo=dsn, **parameters), WordEmbedder, ValueClassifier)
            wiring.registry.found(tribe)
            if patience is not None:
                wiring.database.patience = patience
            new.append(Memory(wiring, Actor(tribe, f"agent{len(made)}", Role.CURATOR)))
            made.append(new[-1])
        return new

    yield make
    for memory in made:
        memory.close()


def settle(admin_dsn: str, tribe: str, recorder: Recorder) -> None:
    """AssertionError unless all that was told is kept, once, and no topic has two truths."""
    with closing(psycopg.connect(admin_dsn, autocommit=True, row_factory=dict_row)) as admin:
        check_history(admin, tribe, recorder.told, topic=topic_of)
        assert lost(admin, tribe, recorder) == 0
        assert twice(admin, tribe, recorder) == 0


def lost(admin: Admin, tribe: str, recorder: Recorder) -> int:
    """How many acknowledged learns have no decision or no lesson."""
    learned = [one.learned for one in recorder.told if one.learned]
    found = admin.execute(
        "SELECT count(*) AS found FROM unnest(%s::uuid[], %s::uuid[]) AS t (decision, lesson)"
        " JOIN decisions d ON d.tribe = %s AND d.id = t.decision"
        " JOIN lessons l ON l.tribe = d.tribe AND l.id = t.lesson",
        ([one.decision_id for one in learned], [one.lesson_id for one in learned], tribe),
    ).fetchone()
    return len(learned) - int((found or {})["found"])


def twice(admin: Admin, tribe: str, recorder: Recorder) -> int:
    """How many contents that one key only stands for are stored more than once."""
    keys: dict[str, set[str | None]] = {}
    for one in recorder.told:
        keys.setdefault(one.content, set()).add(one.idempotency_key)
    once = [content for content, used in keys.items() if len(used) == 1]
    rows = admin.execute(
        "SELECT content FROM lessons WHERE tribe = %s AND content = ANY(%s)"
        " GROUP BY content HAVING count(*) > 1",
        (tribe, once),
    ).fetchall()
    return len(rows)


def typed(answer: Any, *codes: str) -> None:
    """AssertionError unless a caller over HTTPS is told what happened, and to come again."""
    assert answer.status in (503, 409), (answer.status, answer.text)
    assert answer.body["code"] in codes, answer.text
    assert int(answer.headers["retry-after"]) >= 1
