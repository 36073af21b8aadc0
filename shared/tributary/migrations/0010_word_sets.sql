-- The words of each active lesson beside its vector, so that a scan that compares the vectors weighs
-- the words as well; and how many active lessons have a word.

DO $$
BEGIN
    PERFORM '[1]'::vector; -- loads the extension, which knows the type below
END $$;

-- Where a word stands in a set of words. Two words share a place once in 537 million.
CREATE FUNCTION word_place(word text) RETURNS integer
LANGUAGE sql IMMUTABLE PARALLEL SAFE AS $$
    SELECT 1 + (hashtextextended(word, 0) & 536870911)::integer;
$$;

-- A one at the place of each word: the inner product with a query's weights is what a lesson's words
-- tell of the query. A sparsevec holds up to 16,000.
CREATE FUNCTION word_set(terms tsvector) RETURNS sparsevec
LANGUAGE sql IMMUTABLE PARALLEL SAFE AS $$
    SELECT ('{' || coalesce(string_agg(place || ':1', ','), '') || '}/536870912')::sparsevec
    FROM (
        SELECT DISTINCT word_place(word) AS place FROM unnest(tsvector_to_array(terms)) AS word
        LIMIT 16000
    ) AS places;
$$;

ALTER TABLE lesson_vectors ADD COLUMN words sparsevec(536870912);
ALTER TABLE lesson_vectors ALTER COLUMN words SET STORAGE MAIN; -- inline up to a thousand words

-- Of the tribe's active lessons, those that end by themselves.
ALTER TABLE tribe_sizes ADD COLUMN ending bigint NOT NULL DEFAULT 0;

CREATE TABLE word_counts (
    tribe text NOT NULL,
    word text COLLATE "C" NOT NULL, -- or a tag, as in lesson_words
    number bigint NOT NULL,
    PRIMARY KEY (tribe, word)
) PARTITION BY HASH (tribe);

DO $$
BEGIN
    FOR number IN 0..63 LOOP
        -- Room for new versions of a row beside the old one.
        EXECUTE format(
            'CREATE TABLE word_counts_%s PARTITION OF word_counts'
            ' FOR VALUES WITH (MODULUS 64, REMAINDER %s) WITH (fillfactor = 70)',
            lpad(number::text, 2, '0'), number
        );
    END LOOP;
END $$;
ALTER TABLE word_counts ENABLE ROW LEVEL SECURITY;
CREATE POLICY own_tribe ON word_counts USING (tribe = (SELECT current_tribe()));
GRANT SELECT, INSERT, UPDATE ON word_counts TO tributary_app;

CREATE FUNCTION set_words() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    new.words := (
        SELECT word_set(l.terms) FROM lessons l WHERE l.tribe = new.tribe AND l.id = new.id
    );
    RETURN new;
END $$;
CREATE TRIGGER set_words BEFORE INSERT ON lesson_vectors
    FOR EACH ROW EXECUTE FUNCTION set_words();

CREATE OR REPLACE FUNCTION index_added() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    WITH keys AS MATERIALIZED (
        SELECT l.tribe, key, l.id
        FROM added JOIN lessons l ON l.tribe = added.tribe AND l.id = added.id,
             lesson_keys(l.terms, l.tags) AS key
    ), indexed AS (
        INSERT INTO lesson_words (tribe, word, id) SELECT tribe, key, id FROM keys
    )
    INSERT INTO word_counts AS known (tribe, word, number)
    SELECT tribe, key, count(*) FROM keys GROUP BY tribe, key
    ON CONFLICT (tribe, word) DO UPDATE SET number = known.number + excluded.number;
    INSERT INTO tribe_sizes AS known (tribe, lessons, exceptions, ending)
    SELECT l.tribe, count(*), count(*) FILTER (WHERE l.excepts <> '{}'), count(added.valid_to)
    FROM added JOIN lessons l ON l.tribe = added.tribe AND l.id = added.id
    GROUP BY l.tribe
    ON CONFLICT (tribe) DO UPDATE SET lessons = known.lessons + excluded.lessons,
        exceptions = known.exceptions + excluded.exceptions,
        ending = known.ending + excluded.ending;
    RETURN NULL;
