-- The words of each active lesson, and behind a '#' its tags. A plain comparison may use an index
-- under row security; `@@` and `@>` may not, because they are not leakproof.
CREATE TABLE lesson_words (
    tribe text NOT NULL,
    word text COLLATE "C" NOT NULL,
    id uuid NOT NULL,
    PRIMARY KEY (tribe, word, id)
) PARTITION BY HASH (tribe);

-- Counts of a tribe's active lessons: exact, because every change is behind the tribe's gate.
CREATE TABLE tribe_sizes (
    tribe text PRIMARY KEY,
    lessons bigint NOT NULL,
    exceptions bigint NOT NULL -- of them, those that except others
) PARTITION BY HASH (tribe);

DO $$
DECLARE
    parent text;
BEGIN
    FOREACH parent IN ARRAY ARRAY['lesson_words', 'tribe_sizes'] LOOP
        FOR number IN 0..63 LOOP
            EXECUTE format(
                'CREATE TABLE %I PARTITION OF %I FOR VALUES WITH (MODULUS 64, REMAINDER %s)',
                parent || '_' || lpad(number::text, 2, '0'), parent, number
            );
        END LOOP;
        EXECUTE format('ALTER TABLE %I ENABLE ROW LEVEL SECURITY', parent);
        EXECUTE format(
            'CREATE POLICY own_tribe ON %I USING (tribe = (SELECT current_tribe()))', parent
        );
    END LOOP;
END $$;
GRANT SELECT, INSERT, DELETE ON lesson_words TO tributary_app;
GRANT SELECT, INSERT, UPDATE ON tribe_sizes TO tributary_app;

CREATE FUNCTION lesson_keys(terms tsvector, tags text[]) RETURNS SETOF text
LANGUAGE sql IMMUTABLE PARALLEL SAFE ROWS 30 AS $$
    SELECT unnest(tsvector_to_array(terms)) UNION ALL SELECT DISTINCT '#' || unnest(tags);
$$;

CREATE FUNCTION index_added() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    INSERT INTO lesson_words (tribe, word, id)
    SELECT l.tribe, key, l.id
    FROM added JOIN lessons l ON l.tribe = added.tribe AND l.id = added.id,
         lesson_keys(l.terms, l.tags) AS key;
    INSERT INTO tribe_sizes AS known (tribe, lessons, exceptions)
    SELECT l.tribe, count(*), count(*) FILTER (WHERE l.excepts <> '{}')
    FROM added JOIN lessons l ON l.tribe = added.tribe AND l.id = added.id
    GROUP BY l.tribe
    ON CONFLICT (tribe) DO UPDATE SET lessons = known.lessons + excluded.lessons,
        exceptions = known.exceptions + excluded.exceptions;
    RETURN NULL;
END $$;

CREATE FUNCTION index_removed() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    DELETE FROM lesson_words w
    USING removed JOIN lessons l ON l.tribe = removed.tribe AND l.id = removed.id,
          lesson_keys(l.terms, l.tags) AS key
    WHERE w.tribe = l.tribe AND w.word = key AND w.id = l.id;
    UPDATE tribe_sizes known SET lessons = known.lessons - gone.lessons,
        exceptions = known.exceptions - gone.exceptions
    FROM (
        SELECT l.tribe, count(*) AS lessons, count(*) FILTER (WHERE l.excepts <> '{}') AS exceptions
        FROM removed JOIN lessons l ON l.tribe = removed.tribe AND l.id = removed.id
        GROUP BY l.tribe
    ) AS gone
    WHERE known.tribe = gone.tribe;
    RETURN NULL;
END $$;

CREATE FUNCTION index_tags() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    DELETE FROM lesson_words w
    WHERE w.tribe = new.tribe AND w.id = new.id AND w.word IN (
        SELECT '#' || unnest(old.tags) EXCEPT SELECT '#' || unnest(new.tags)
    );
    INSERT INTO lesson_words (tribe, word, id)
    SELECT new.tribe, more.word, new.id
    FROM (SELECT '#' || unnest(new.tags) EXCEPT SELECT '#' || unnest(old.tags)) AS more (word)
    WHERE EXISTS (SELECT FROM lesson_vectors v WHERE v.tribe = new.tribe AND v.id = new.id);
    RETURN NULL;
END $$;

-- What is there already: index_added for all of it, while row security lets the owner see it.
ALTER TABLE lessons NO FORCE ROW LEVEL SECURITY;
ALTER TABLE lesson_vectors NO FORCE ROW LEVEL SECURITY;
INSERT INTO lesson_words (tribe, word, id)
SELECT l.tribe, key, l.id
FROM lesson_vectors v JOIN lessons l ON l.tribe = v.tribe AND l.id = v.id,
     lesson_keys(l.terms, l.tags) AS key;
INSERT INTO tribe_sizes (tribe, lessons, exceptions)
SELECT l.tribe, count(*), count(*) FILTER (WHERE l.excepts <> '{}')
FROM lesson_vectors v JOIN lessons l ON l.tribe = v.tribe AND l.id = v.id
GROUP BY l.tribe;
ALTER TABLE lessons FORCE ROW LEVEL SECURITY;
ALTER TABLE lesson_vectors FORCE ROW LEVEL SECURITY;
ALTER TABLE lesson_words FORCE ROW LEVEL SECURITY;
ALTER TABLE tribe_sizes FORCE ROW LEVEL SECURITY;

CREATE TRIGGER index_added AFTER INSERT ON lesson_vectors
    REFERENCING NEW TABLE AS added FOR EACH STATEMENT EXECUTE FUNCTION index_added();
CREATE TRIGGER index_removed AFTER DELETE ON lesson_vectors
    REFERENCING OLD TABLE AS removed FOR EACH STATEMENT EXECUTE FUNCTION index_removed();
CREATE TRIGGER index_tags AFTER UPDATE OF tags ON lessons
    FOR EACH ROW WHEN (old.tags <> new.tags) EXECUTE FUNCTION index_tags();
