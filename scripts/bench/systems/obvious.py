"""The obvious design: one table, and an HNSW search inside a SERIALIZABLE transaction.

It is what one writes first, and it is wrong: HNSW has no predicate locks, and PostgreSQL checks for
conflicts before it calls the index's insert. A learner that searches meanwhile sees nothing and
conflicts with nothing. Kept as an exhibit; nothing else uses it.
"""

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from random import Random
from typing import Any, Self
from uuid import UUID, uuid4

import psycopg
from psycopg import Connection, IsolationLevel, sql
from psycopg.errors import SerializationFailure
from psycopg.rows import dict_row

from scripts.bench.systems.base import DIMENSIONS, Lesson, Place
from tributary.adapters.classify.heuristic import HeuristicClassifier
from tributary.domain.verdict import Candidate, Relation

# With a btree on the tenant the planner may sort one tenant's rows instead, for as long as those
# are few; the index that serves it at size is the HNSW one.
SCHEMA = f"""
CREATE EXTENSION IF NOT EXISTS vector;
CREATE TABLE IF NOT EXISTS obvious (
    id uuid PRIMARY KEY,
    tenant text NOT NULL,
    content text NOT NULL,
    status text NOT NULL DEFAULT 'active',
    embedding vector({DIMENSIONS}) NOT NULL
);
CREATE INDEX IF NOT EXISTS obvious_hnsw ON obvious USING hnsw (embedding vector_cosine_ops);
"""

NEAREST = """
SELECT id, content, 1 - (embedding <=> %(vector)s::vector) AS similarity FROM obvious
WHERE tenant = %(tenant)s AND status = 'active'
ORDER BY embedding <=> %(vector)s::vector LIMIT %(k)s
"""

ALIKE = 0.5  # cosine; as in Tributary's policy
CANDIDATES = 20


class Obvious:
    """Implements System."""

    name = "obvious design"
    version = ""

    def __init__(self, place: Place) -> None:
        self._place = place
        self._classifier = HeuristicClassifier()
        self._random = Random()  # noqa: S311  jitter
        self.retries = 0

    def open(self) -> None:
        with psycopg.connect(self._place.dsn, autocommit=True) as admin:
            admin.execute(SCHEMA)
            admin.execute(
                sql.SQL("ALTER DATABASE {} SET hnsw.iterative_scan = 'strict_order'").format(
                    sql.Identifier(admin.info.dbname)
                )
            )
        self.connect()

    def connect(self) -> None:
        """Connect to what is there."""
        self.connection: Connection[dict[str, Any]] = psycopg.connect(
            self._place.dsn, row_factory=dict_row
        )
        self.connection.isolation_level = IsolationLevel.SERIALIZABLE

    def add(self, lessons: Sequence[Lesson]) -> None:
        for lesson in lessons:
            self.learn(lesson)

    def learn(self, lesson: Lesson) -> None:
        """Compare, store and supersede in one transaction; again when it cannot be serialised."""
        while True:
            try:
                with self.connection.transaction():
                    self._learn(lesson)
            except SerializationFailure:
                self.retries += 1
            else:
                return

    def _learn(self, lesson: Lesson) -> None:
        near = self._nearest(lesson.tenant, lesson.vector, CANDIDATES)
        rivals = [_candidate(row) for row in near if row["similarity"] >= ALIKE]
        verdict = self._classifier.classify(lesson.text, rivals)
        if verdict.relation is Relation.DUPLICATE:
            return
        if verdict.relation is Relation.CONTRADICTS:
            self.connection.execute(
                "UPDATE obvious SET status = 'superseded' WHERE id = ANY(%s)",
                ([verdict.target_id, *verdict.others],),
            )
        self.connection.execute(
            "INSERT INTO obvious (id, tenant, content, embedding) VALUES (%s, %s, %s, %s::vector)",
            (uuid4(), lesson.tenant, lesson.text, _literal(lesson.vector)),
        )

    def fill(self, lessons: Sequence[Lesson]) -> None:
        with (
            self.connection.transaction(),
            self.connection.cursor().copy(
                "COPY obvious (id, tenant, content, embedding) FROM STDIN"
            ) as copy,
        ):
            for one in lessons:
                copy.write_row((uuid4(), one.tenant, one.text, _literal(one.vector)))

    def search(
        self,
        tenant: str,
        text: str,  # noqa: ARG002  it knows vectors only
        vector: Sequence[float],
        k: int,
    ) -> list[str]:
        with self._reading():
            return [row["content"] for row in self._nearest(tenant, vector, k)]

    @contextmanager
    def _reading(self) -> Iterator[None]:
        """A search alone needs no transaction of several statements."""
        self.connection.autocommit = True
        try:
            yield
        finally:
            self.connection.autocommit = False

    def _nearest(self, tenant: str, vector: Sequence[float], k: int) -> list[dict[str, Any]]:
        asked = {"tenant": tenant, "vector": _literal(vector), "k": k}
        return self.connection.execute(NEAREST, asked).fetchall()

    def another(self) -> Self:
        other = type(self)(self._place)
        other.connect()
        return other

    def close(self) -> None:
        self.connection.close()


def _candidate(row: dict[str, Any]) -> Candidate:
    unused = UUID(int=0)
    return Candidate(row["id"], unused, row["content"], "", row["similarity"])


def _literal(vector: Sequence[float]) -> str:
    return f"[{','.join(map(repr, vector))}]"