END $$;

CREATE OR REPLACE FUNCTION index_removed() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    WITH gone AS (
        DELETE FROM lesson_words w
        USING removed JOIN lessons l ON l.tribe = removed.tribe AND l.id = removed.id,
              lesson_keys(l.terms, l.tags) AS key
        WHERE w.tribe = l.tribe AND w.word = key AND w.id = l.id
        RETURNING w.tribe, w.word
    )
    UPDATE word_counts known SET number = known.number - lost.number
    FROM (SELECT tribe, word, count(*) AS number FROM gone GROUP BY tribe, word) AS lost
    WHERE known.tribe = lost.tribe AND known.word = lost.word;
    UPDATE tribe_sizes known SET lessons = known.lessons - gone.lessons,
        exceptions = known.exceptions - gone.exceptions, ending = known.ending - gone.ending
    FROM (
        SELECT l.tribe, count(*) AS lessons, count(*) FILTER (WHERE l.excepts <> '{}') AS exceptions,
               count(removed.valid_to) AS ending
        FROM removed JOIN lessons l ON l.tribe = removed.tribe AND l.id = removed.id
        GROUP BY l.tribe
    ) AS gone
    WHERE known.tribe = gone.tribe;
    RETURN NULL;
END $$;

CREATE OR REPLACE FUNCTION index_tags() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    WITH gone AS (
        DELETE FROM lesson_words w
        WHERE w.tribe = new.tribe AND w.id = new.id AND w.word IN (
            SELECT '#' || unnest(old.tags) EXCEPT SELECT '#' || unnest(new.tags)
        )
        RETURNING w.word
    )
    UPDATE word_counts known SET number = known.number - 1
    FROM gone WHERE known.tribe = new.tribe AND known.word = gone.word;
    WITH added AS (
        INSERT INTO lesson_words (tribe, word, id)
        SELECT new.tribe, more.word, new.id
        FROM (SELECT '#' || unnest(new.tags) EXCEPT SELECT '#' || unnest(old.tags)) AS more (word)
        WHERE EXISTS (SELECT FROM lesson_vectors v WHERE v.tribe = new.tribe AND v.id = new.id)
        RETURNING word
    )
    INSERT INTO word_counts AS known (tribe, word, number) SELECT new.tribe, word, 1 FROM added
    ON CONFLICT (tribe, word) DO UPDATE SET number = known.number + 1;
    RETURN NULL;
END $$;

-- What is there already, while row security lets the owner see it. Without its HNSW index, which
-- would take in every rewritten row.
ALTER TABLE lessons NO FORCE ROW LEVEL SECURITY;
ALTER TABLE lesson_vectors NO FORCE ROW LEVEL SECURITY;
ALTER TABLE lesson_words NO FORCE ROW LEVEL SECURITY;
ALTER TABLE tribe_sizes NO FORCE ROW LEVEL SECURITY;
DROP INDEX lesson_vectors_hnsw;
UPDATE lesson_vectors v SET words = word_set(l.terms)
FROM lessons l WHERE l.tribe = v.tribe AND l.id = v.id;
ALTER TABLE lesson_vectors ALTER COLUMN words SET NOT NULL;
CREATE INDEX lesson_vectors_hnsw ON lesson_vectors USING hnsw (embedding halfvec_cosine_ops);
INSERT INTO word_counts (tribe, word, number)
SELECT tribe, word, count(*) FROM lesson_words GROUP BY tribe, word;
UPDATE tribe_sizes known SET ending = (
    SELECT count(v.valid_to) FROM lesson_vectors v WHERE v.tribe = known.tribe
);
ALTER TABLE lessons FORCE ROW LEVEL SECURITY;
ALTER TABLE lesson_vectors FORCE ROW LEVEL SECURITY;
ALTER TABLE lesson_words FORCE ROW LEVEL SECURITY;
ALTER TABLE tribe_sizes FORCE ROW LEVEL SECURITY;
ALTER TABLE word_counts FORCE ROW LEVEL SECURITY;
