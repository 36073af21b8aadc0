-- Recall as stored functions: a client sends one statement, and each connection plans once.

DO $$
BEGIN
    -- Loads the extension: before that only a superuser may set what it defines.
    PERFORM '[1]'::vector;
END $$;

-- How much a word tells that `number` of `total` lessons have: BM25's inverse document frequency.
-- S. Robertson and H. Zaragoza, "The Probabilistic Relevance Framework: BM25 and Beyond" (2009).
-- Lessons are short, so how often a word stands in one, and how long it is, are left out.
CREATE FUNCTION word_information(number float8, total float8) RETURNS float8
LANGUAGE sql IMMUTABLE PARALLEL SAFE AS $$
    SELECT ln(1 + (total - number + 0.5) / (number + 0.5));
$$;

-- A convex combination of the cosine and of the share of the query's information that a lesson's
-- words hold: S. Bruch, S. Gai and A. Ingber, "An Analysis of Fusion Functions for Hybrid Retrieval"
-- (ACM TOIS 42(1), 2023). 0.8 is tuned on half of LoCoMo and flat around it (decision 0003).
CREATE FUNCTION fused_score(similarity float8, information float8, most float8) RETURNS float8
LANGUAGE sql IMMUTABLE PARALLEL SAFE AS $$
    SELECT (similarity + 0.8::float8 * coalesce(information / nullif(most, 0), 0)) / 1.8::float8;
$$;

CREATE TYPE recall_match AS (id uuid, similarity float8, score float8);

-- Active lessons that do not hold now: what an exception excepts while it holds, and an exception
-- before it does. Of two that except each other the later one holds.
CREATE FUNCTION hidden_lessons(of_tribe text) RETURNS uuid[]
LANGUAGE plpgsql STABLE SET plan_cache_mode = force_generic_plan AS $$
BEGIN
    RETURN ARRAY(
        SELECT l.id FROM lessons e JOIN lessons l
        ON l.tribe = of_tribe AND l.lineage = ANY(e.excepts) AND l.status = 'active'
        WHERE e.tribe = of_tribe AND e.status = 'active' AND e.excepts <> '{}'
          AND tstzrange(e.valid_from, e.valid_to) @> now()
          AND NOT (e.lineage = ANY(l.excepts) AND l.activated_at > e.activated_at
                   AND tstzrange(l.valid_from, l.valid_to) @> now())
        UNION ALL
        SELECT id FROM lessons
        WHERE tribe = of_tribe AND status = 'active' AND excepts <> '{}' AND valid_from > now()
    );
END $$;

-- The active lessons that have all the tags (as lesson_words has them), when one of the tags is on
-- `at_most` lessons or fewer; otherwise null.
CREATE FUNCTION tagged_lessons(of_tribe text, tags text[], at_most integer) RETURNS uuid[]
LANGUAGE plpgsql STABLE SET plan_cache_mode = force_generic_plan AS $$
DECLARE
    rarest text;
    number bigint;
BEGIN
    SELECT tag, (
        SELECT count(*) FROM (
            SELECT FROM lesson_words w WHERE w.tribe = of_tribe AND w.word = tag LIMIT at_most + 1
        ) AS up_to
    ) INTO rarest, number FROM unnest(tags) AS tag ORDER BY 2 LIMIT 1;
    IF number > at_most THEN
        RETURN NULL;
    END IF;
    RETURN ARRAY(
        SELECT r.id FROM lesson_words r
        WHERE r.tribe = of_tribe AND r.word = rarest AND cardinality(tags) = (
            SELECT count(*) FROM lesson_words w
            WHERE w.tribe = of_tribe AND w.word = ANY(tags) AND w.id = r.id
        )
    );
END $$;

