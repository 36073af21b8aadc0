CREATE TABLE lessons (
    tribe text NOT NULL,
    id uuid NOT NULL,
    lineage uuid NOT NULL,
    status text NOT NULL CHECK (
        status IN ('active', 'superseded', 'retired', 'pending', 'disputed', 'quarantined')
    ),
    content text NOT NULL,
    situation text,
    tags text[] NOT NULL DEFAULT '{}',
    revision bigint NOT NULL, -- of the tribe, when this lesson last changed
    changed_at timestamptz NOT NULL, -- strictly later at a higher revision
    confidence real NOT NULL DEFAULT 1,
    strength real NOT NULL DEFAULT 30,
    source_agent text NOT NULL,
    created_at timestamptz NOT NULL,
    activated_at timestamptz,
    deactivated_at timestamptz,
    valid_from timestamptz,
    valid_to timestamptz,
    supersedes uuid,
    superseded_by uuid,
    excepts uuid[] NOT NULL DEFAULT '{}', -- lineages that do not hold while this lesson does
    protected boolean NOT NULL DEFAULT false,
    reinforcements integer NOT NULL DEFAULT 0,
    last_used_at timestamptz NOT NULL,
    tended_at timestamptz NOT NULL,
    flag text,
    -- Both configurations: 'english' stems, 'simple' keeps every word of every language.
    terms tsvector NOT NULL GENERATED ALWAYS AS (
        to_tsvector('english', content || ' ' || coalesce(situation, ''))
        || to_tsvector('simple', content || ' ' || coalesce(situation, ''))
    ) STORED,
    PRIMARY KEY (tribe, id)
) PARTITION BY HASH (tribe);

CREATE UNIQUE INDEX lessons_one_truth ON lessons (tribe, lineage) WHERE status = 'active';
CREATE INDEX lessons_revision ON lessons (tribe, revision);
CREATE INDEX lessons_lineage ON lessons (tribe, lineage);
CREATE INDEX lessons_superseded_by ON lessons (tribe, superseded_by)
    WHERE superseded_by IS NOT NULL;
CREATE INDEX lessons_exceptions ON lessons (tribe) WHERE status = 'active' AND excepts <> '{}';
CREATE INDEX lessons_disputed ON lessons (tribe, source_agent) WHERE status = 'disputed';
CREATE INDEX lessons_parked ON lessons (tribe, id) WHERE status = 'pending';

-- Active lessons only, and narrow: an exact scan reads these rows and nothing else.
CREATE TABLE lesson_vectors (
    tribe text NOT NULL,
    id uuid NOT NULL,
    valid_to timestamptz,
    embedding halfvec(384) NOT NULL,
    model text NOT NULL,
    PRIMARY KEY (tribe, id)
) PARTITION BY HASH (tribe);
ALTER TABLE lesson_vectors ALTER COLUMN embedding SET STORAGE PLAIN;
CREATE INDEX lesson_vectors_hnsw ON lesson_vectors USING hnsw (embedding halfvec_cosine_ops);

-- What was active once, for recall as of an earlier instant.
CREATE TABLE lesson_vectors_past (
    tribe text NOT NULL,
    id uuid NOT NULL,
    embedding halfvec(384) NOT NULL,
    model text NOT NULL,
    PRIMARY KEY (tribe, id)
) PARTITION BY HASH (tribe);
ALTER TABLE lesson_vectors_past ALTER COLUMN embedding SET STORAGE PLAIN;

-- The words that a query is matched by: stemmed English, and every other word as it stands.
CREATE FUNCTION query_words(query text) RETURNS TABLE (word text, matching tsquery)
LANGUAGE sql STABLE PARALLEL SAFE ROWS 10 AS $$
    SELECT lexeme,
           ('''' || replace(replace(lexeme, '\', '\\'), '''', '''''') || '''')::tsquery
    FROM (
        SELECT lexeme FROM unnest(to_tsvector('english', query))
        UNION
        SELECT lexeme FROM unnest(to_tsvector('simple', query))
        WHERE ts_lexize('english_stem', lexeme) <> '{}'
    ) AS words;
$$;
