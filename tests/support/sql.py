"""Looking at the database, and filling it, past the code under test: as its superuser."""

from collections.abc import Callable
from typing import Any
from uuid import UUID

from psycopg import Connection, sql
from psycopg.rows import DictRow

from tests.support.fakes import words_vector
from tributary.adapters.postgres.halfvec import HalfVector

# Every table that holds rows of tribes, but for the agents.
MEMORY_TABLES = (
    "lessons", "lesson_vectors", "lesson_vectors_past", "lesson_words", "word_counts",
    "tribe_sizes", "memory_audit", "decisions", "idempotency_keys", "topic_leases",
    "recall_receipts", "disputes",
)  # fmt: skip

Admin = Connection[DictRow]

PLANT = """
INSERT INTO lessons (tribe, id, lineage, status, content, tags, revision, changed_at,
                     source_agent, created_at, activated_at, last_used_at, tended_at)
SELECT %(tribe)s, id, id, 'active', content, ARRAY['tag' || number %% 20], number, now(),
       'ada', now(), now(), now(), now()
FROM unnest(%(ids)s::uuid[], %(contents)s::text[]) WITH ORDINALITY AS t (id, content, number)
"""


def plant(admin: Admin, tribe: str, contents: list[str]) -> list[UUID]:
    """Active lessons with these contents and their words' vectors, revisions from 1 upwards."""
    ids = [UUID(int=(7 << 76) | (2 << 62) | number) for number in range(1, len(contents) + 1)]
    admin.execute(PLANT, {"tribe": tribe, "ids": ids, "contents": contents})
    with admin.cursor().copy(
        "COPY lesson_vectors (tribe, id, embedding, model) FROM STDIN"
    ) as rows:
        for one, content in zip(ids, contents, strict=True):
            rows.write_row((tribe, one, str(HalfVector(words_vector(content))), "words"))
    return ids


def dump(admin: Admin, tribe: str) -> dict[str, list[dict[str, Any]]]:
    """Every row of the tribe in every table, in a stable order."""
    return {
        table: admin.execute(
            sql.SQL("SELECT * FROM {} AS t WHERE tribe = %s ORDER BY t::text").format(
                sql.Identifier(table)
            ),
            (tribe,),
        ).fetchall()
        for table in MEMORY_TABLES
    }


def value(connection: Admin, statement: str, *values: object) -> Any:
    """The first column of the first row."""
    row = connection.execute(statement, values).fetchone()
    return next(iter(row.values())) if row else None


def statuses(admin: Admin, tribe: str) -> dict[str, list[str]]:
    """The contents of the tribe's lessons by their status, sorted."""
    found = admin.execute(
        "SELECT status, array_agg(content ORDER BY content) AS contents FROM lessons"
        " WHERE tribe = %s GROUP BY status",
        (tribe,),
    )
    return {row["status"]: row["contents"] for row in found}


def eventually(admin: Admin, condition: Callable[[], bool], patience: int = 3_000) -> None:
    """Wait until the condition holds, looking every 10 ms; AssertionError when it never does."""
    for _ in range(patience):
        if condition():
            return
        admin.execute("SELECT pg_sleep(0.01)")
    raise AssertionError("the condition never held")


def waiting(admin: Admin, kind: str) -> int:
    """How many sessions wait for a lock of this kind: 'relation', 'advisory', ..."""
    return int(
        value(
            admin,
            "SELECT count(*) FROM pg_stat_activity"
            " WHERE wait_event_type = 'Lock' AND wait_event = %s",
            kind,
        )
    )