-- Every lesson of the scope (null: of the tribe) is compared. How rare a word is, is asked of the
-- lessons that may come back, and of no other. The divisor of a lesson's information is never below
-- half of the query's, so that one common word in common is not a match.
CREATE FUNCTION recall_exactly(
    of_tribe text, asked text, wanted halfvec(384), scope uuid[], hidden uuid[], at_most integer,
    at_least float8, known bigint
) RETURNS SETOF recall_match
LANGUAGE plpgsql STABLE SET plan_cache_mode = force_generic_plan AS $$
BEGIN
    RETURN QUERY
    WITH nearest AS MATERIALIZED (
        SELECT v.id, 1 - (v.embedding <=> wanted) AS similarity
        FROM lesson_vectors v
        WHERE scope IS NULL AND v.tribe = of_tribe AND (v.valid_to IS NULL OR v.valid_to > now())
          AND (hidden = '{}' OR v.id NOT IN (SELECT unnest(hidden)))
        UNION ALL
        SELECT v.id, 1 - (v.embedding <=> wanted)
        FROM unnest(scope) AS one (id) CROSS JOIN LATERAL (
            SELECT * FROM lesson_vectors v WHERE v.tribe = of_tribe AND v.id = one.id OFFSET 0
        ) AS v
        WHERE (v.valid_to IS NULL OR v.valid_to > now())
          AND (hidden = '{}' OR v.id NOT IN (SELECT unnest(hidden)))
    ), total AS (
        SELECT count(*)::float8 AS number FROM nearest
    ), words AS MATERIALIZED (
        SELECT found.ids, word_information(found.number, total.number) AS information
        FROM total, query_words(asked) AS q, LATERAL (
            SELECT array_agg(w.id) AS ids, count(*)::float8 AS number FROM lesson_words w
            WHERE w.tribe = of_tribe AND w.word = q.word
              AND (total.number = known OR w.id IN (SELECT id FROM nearest))
            OFFSET 0
        ) AS found LIMIT 256
    ), matching AS MATERIALIZED (
        SELECT id, sum(information) AS information FROM words, unnest(ids) AS id GROUP BY id
    ), query AS (
        SELECT greatest((SELECT max(information) FROM matching),
                        (SELECT sum(information) / 2 FROM words)) AS information
    )
    SELECT n.id, n.similarity, fused_score(n.similarity, m.information, query.information) AS score
    FROM query CROSS JOIN nearest n LEFT JOIN matching m USING (id)
    WHERE at_least IS NULL OR n.similarity >= at_least
    ORDER BY score DESC, similarity DESC, id LIMIT at_most;
END $$;

-- The active lessons whose meaning is nearest, as HNSW finds them.
CREATE FUNCTION near_lessons(
    of_tribe text, wanted halfvec(384), tags text[], hidden uuid[], number integer
) RETURNS uuid[]
LANGUAGE plpgsql STABLE
SET plan_cache_mode = force_generic_plan
SET enable_seqscan = off -- so that HNSW is used whatever the planner makes of a generic LIMIT
SET enable_sort = off
SET hnsw.ef_search = 120
SET hnsw.iterative_scan = relaxed_order
AS $$
BEGIN
    RETURN ARRAY(
        SELECT v.id FROM lesson_vectors v
        WHERE v.tribe = of_tribe AND (v.valid_to IS NULL OR v.valid_to > now())
          AND v.id <> ALL(hidden)
          AND (tags = '{}' OR cardinality(tags) = (
              SELECT count(*) FROM lesson_words w
              WHERE w.tribe = of_tribe AND w.word = ANY(tags) AND w.id = v.id
          ))
        ORDER BY v.embedding <=> wanted LIMIT number
    );
END $$;

CREATE TYPE query_word AS (word text, number bigint, information float8, rare boolean);

-- The words of a query, and on how many of the tribe's `known` lessons each is: counted up to
-- 1,000, above that estimated from the latest 1,000 lessons. Rare are the rarest, together on no
-- more than `budget` lessons.
CREATE FUNCTION weighed_words(of_tribe text, asked text, known bigint, budget integer)
RETURNS query_word[]
LANGUAGE plpgsql STABLE SET plan_cache_mode = force_generic_plan AS $$
DECLARE
    latest uuid;
BEGIN
    latest := (
        SELECT v.id FROM lesson_vectors v WHERE v.tribe = of_tribe
        ORDER BY v.id DESC OFFSET 1000 LIMIT 1
    );
    RETURN ARRAY(
        WITH counted AS MATERIALIZED (
            SELECT q.word, (
                SELECT count(*) FROM (
                    SELECT FROM lesson_words w WHERE w.tribe = of_tribe AND w.word = q.word
                    LIMIT 1001
                ) AS up_to
            ) AS number FROM query_words(asked) AS q LIMIT 256
        ), estimated AS MATERIALIZED (
            SELECT word, CASE WHEN number <= 1000 THEN number ELSE greatest(number, known * (
                SELECT count(*) FROM lesson_words w
                WHERE w.tribe = of_tribe AND w.word = counted.word AND w.id > latest
            ) / 1000) END AS number
            FROM counted
        )
        SELECT (word, number, word_information(number, known),
                sum(number) OVER (ORDER BY number, word) <= budget)::query_word
        FROM estimated
    );
END $$;

-- Candidates are the lessons nearest in meaning, and those whose rare words hold the most
-- information, down to two fifths of the best one's; only they are scored.
CREATE FUNCTION recall_nearly(
    of_tribe text, asked text, wanted halfvec(384), tags text[], hidden uuid[], at_most integer,
    at_least float8, known bigint
) RETURNS SETOF recall_match
LANGUAGE plpgsql STABLE SET plan_cache_mode = force_generic_plan AS $$
DECLARE
    words query_word[] := weighed_words(of_tribe, asked, known, 20000);
    candidates uuid[];
