"""RecallStore on PostgreSQL: meaning and words fused, with a receipt, in one statement."""

from typing import Any
from uuid import UUID

from tributary.adapters.postgres import rows
from tributary.adapters.postgres.database import Database
from tributary.domain.lesson import Status
from tributary.domain.roles import Actor
from tributary.ports import Embedding, RecalledLesson, RecallQuery

KEYWORD_WEIGHT = 0.8  # of the words against the cosine; tuned on half of LoCoMo, flat around it

# What is active now. The materialised scan of narrow rows keeps the planner off the HNSW index.
# An exception hides what it excepts while it holds, and is itself not recalled before it does; of
# two that except each other the later one holds.
NOW = """
excepted AS MATERIALIZED (
    SELECT l.id FROM lessons e JOIN lessons l
    ON l.tribe = %(tribe)s AND l.lineage = ANY(e.excepts) AND l.status = 'active'
    WHERE e.tribe = %(tribe)s AND e.status = 'active' AND e.excepts <> '{{}}'
      AND tstzrange(e.valid_from, e.valid_to) @> now()
      AND NOT (e.lineage = ANY(l.excepts) AND l.activated_at > e.activated_at
               AND tstzrange(l.valid_from, l.valid_to) @> now())
    UNION ALL
    SELECT id FROM lessons
    WHERE tribe = %(tribe)s AND status = 'active' AND excepts <> '{{}}' AND valid_from > now()
), nearest AS MATERIALIZED (
    SELECT v.id, v.embedding <=> %(embedding)s::halfvec(384) AS distance
    FROM lesson_vectors v
    WHERE v.tribe = %(tribe)s AND (v.valid_to IS NULL OR v.valid_to > now())
      AND v.id NOT IN (SELECT id FROM excepted) {tagged}
), hits AS (
    SELECT words.word, l.id FROM words JOIN lessons l
    ON l.tribe = %(tribe)s AND l.status = 'active' AND l.terms @@ words.matching
    -- How rare a word is, is asked of the lessons that may come back, and of no other.
    AND (l.valid_to IS NULL OR l.valid_to > now()) AND l.tags @> %(tags)s
    AND l.id NOT IN (SELECT id FROM excepted)
)"""

TAGGED = """AND EXISTS (
        SELECT FROM lessons l WHERE l.tribe = %(tribe)s AND l.id = v.id AND l.tags @> %(tags)s
    )"""


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

# A convex combination of the cosine and of the share of the query's information that a lesson's
# words hold: S. Bruch, S. Gai and A. Ingber, "An Analysis of Fusion Functions for Hybrid Retrieval"
# (ACM TOIS 42(1), 2023). A word's information is BM25's inverse document frequency: S. Robertson
# and H. Zaragoza, "The Probabilistic Relevance Framework: BM25 and Beyond" (2009). Lessons are
# short, so how often a word stands in one, and how long it is, are left out. The divisor is never
# below half of the query's information, so that one common word in common is not a match.
# docs/decisions/0003 has the figures.
RECALL = """
WITH words AS MATERIALIZED (SELECT * FROM query_words(%(text)s) LIMIT 256), {source}, rarity AS (
    SELECT w.word, ln(1 + (known.number - count(h.id) + 0.5) / (count(h.id) + 0.5)) AS information
    FROM words w LEFT JOIN hits h USING (word), (SELECT count(*) AS number FROM nearest) known
    GROUP BY w.word, known.number
), matching AS (
    SELECT h.id, sum(r.information) AS information FROM hits h JOIN rarity r USING (word)
    GROUP BY h.id
), query AS (
    SELECT greatest((SELECT max(information) FROM matching),
                    (SELECT sum(information) / 2 FROM rarity)) AS information
), best AS (
    SELECT n.id, 1 - n.distance AS similarity, (
        1 - n.distance + {weight} * coalesce(m.information / nullif(query.information, 0), 0)
    ) / (1 + {weight}) AS score
    FROM nearest n CROSS JOIN query LEFT JOIN matching m USING (id)
    WHERE %(min_similarity)s::float8 IS NULL OR 1 - n.distance >= %(min_similarity)s
    ORDER BY score DESC, similarity DESC, id LIMIT %(k)s
), receipt AS (
    INSERT INTO recall_receipts (tribe, id, agent, at, k, lessons)
    SELECT %(tribe)s, %(receipt)s, %(agent)s, now(), %(k)s, coalesce(array_agg(id), '{{}}')
    FROM best
)
SELECT l.id, l.content, l.situation, l.tags, best.score, best.similarity, l.status, l.confidence,
       l.source_agent AS agent, l.lineage, l.supersedes, l.activated_at, l.valid_from, l.valid_to
FROM best JOIN lessons l ON l.tribe = %(tribe)s AND l.id = best.id
ORDER BY best.score DESC, best.similarity DESC, l.id
"""


class PostgresRecallStore:
    """Implements ports.RecallStore."""

    def __init__(self, database: Database) -> None:
        self._database = database

    def recall(
        self, actor: Actor, query: RecallQuery, embedding: Embedding, receipt_id: UUID
    ) -> tuple[RecalledLesson, ...]:
        with self._database.reading(actor.tribe) as connection:
            cursor = connection.execute(
                statement(query), parameters(actor, query, embedding, receipt_id)
            )
        return tuple(_recalled(row) for row in cursor.fetchall())


def statement(query: RecallQuery) -> str:
    """The SQL that answers this kind of query."""
    if query.as_of is None and query.true_at is None:
        source = NOW.format(tagged=TAGGED if query.tags else "")
    else:
        source = EARLIER
    return RECALL.format(source=source, weight=KEYWORD_WEIGHT)


def parameters(
    actor: Actor, query: RecallQuery, embedding: Embedding, receipt_id: UUID
) -> dict[str, Any]:
    """What `statement(query)` binds."""
    return {
        "tribe": actor.tribe,
        "agent": actor.agent,
        "receipt": receipt_id,
        "text": query.text,
        "embedding": rows.vector_literal(embedding.vector),
        "tags": list(query.tags),
        "k": query.k,
        "min_similarity": query.min_similarity,
        "as_of": query.as_of or "infinity",
        "true_at": query.true_at,
    }


def _recalled(row: rows.Row) -> RecalledLesson:
    return RecalledLesson(
        **{**row, "score": float(row["score"]), "status": Status(row["status"]),
           "tags": tuple(row["tags"])}
    )  # fmt: skip
