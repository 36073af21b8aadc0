CREATE TABLE memory_audit (
    tribe text NOT NULL,
    id uuid NOT NULL,
    lesson_id uuid,
    action text NOT NULL,
    agent text NOT NULL,
    at timestamptz NOT NULL,
    decision_id uuid,
    detail jsonb NOT NULL DEFAULT '{}',
    PRIMARY KEY (tribe, id)
) PARTITION BY HASH (tribe);
CREATE INDEX memory_audit_lesson ON memory_audit (tribe, lesson_id, at);

CREATE TABLE decisions (
    tribe text NOT NULL,
    id uuid NOT NULL,
    lesson_id uuid NOT NULL,
    agent text NOT NULL,
    outcome text NOT NULL,
    target_id uuid,
    relation text,
    confidence real,
    verdict_target uuid,
    verdict_others uuid[] NOT NULL DEFAULT '{}',
    classifier text NOT NULL,
    candidates jsonb NOT NULL,
    rounds smallint NOT NULL,
    retries smallint NOT NULL,
    flag text,
    truncated boolean NOT NULL,
    decided_at timestamptz NOT NULL,
    PRIMARY KEY (tribe, id)
) PARTITION BY HASH (tribe);

CREATE TABLE idempotency_keys (
    tribe text NOT NULL,
    agent text NOT NULL,
    key text NOT NULL,
    request_hash bytea NOT NULL,
    decision_id uuid NOT NULL,
    created_at timestamptz NOT NULL,
    PRIMARY KEY (tribe, agent, key)
) PARTITION BY HASH (tribe);

CREATE TABLE topic_leases (
    tribe text NOT NULL,
    lineage uuid NOT NULL,
    holder uuid NOT NULL,
    until timestamptz NOT NULL,
    PRIMARY KEY (tribe, lineage)
) PARTITION BY HASH (tribe);

CREATE TABLE recall_receipts (
    tribe text NOT NULL,
    id uuid NOT NULL,
    agent text NOT NULL,
    at timestamptz NOT NULL,
    k integer NOT NULL,
    lessons uuid[] NOT NULL,
    folded boolean NOT NULL DEFAULT false,
    PRIMARY KEY (tribe, id)
) PARTITION BY HASH (tribe);
CREATE INDEX recall_receipts_unfolded ON recall_receipts (tribe, id) WHERE NOT folded;

CREATE TABLE disputes (
    tribe text NOT NULL,
    id uuid NOT NULL,
    lesson_id uuid NOT NULL,
    target_id uuid NOT NULL,
    opened_by text NOT NULL,
    opened_at timestamptz NOT NULL,
    resolution text CHECK (resolution IN ('accept', 'reject', 'keep_both')),
    resolved_by text,
    resolved_at timestamptz,
    reason text,
    PRIMARY KEY (tribe, id)
) PARTITION BY HASH (tribe);
CREATE INDEX disputes_open ON disputes (tribe, id) WHERE resolution IS NULL;
