"""RecallStore on PostgreSQL: meaning and words fused, with a receipt, in one round trip."""

from uuid import UUID

from tributary.adapters.postgres import rows
from tributary.adapters.postgres.database import Database
from tributary.adapters.postgres.halfvec import HalfVector
from tributary.domain.lesson import Status
from tributary.domain.roles import Actor
from tributary.ports import Embedding, Found, RecalledLesson, RecallQuery

EXACT_UP_TO = 5_000  # active lessons in a tribe, or under a tag; decision 9 has the figures

NOW = """
SELECT * FROM recall_now(
    %(tribe)s, %(agent)s, %(receipt)s, %(text)s, %(embedding)s::halfvec(384), %(tags)s::text[],
    %(k)s, %(min_similarity)s, %(exact_up_to)s
)
"""


def _begins(row: str) -> str:
    """From when a lesson is true: what it says, or else when it was learnt, if it stands in for
    another and does not tell of the past alone.
    """
    return f"""coalesce({row}.valid_from, CASE
        WHEN ({row}.supersedes IS NOT NULL OR {row}.excepts <> '{{}}')
            AND coalesce({row}.valid_to, 'infinity') > {row}.activated_at
        THEN {row}.activated_at END, '-infinity')"""


# What was believed at `as_of`, and on request only what was then held true of `true_at`: a
# lesson that was replaced is true until its successor is. Of one lineage the last to begin holds.
EARLIER = f"""
instant AS (
    SELECT coalesce(%(true_at)s, nullif(%(as_of)s::timestamptz, 'infinity'), now()) AS at
), held AS MATERIALIZED (
    SELECT l.id, l.lineage, l.tags, l.terms, l.excepts, l.activated_at, {_begins("l")} AS begins
    FROM lessons l
    LEFT JOIN lessons s ON s.tribe = %(tribe)s AND s.id = l.superseded_by
        AND s.activated_at <= %(as_of)s
    WHERE l.tribe = %(tribe)s AND l.activated_at <= %(as_of)s
      AND CASE WHEN %(true_at)s::timestamptz IS NULL
          THEN (l.deactivated_at IS NULL OR l.deactivated_at > %(as_of)s)
              AND (l.valid_to IS NULL OR l.valid_to > %(as_of)s)
          ELSE (l.deactivated_at IS NULL OR l.deactivated_at > %(as_of)s OR s.id IS NOT NULL)
              AND {_begins("l")} <= %(true_at)s
              AND coalesce(l.valid_to, 'infinity') > %(true_at)s
              AND (s.id IS NULL OR {_begins("s")} > %(true_at)s)
          END
), exceptions AS MATERIALIZED (
    SELECT id, lineage, unnest(excepts) AS excepted, activated_at, begins <= at AS begun
    FROM held CROSS JOIN instant
), hidden AS MATERIALIZED (
    SELECT l.id FROM held l JOIN exceptions e ON e.excepted = l.lineage AND e.begun
    WHERE NOT EXISTS (
        SELECT FROM exceptions o WHERE o.id = l.id AND o.begun AND o.excepted = e.lineage
            AND o.activated_at > e.activated_at
    )
    UNION ALL SELECT id FROM exceptions WHERE NOT begun
), believed AS MATERIALIZED (
    SELECT id, terms FROM (
        SELECT DISTINCT ON (lineage) id, terms, tags FROM held
        WHERE id NOT IN (SELECT id FROM hidden)
        ORDER BY lineage, begins DESC, activated_at DESC
    ) AS last WHERE tags @> %(tags)s
), vectors AS (
    SELECT id, embedding FROM lesson_vectors WHERE tribe = %(tribe)s
    UNION ALL
    SELECT id, embedding FROM lesson_vectors_past WHERE tribe = %(tribe)s
), nearest AS MATERIALIZED (
    SELECT b.id, min(v.embedding <=> %(embedding)s::halfvec(384)) AS distance
    FROM believed b JOIN vectors v ON v.id = b.id GROUP BY b.id
), hits AS (
    SELECT words.word, b.id FROM words JOIN believed b ON b.terms @@ words.matching
)"""

# The same fusion as recall_now's (migration 0011), over what was believed.
RECALL_EARLIER = f"""
WITH words AS MATERIALIZED (SELECT * FROM query_words(%(text)s) LIMIT 256), {EARLIER}, rarity AS (
    SELECT w.word, word_information(count(h.id), known.number) AS information
    FROM words w LEFT JOIN hits h USING (word), (SELECT count(*) AS number FROM nearest) known
    GROUP BY w.word, known.number
), matching AS (
    SELECT h.id, sum(r.information) AS information FROM hits h JOIN rarity r USING (word)
    GROUP BY h.id
), query AS (
    SELECT sum(information) AS information FROM rarity
), best AS (
    SELECT n.id, 1 - n.distance AS similarity,
           fused_score(1 - n.distance, m.information, query.information) AS score
    FROM nearest n CROSS JOIN query LEFT JOIN matching m USING (id)
    WHERE %(min_similarity)s::float8 IS NULL OR 1 - n.distance >= %(min_similarity)s
    ORDER BY score DESC, similarity DESC, id LIMIT %(k)s
), receipt AS (
    INSERT INTO recall_receipts (tribe, id, agent, at, k, lessons)
    SELECT %(tribe)s, %(receipt)s, %(agent)s, now(), %(k)s, coalesce(array_agg(id), '{{}}')
    FROM best
)
SELECT true AS exact, l.id, l.content, l.situation, l.tags, best.score, best.similarity, l.status,
       l.confidence, l.source_agent AS agent, l.lineage, l.supersedes, l.activated_at,
       l.valid_from, l.valid_to
FROM best JOIN lessons l ON l.tribe = %(tribe)s AND l.id = best.id
ORDER BY best.score DESC, best.similarity DESC, l.id
"""


class PostgresRecallStore:
    """Implements ports.RecallStore.

    Tribes of more than `exact_up_to` active lessons are searched by HNSW and by rare words.
    """

    def __init__(self, database: Database, exact_up_to: int = EXACT_UP_TO) -> None:
        self._database = database
        self._exact_up_to = exact_up_to

    def recall(
        self, actor: Actor, query: RecallQuery, embedding: Embedding, receipt_id: UUID
    ) -> Found:
        values = {
            "tribe": actor.tribe,
            "agent": actor.agent,
            "receipt": receipt_id,
            "text": query.text,
            "embedding": HalfVector(embedding.vector),
            "tags": list(query.tags),
            "k": query.k,
            "min_similarity": query.min_similarity,
            "exact_up_to": self._exact_up_to,
            "as_of": query.as_of or "infinity",
            "true_at": query.true_at,
        }
        if query.as_of is None and query.true_at is None:
            found = self._database.alone(NOW, values).fetchall()
        else:
            with self._database.reading(actor.tribe) as connection:
                cursor = connection.execute(RECALL_EARLIER, values)
            found = cursor.fetchall()
        exact = found[0]["exact"] if found else True
        lessons = tuple(_recalled(row) for row in found if row["id"])
        # The nearest are looked at first, so fewer than k above a least similarity are all of them.
        complete = exact or query.min_similarity is not None or len(lessons) >= query.k
        return Found(lessons, exact, complete)


def _recalled(row: rows.Row) -> RecalledLesson:
    values = {key: row[key] for key in RecalledLesson.__slots__}
    return RecalledLesson(**{**values, "status": Status(row["status"]), "tags": tuple(row["tags"])})