BEGIN
    candidates := near_lessons(of_tribe, wanted, tags, hidden, greatest(100, 2 * at_most))
    || ARRAY(
        SELECT id FROM (
            SELECT id, information, max(information) OVER () AS most FROM (
                SELECT w.id, sum(q.information) AS information
                FROM unnest(words) AS q CROSS JOIN LATERAL (
                    SELECT w.id FROM lesson_words w
                    WHERE w.tribe = of_tribe AND w.word = q.word OFFSET 0
                ) AS w
                WHERE q.rare AND (tags = '{}' OR cardinality(tags) = (
                    SELECT count(*) FROM lesson_words t
                    WHERE t.tribe = of_tribe AND t.word = ANY(tags) AND t.id = w.id
                ))
                GROUP BY w.id ORDER BY information DESC, w.id DESC LIMIT 2 * at_most + 480
            ) AS rare
        ) AS compared WHERE information >= 0.4 * most
    );
    RETURN QUERY
    WITH matching AS MATERIALIZED (
        SELECT w.id, sum(q.information) AS information
        FROM unnest(words) AS q CROSS JOIN LATERAL (
            SELECT w.id FROM lesson_words w
            WHERE w.tribe = of_tribe AND w.word = q.word AND w.id = ANY(candidates) OFFSET 0
        ) AS w GROUP BY w.id
    ), scored AS MATERIALIZED (
        SELECT v.id, 1 - (v.embedding <=> wanted) AS similarity, m.information
        FROM (
            SELECT * FROM lesson_vectors v
            WHERE v.tribe = of_tribe AND v.id = ANY(candidates) OFFSET 0
        ) AS v LEFT JOIN matching m USING (id)
        WHERE (v.valid_to IS NULL OR v.valid_to > now()) AND v.id <> ALL(hidden)
    ), query AS (
        SELECT greatest((SELECT max(information) FROM scored),
                        (SELECT sum(information) / 2 FROM unnest(words))) AS information
    )
    SELECT s.id, s.similarity, fused_score(s.similarity, s.information, query.information) AS score
    FROM query CROSS JOIN scored s
    WHERE at_least IS NULL OR s.similarity >= at_least
    ORDER BY score DESC, similarity DESC, id LIMIT at_most;
END $$;

-- What a tribe recalls now: the first row says whether every lesson was compared, and is the only
-- one, with nulls, when nothing is found.
CREATE FUNCTION recall_now(
    of_tribe text, by_agent text, receipt uuid, asked text, wanted halfvec(384),
    wanted_tags text[], at_most integer, at_least float8, exact_up_to integer
) RETURNS TABLE (
    exact boolean, id uuid, content text, situation text, tags text[], score float8,
    similarity float8, status text, confidence real, agent text, lineage uuid, supersedes uuid,
    activated_at timestamptz, valid_from timestamptz, valid_to timestamptz
)
LANGUAGE plpgsql VOLATILE SET plan_cache_mode = force_generic_plan AS $$
#variable_conflict use_column
DECLARE
    known tribe_sizes;
    hidden uuid[] := '{}';
    scope uuid[];
    keys text[] := ARRAY(SELECT DISTINCT '#' || unnest(wanted_tags));
    is_exact boolean;
    best recall_match[];
BEGIN
    PERFORM enter_tribe(of_tribe);
    -- A receipt counts a use later on: a crash may take the last half second of them.
    PERFORM set_config('synchronous_commit', 'off', true);
    SELECT * INTO known FROM tribe_sizes s WHERE s.tribe = of_tribe;
    IF known.exceptions > 0 THEN
        hidden := hidden_lessons(of_tribe);
    END IF;
    IF keys <> '{}' THEN
        scope := tagged_lessons(of_tribe, keys, exact_up_to);
    END IF;
    is_exact := scope IS NOT NULL OR keys = '{}' AND coalesce(known.lessons, 0) <= exact_up_to;
    IF is_exact THEN
        best := ARRAY(SELECT m::recall_match FROM recall_exactly(
            of_tribe, asked, wanted, scope, hidden, at_most, at_least, known.lessons) AS m);
    ELSE
        best := ARRAY(SELECT m::recall_match FROM recall_nearly(
            of_tribe, asked, wanted, keys, hidden, at_most, at_least, known.lessons) AS m);
    END IF;
    INSERT INTO recall_receipts (tribe, id, agent, at, k, lessons)
    SELECT of_tribe, receipt, by_agent, now(), at_most, ARRAY(SELECT b.id FROM unnest(best) AS b);
    RETURN QUERY
    SELECT is_exact, l.id, l.content, l.situation, l.tags, b.score, b.similarity, l.status,
           l.confidence, l.source_agent, l.lineage, l.supersedes, l.activated_at, l.valid_from,
           l.valid_to
    FROM (VALUES (1)) AS once LEFT JOIN unnest(best) AS b ON true LEFT JOIN LATERAL (
        SELECT * FROM lessons l WHERE l.tribe = of_tribe AND l.id = b.id OFFSET 0
    ) AS l ON true;
END $$;
