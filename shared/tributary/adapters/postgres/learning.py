"""LearnStore on PostgreSQL: the neighbourhood, the topic lease and the gate."""

from collections.abc import Callable
from random import Random
from typing import TypeVar
from uuid import UUID

from tributary.adapters.postgres import rows
from tributary.adapters.postgres.database import Database
from tributary.adapters.postgres.gated import Gated
from tributary.adapters.postgres.halfvec import HalfVector
from tributary.adapters.postgres.settled import settled
from tributary.domain.errors import SerializationConflictError
from tributary.domain.plan import Policy
from tributary.domain.scoring import Forgetting
from tributary.ports import Attempt, Clock, Embedding, GatedTransaction, Ids, Neighbourhood

Result = TypeVar("Result")

# One statement, so that the watermark and the candidates come from one snapshot. Materialised,
# so that the planner scans the tribe's narrow rows instead of the HNSW index. Lessons made after
# one template are all alike to the embedding: what tells them apart is the words that few of them
# have, so the nearest are ordered by cosine and by the information of the words in common.
NEIGHBOURHOOD = f"""
WITH words AS MATERIALIZED (
    SELECT * FROM query_words(%(content)s) LIMIT 256
), nearest AS MATERIALIZED (
    SELECT id, embedding <=> %(embedding)s::halfvec(384) AS distance
    FROM lesson_vectors WHERE tribe = %(tribe)s
), revision AS (
    SELECT coalesce(max(revision), 0) AS watermark FROM lessons WHERE tribe = %(tribe)s
), near AS MATERIALIZED (
    SELECT l.id, l.lineage, l.content, l.situation, l.source_agent, l.protected, l.valid_from,
           l.valid_to, l.excepts, l.terms, 1 - n.distance AS similarity
    FROM nearest n JOIN lessons l ON l.tribe = %(tribe)s AND l.id = n.id AND l.status = 'active'
    WHERE n.distance <= %(max_distance)s
      AND {rows.RIVALS}
    ORDER BY n.distance LIMIT 500
), hits AS MATERIALIZED (
    SELECT near.id, words.word FROM near JOIN words ON near.terms @@ words.matching
), rarity AS (
    SELECT word, ln(1 + (SELECT count(*) FROM near)::float8 / count(*)) AS information
    FROM hits GROUP BY word
), shared AS (
    SELECT hits.id, sum(information) AS information FROM hits JOIN rarity USING (word)
    GROUP BY hits.id
), candidates AS (
    SELECT near.*, EXISTS (
        SELECT FROM topic_leases t WHERE t.tribe = %(tribe)s AND t.lineage = near.lineage
        AND t.until > clock_timestamp() AND t.holder <> %(holder)s
    ) AS leased, similarity + coalesce(
        shared.information / (SELECT max(information) FROM shared), 0
    ) AS rank
    FROM near LEFT JOIN shared USING (id) ORDER BY rank DESC, id LIMIT %(limit)s
)
SELECT revision.watermark, candidates.*
FROM revision LEFT JOIN candidates ON true ORDER BY rank DESC NULLS LAST, id
"""
LEASE = """
INSERT INTO topic_leases AS held (tribe, lineage, holder, until)
VALUES (%(tribe)s, %(lineage)s, %(holder)s, clock_timestamp() + make_interval(secs => %(seconds)s))
ON CONFLICT (tribe, lineage) DO UPDATE SET holder = excluded.holder, until = excluded.until
WHERE held.until < clock_timestamp() OR held.holder = excluded.holder
RETURNING holder
"""


class PostgresLearnStore:
    """Implements ports.LearnStore."""

    def __init__(
        self,
        database: Database,
        clock: Clock,
        ids: Ids,
        random: Random,
        policy: Policy,
        rules: Forgetting,
    ) -> None:
        self._database = database
        self._ids = ids
        self._clock = clock
        self._random = random
        self._policy = policy
        self._rules = rules
        self._gates: dict[str, int] = {}

    def neighbourhood(self, attempt: Attempt, embedding: Embedding) -> Neighbourhood:
        tribe, validity = attempt.actor.tribe, attempt.draft.validity
        with self._database.reading(tribe) as connection:
            earlier = settled(connection, attempt)
            cursor = connection.execute(
                NEIGHBOURHOOD,
                {
                    "tribe": tribe,
                    "holder": attempt.decision_id,
                    "content": attempt.draft.content,
                    "embedding": HalfVector(embedding.vector),
                    "max_distance": 1 - self._policy.candidate_similarity,
                    "valid_from": validity.start,
                    "valid_to": validity.end,
                    "limit": self._policy.candidate_limit,
                },
            )
        found = cursor.fetchall()
        return Neighbourhood(
            watermark=found[0]["watermark"],
            candidates=tuple(rows.candidate(row) for row in found if row["id"]),
            settled=earlier(),
            leased=any(row["leased"] for row in found),
        )

    def take_lease(self, tribe: str, lineage: UUID, holder: UUID, seconds: float) -> bool:
        with self._database.reading(tribe) as connection:
            cursor = connection.execute(
                LEASE,
                {"tribe": tribe, "lineage": lineage, "holder": holder, "seconds": seconds},
            )
        return cursor.fetchone() is not None

    def in_gate(
        self, tribe: str, work: Callable[[GatedTransaction], Result], *, keep: bool = True
    ) -> Result:
        gate = self._gate(tribe)
        attempts = 4
        for attempt in range(attempts):
            try:
                with self._database.gated(tribe, gate, keep) as connection:
                    return work(
                        Gated(connection, tribe, attempt, self._policy, self._rules, self._ids)
                    )
            except SerializationConflictError as conflict:
                if attempt + 1 == attempts:
                    raise SerializationConflictError(conflict.sqlstate, attempts) from conflict
            self._clock.sleep(self._random.uniform(0, 0.01 * 2**attempt))
        raise AssertionError("unreachable")

    def _gate(self, tribe: str) -> int:
        if tribe not in self._gates:
            with self._database.outside_tribes() as connection:
                cursor = connection.execute("SELECT gate_of(%s) AS gate", (tribe,))
            self._gates[tribe] = int((cursor.fetchone() or {})["gate"])
        return self._gates[tribe]
