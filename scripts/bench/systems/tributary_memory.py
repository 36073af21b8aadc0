"""Tributary as a library: a `Memory` for each tribe, logged in as the functions are."""

import json
from collections.abc import Sequence
from datetime import UTC, datetime
from typing import Self
from uuid import UUID

from psycopg import Connection, connect
from psycopg.conninfo import make_conninfo

from scripts.bench.machine import project_version
from scripts.bench.systems.base import Given, Lesson, Place
from tributary.adapters.postgres.database import connector
from tributary.adapters.postgres.migrate import migrate
from tributary.adapters.system import SystemIds
from tributary.domain.roles import Actor, Role
from tributary.edge.wiring import Wiring
from tributary.memory import APP_ROLE, Memory
from tributary.ports import Embedding

MODEL = "given"
LESSONS = """COPY lessons (tribe, id, lineage, status, content, revision, changed_at, source_agent,
    created_at, activated_at, last_used_at, tended_at) FROM STDIN"""
VECTORS = "COPY lesson_vectors (tribe, id, embedding, model) FROM STDIN"
REVISION = "SELECT coalesce(max(revision), 0) FROM lessons WHERE tribe = %s"


class Embedder(Given):
    """ports.Embedder over given vectors."""

    model = MODEL

    def embed(self, text: str) -> Embedding:
        return Embedding(self.vector(text), self.model, truncated=False)


class Tributary:
    """Implements System."""

    name = "Tributary"
    version = project_version()

    def __init__(self, place: Place) -> None:
        self._place = place
        self._given = Embedder()
        self._memories: dict[str, Memory] = {}
        self._wiring = Wiring(
            connector(conninfo=make_conninfo(place.dsn, user=APP_ROLE)),
            make_embedder=lambda: self._given,
        )

    def open(self) -> None:
        migrate(connector(conninfo=self._place.dsn))

    def add(self, lessons: Sequence[Lesson]) -> None:
        """`learn` is the only way in; a batch is a loop over it."""
        self._given.know(lessons)
        for lesson in lessons:
            self._memory(lesson.tenant).learn(lesson.text)

    def fill(self, lessons: Sequence[Lesson]) -> None:
        """What recall needs, as the superuser; triggers of the schema see every row."""
        with connect(self._place.dsn) as connection:
            for tenant in dict.fromkeys(one.tenant for one in lessons):
                self._memory(tenant)
                _copy(connection, tenant, [one for one in lessons if one.tenant == tenant])

    def search(self, tenant: str, text: str, vector: Sequence[float], k: int) -> list[str]:
        self._given.know([Lesson(tenant, text, vector)])
        return [found.content for found in self._memory(tenant).recall(text, k=k).lessons]

    def another(self) -> Self:
        return type(self)(self._place)

    def close(self) -> None:
        self._wiring.database.close()

    def _memory(self, tenant: str) -> Memory:
        if tenant not in self._memories:
            self._wiring.registry.found(tenant)
            self._memories[tenant] = Memory(self._wiring, Actor(tenant, "bench", Role.CURATOR))
        return self._memories[tenant]


def _copy(connection: Connection, tribe: str, lessons: Sequence[Lesson]) -> None:
    connection.execute("SELECT enter_tribe(%s)", (tribe,))
    row = connection.execute(REVISION, (tribe,)).fetchone()
    first = (row[0] if row else 0) + 1
    ids, now = [SystemIds().new() for _ in lessons], datetime.now(UTC)
    with connection.cursor() as cursor:
        with cursor.copy(LESSONS) as copy:
            for revision, (id_, one) in enumerate(zip(ids, lessons, strict=True), first):
                copy.write_row(_row(tribe, id_, one.text, revision, now))
        with cursor.copy(VECTORS) as copy:
            for id_, one in zip(ids, lessons, strict=True):
                copy.write_row((tribe, id_, json.dumps(list(one.vector)), MODEL))


def _row(
    tribe: str, id_: UUID, text: str, revision: int, now: datetime
) -> tuple[str | int | UUID | datetime, ...]:
    return (tribe, id_, id_, "active", text, revision, now, "bench", now, now, now, now)
