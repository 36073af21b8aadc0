-- Recall by one scan that compares the vectors and weighs the words, in one partition. A statement on
-- a partitioned table is planned for all of its 64 partitions once for each connection, and locks all
-- of them each time that it runs: that was most of what a connection's first recall cost, and a fifth
-- of each later one.

DO $$
BEGIN
    PERFORM '[1]'::vector; -- loads the extension: before that only a superuser may set its options
END $$;

DROP FUNCTION recall_now, recall_nearly, recall_exactly, weighed_words, fused_score, tagged_lessons;
DROP TYPE query_word;

-- Exceptions have an index, however many the planner expects.
ALTER FUNCTION hidden_lessons SET enable_seqscan = off;

-- A convex combination of the cosine and of the share of the query's information that a lesson's
-- words hold: S. Bruch, S. Gai and A. Ingber, "An Analysis of Fusion Functions for Hybrid Retrieval"
-- (ACM TOIS 42(1), 2023). 1.6 is tuned on half of LoCoMo and flat around it (decision 0009).
CREATE FUNCTION fused_score(similarity float8, information float8, total float8) RETURNS float8
LANGUAGE sql IMMUTABLE PARALLEL SAFE AS $$
    SELECT (similarity + 1.6::float8 * coalesce(information / nullif(total, 0), 0)) / 2.6::float8;
$$;

-- The information that a lesson of that similarity needs for that score.
CREATE FUNCTION information_for(score float8, similarity float8, total float8) RETURNS float8
LANGUAGE sql IMMUTABLE PARALLEL SAFE AS $$
    SELECT (score * 2.6::float8 - similarity) * total / 1.6::float8;
$$;

CREATE TYPE query_word AS (word text, number bigint, information float8);

-- A query's words, on how many of the tribe's `known` lessons each is, but for the hidden, and
-- how much that tells.
CREATE FUNCTION weighed_words(of_tribe text, asked text, known bigint, hidden uuid[])
RETURNS query_word[]
LANGUAGE plpgsql STABLE SET plan_cache_mode = force_generic_plan SET enable_seqscan = off AS $$
BEGIN
    RETURN ARRAY(
        SELECT (word, number, word_information(number, known - cardinality(hidden)))::query_word
        FROM (
            SELECT q.word, coalesce((
                SELECT c.number FROM word_counts c WHERE c.tribe = of_tribe AND c.word = q.word
            ), 0) - CASE WHEN hidden = '{}' THEN 0 ELSE (
                SELECT count(*) FROM lesson_words w
                WHERE w.tribe = of_tribe AND w.word = q.word AND w.id = ANY(hidden)
            ) END AS number
            FROM query_words(asked) AS q LIMIT 256
        ) AS counted
    );
END $$;

-- The words' information at their places, as word_set has them.
CREATE FUNCTION weights_of(words query_word[]) RETURNS sparsevec
LANGUAGE sql IMMUTABLE PARALLEL SAFE AS $$
    SELECT ('{' || coalesce(string_agg(place || ':' || information, ','), '') || '}/536870912')
        ::sparsevec
    FROM (
        SELECT word_place(word) AS place, sum(information)::real AS information
        FROM unnest(words) GROUP BY 1
    ) AS placed;
$$;

CREATE FUNCTION total_of(words query_word[]) RETURNS float8
LANGUAGE sql IMMUTABLE PARALLEL SAFE AS $$
    SELECT coalesce(sum(information), 0) FROM unnest(words);
$$;

-- The active lessons that have all the tags (as lesson_words has them), when one of the tags is on
-- `at_most` lessons or fewer; otherwise null.
CREATE FUNCTION tagged_lessons(of_tribe text, tags text[], at_most integer) RETURNS uuid[]
LANGUAGE plpgsql STABLE SET plan_cache_mode = force_generic_plan SET enable_seqscan = off AS $$
DECLARE
    rarest text;
    number bigint;
BEGIN
    SELECT tag, coalesce(c.number, 0) INTO rarest, number
    FROM unnest(tags) AS tag LEFT JOIN word_counts c ON c.tribe = of_tribe AND c.word = tag
    ORDER BY 2 LIMIT 1;
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

-- Active lessons whose time is over; the gardener has not retired them yet.
CREATE FUNCTION ended_lessons(of_tribe text) RETURNS uuid[]
LANGUAGE plpgsql STABLE SET plan_cache_mode = force_generic_plan AS $$
BEGIN
    RETURN ARRAY(
        SELECT id FROM lesson_vectors v WHERE v.tribe = of_tribe AND v.valid_to <= now()
    );
END $$;

-- Every active lesson is compared, but for the hidden ones.
CREATE FUNCTION recall_everything(
    of_tribe text, asked text, wanted halfvec(384), hidden uuid[], at_most integer, at_least float8,
    known bigint
) RETURNS recall_match[]
LANGUAGE plpgsql STABLE SET plan_cache_mode = force_generic_plan AS $$
DECLARE
    words query_word[] := weighed_words(of_tribe, asked, known, hidden);
    weights sparsevec := weights_of(words);
    total float8 := total_of(words);
BEGIN
    RETURN ARRAY(
        SELECT (id, similarity, score)::recall_match FROM (
            SELECT s.id, s.similarity, fused_score(s.similarity, s.information, total) AS score
            FROM (
                SELECT v.id, 1 - (v.embedding <=> wanted) AS similarity,
                       -(v.words <#> weights) AS information
                FROM lesson_vectors v
                WHERE v.tribe = of_tribe AND v.id NOT IN (SELECT unnest(hidden))
                OFFSET 0
            ) AS s
            WHERE at_least IS NULL OR s.similarity >= at_least
            ORDER BY score DESC, similarity DESC, id LIMIT at_most
        ) AS best
    );
END $$;

-- The same for the lessons of a scope. How rare a word is, is asked of these lessons only.
CREATE FUNCTION recall_among(
    of_tribe text, asked text, wanted halfvec(384), scope uuid[], hidden uuid[], at_most integer,
    at_least float8
) RETURNS recall_match[]
LANGUAGE plpgsql STABLE SET plan_cache_mode = force_generic_plan SET enable_seqscan = off AS $$
DECLARE
    words query_word[];
BEGIN
    scope := ARRAY(
        SELECT v.id FROM lesson_vectors v
        WHERE v.tribe = of_tribe AND v.id = ANY(scope) AND v.id <> ALL(hidden)
          AND (v.valid_to IS NULL OR v.valid_to > now())
    );
    words := ARRAY(
        SELECT (q.word, number, word_information(number, cardinality(scope)))::query_word
        FROM (SELECT word FROM query_words(asked) LIMIT 256) AS q CROSS JOIN LATERAL (
            SELECT count(*) AS number FROM lesson_words w
            WHERE w.tribe = of_tribe AND w.word = q.word AND w.id = ANY(scope)
        ) AS counted
    );
    RETURN best_matches(matched_lessons(
        of_tribe, wanted, weights_of(words), total_of(words), '{}', at_least, scope
    ), at_most);
END $$;

-- A lesson that has some of the words, and how much these tell.
CREATE TYPE telling_lesson AS (id uuid, information float8);

-- The lessons that have the words that tell the most, in that order.
CREATE FUNCTION telling_lessons(
    of_tribe text, words query_word[], tags text[], at_most integer
) RETURNS telling_lesson[]
LANGUAGE plpgsql STABLE
SET plan_cache_mode = force_generic_plan
SET enable_seqscan = off
SET enable_sort = off -- hashing thousands of ids costs less than sorting them
AS $$
BEGIN
    RETURN ARRAY(
        SELECT (id, information)::telling_lesson FROM (
            SELECT w.id, sum(q.information) AS information
            FROM unnest(words) AS q CROSS JOIN LATERAL (
                SELECT w.id FROM lesson_words w
                WHERE w.tribe = of_tribe AND w.word = q.word OFFSET 0
            ) AS w
            WHERE tags = '{}' OR cardinality(tags) = (
                SELECT count(*) FROM lesson_words t
                WHERE t.tribe = of_tribe AND t.word = ANY(tags) AND t.id = w.id
            )
            GROUP BY w.id ORDER BY information DESC, w.id DESC LIMIT at_most
        ) AS told
    );
END $$;

-- These lessons as they match a query, if they are similar enough.
CREATE FUNCTION matched_lessons(
    of_tribe text, wanted halfvec(384), weights sparsevec, total float8, hidden uuid[],
    at_least float8, ids uuid[]
) RETURNS recall_match[]
LANGUAGE plpgsql STABLE SET plan_cache_mode = force_generic_plan SET enable_seqscan = off AS $$
BEGIN
    RETURN ARRAY(
        SELECT (s.id, s.similarity, fused_score(s.similarity, s.information, total))::recall_match
        FROM (
            SELECT v.id, 1 - (v.embedding <=> wanted) AS similarity,
                   -(v.words <#> weights) AS information
            FROM lesson_vectors v
            WHERE v.tribe = of_tribe AND v.id = ANY(ids) AND v.id <> ALL(hidden)
              AND (v.valid_to IS NULL OR v.valid_to > now())
            OFFSET 0
        ) AS s
        WHERE at_least IS NULL OR s.similarity >= at_least
    );
END $$;

CREATE FUNCTION best_matches(matches recall_match[], at_most integer) RETURNS recall_match[]
LANGUAGE sql IMMUTABLE PARALLEL SAFE AS $$
    SELECT ARRAY(
        SELECT (id, similarity, score)::recall_match FROM (
            SELECT DISTINCT ON (score, similarity, id) * FROM unnest(matches)
            ORDER BY score DESC, similarity DESC, id LIMIT at_most
        ) AS best
    );
$$;

-- The rarest words, on up to so many lessons together.
CREATE FUNCTION rarest_words(words query_word[], lessons bigint) RETURNS query_word[]
LANGUAGE sql IMMUTABLE PARALLEL SAFE AS $$
    SELECT ARRAY(
        SELECT (word, number, information)::query_word FROM (
            SELECT *, sum(number) OVER (ORDER BY number, word) AS together
            FROM unnest(words) WHERE number > 0
        ) AS known
        WHERE together <= lessons
    );
$$;

-- What a lesson may have in words that were not looked up.
CREATE FUNCTION told_by_others(words query_word[], looked_up query_word[]) RETURNS float8
LANGUAGE sql IMMUTABLE PARALLEL SAFE AS $$
    SELECT coalesce(sum(information), 0) FROM unnest(words)
    WHERE number > 0 AND word NOT IN (SELECT word FROM unnest(looked_up));
$$;

-- Only candidates are compared: the lessons nearest in meaning, then those whose words tell the most.
-- A lesson that is not near is no more similar than the last of those that are, so it takes a certain
-- information to get among the best; what has less is not looked at. Threshold algorithm: R. Fagin,
-- A. Lotem and M. Naor, "Optimal Aggregation Algorithms for Middleware" (JCSS 66(4), 2003).
CREATE FUNCTION recall_nearly(
    of_tribe text, asked text, wanted halfvec(384), tags text[], hidden uuid[], at_most integer,
    at_least float8, known bigint
) RETURNS recall_match[]
LANGUAGE plpgsql STABLE SET plan_cache_mode = force_generic_plan AS $$
DECLARE
    words query_word[] := weighed_words(of_tribe, asked, known, '{}');
    weights sparsevec := weights_of(words);
    total float8 := total_of(words);
    best recall_match[] := matched_lessons(of_tribe, wanted, weights, total, hidden, NULL,
        near_lessons(of_tribe, wanted, tags, hidden, greatest(80, 2 * at_most)));
    not_near float8 := (SELECT min(similarity) FROM unnest(best)); -- nothing else is more similar
    most integer := 2 * at_most + 480; -- candidates by words
    looked_up query_word[] := rarest_words(words, 5000);
    told telling_lesson[];
    needed float8; -- information
BEGIN
    IF at_least > not_near THEN
        RETURN best_matches(ARRAY(
            SELECT one FROM unnest(best) AS one WHERE similarity >= at_least
        ), at_most);
    END IF;
    told := telling_lessons(of_tribe, looked_up, tags, most);
    best := best_matches(best || matched_lessons(of_tribe, wanted, weights, total, hidden, at_least,
        ARRAY(SELECT id FROM unnest(told[:2 * at_most + 40]))), at_most);
    needed := coalesce(information_for(best[at_most].score, not_near, total), 0);
    IF told[most].information >= needed - told_by_others(words, looked_up) THEN
        looked_up := rarest_words(words, 20000);
        told := telling_lessons(of_tribe, looked_up, tags, most);
    END IF;
    needed := needed - told_by_others(words, looked_up);
    RETURN best_matches(best || matched_lessons(of_tribe, wanted, weights, total, hidden, at_least,
        ARRAY(SELECT id FROM unnest(told) WHERE information >= needed)), at_most);
END $$;

-- What a tribe recalls now: the first row says whether every lesson was compared, and is the only
-- one, with nulls, when nothing is found.
CREATE FUNCTION recall_tribe(
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
    keys text[] := '{}'; -- the tags as lesson_words has them
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
    IF wanted_tags <> '{}' THEN
        keys := ARRAY(SELECT DISTINCT '#' || unnest(wanted_tags));
        scope := tagged_lessons(of_tribe, keys, exact_up_to);
    END IF;
    is_exact := scope IS NOT NULL OR keys = '{}' AND coalesce(known.lessons, 0) <= exact_up_to;
    IF scope IS NOT NULL THEN
        best := recall_among(
            of_tribe, asked, wanted, scope, hidden, at_most, at_least
        );
    ELSIF is_exact THEN
        IF known.ending > 0 THEN
            hidden := hidden || ended_lessons(of_tribe);
        END IF;
        best := recall_everything(
            of_tribe, asked, wanted, hidden, at_most, at_least, known.lessons
        );
    ELSE
        best := recall_nearly(
            of_tribe, asked, wanted, keys, hidden, at_most, at_least, known.lessons
        );
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

-- Makes of each function one for every partition, with its number behind the names of the tables and
-- of these functions. What is written above is never called, and is what to read and to change.
CREATE PROCEDURE spread_over_partitions(functions text[]) LANGUAGE plpgsql AS $do$
DECLARE
    called text := '\m(' || array_to_string(functions, '|') || ')\(';
    tables text := '\m(FROM|JOIN|INTO) '
        '(lessons|lesson_vectors|lesson_words|word_counts|tribe_sizes|recall_receipts)\M';
    definition text;
    suffix text;
BEGIN
    FOR definition IN SELECT pg_get_functiondef(oid) FROM pg_proc
        WHERE proname = ANY(functions) AND pronamespace = 'public'::regnamespace
    LOOP
        FOR number IN 0..63 LOOP
            suffix := '_' || lpad(number::text, 2, '0');
            EXECUTE regexp_replace(
                regexp_replace(definition, tables, '\1 \2' || suffix, 'g'),
                called, '\1' || suffix || '(', 'g'
            );
        END LOOP;
    END LOOP;
END $do$;
CALL spread_over_partitions(ARRAY[
    'recall_tribe', 'recall_everything', 'recall_among', 'recall_nearly', 'near_lessons',
    'telling_lessons', 'matched_lessons', 'weighed_words', 'tagged_lessons', 'hidden_lessons',
    'ended_lessons'
]);

DO $do$
BEGIN
    EXECUTE replace($sql$
        CREATE FUNCTION recall_now(
            of_tribe text, by_agent text, receipt uuid, asked text, wanted halfvec(384),
            wanted_tags text[], at_most integer, at_least float8, exact_up_to integer
        ) RETURNS TABLE (
            exact boolean, id uuid, content text, situation text, tags text[], score float8,
            similarity float8, status text, confidence real, agent text, lineage uuid,
            supersedes uuid, activated_at timestamptz, valid_from timestamptz,
            valid_to timestamptz
        )
        LANGUAGE plpgsql VOLATILE SET plan_cache_mode = force_generic_plan AS $$
        BEGIN
            CASE gate_of(of_tribe)
            {cases}
            END CASE;
        END $$
    $sql$, '{cases}', (
        SELECT string_agg(format(
            'WHEN %s THEN RETURN QUERY SELECT * FROM recall_tribe_%s(of_tribe, by_agent, receipt,'
            ' asked, wanted, wanted_tags, at_most, at_least, exact_up_to);',
            number, lpad(number::text, 2, '0')
        ), E'\n')
        FROM generate_series(0, 63) AS number
    ));
END $do$;

-- Whoever asks a partition itself meets the same row security as in the table.
DO $$
DECLARE
    parent text;
    part text;
BEGIN
    FOREACH parent IN ARRAY ARRAY[
        'lessons', 'lesson_vectors', 'lesson_words', 'word_counts', 'tribe_sizes', 'recall_receipts'
    ] LOOP
        FOR number IN 0..63 LOOP
            part := parent || '_' || lpad(number::text, 2, '0');
            EXECUTE format('ALTER TABLE %I ENABLE ROW LEVEL SECURITY', part);
            EXECUTE format('ALTER TABLE %I FORCE ROW LEVEL SECURITY', part);
            EXECUTE format(
                'CREATE POLICY own_tribe ON %I USING (tribe = (SELECT current_tribe()))', part
            );
            EXECUTE format(
                'GRANT %s ON %I TO tributary_app',
                CASE parent WHEN 'recall_receipts' THEN 'INSERT' ELSE 'SELECT' END, part
            );
        END LOOP;
    END LOOP;
END $$;
