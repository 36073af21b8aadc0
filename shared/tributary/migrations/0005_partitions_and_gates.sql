-- Tribes of one partition share its gate, so a transaction behind the gate never meets the
-- predicate locks of another.
DO $$
DECLARE
    parent text;
BEGIN
    FOREACH parent IN ARRAY ARRAY[
        'lessons', 'lesson_vectors', 'lesson_vectors_past', 'memory_audit', 'decisions',
        'idempotency_keys', 'topic_leases', 'recall_receipts', 'disputes'
    ] LOOP
        FOR number IN 0..63 LOOP
            EXECUTE format(
                'CREATE TABLE %I PARTITION OF %I FOR VALUES WITH (MODULUS 64, REMAINDER %s)',
                parent || '_' || lpad(number::text, 2, '0'), parent, number
            );
        END LOOP;
    END LOOP;
    FOR number IN 0..63 LOOP
        EXECUTE format('CREATE TABLE gate_%s ()', lpad(number::text, 2, '0'));
    END LOOP;
END $$;

-- The number of the partition, and so of the gate, that a tribe falls into.
CREATE FUNCTION gate_of(tribe text) RETURNS integer
LANGUAGE sql STABLE AS $$
    SELECT number FROM generate_series(0, 63) AS number
    WHERE satisfies_hash_partition('lessons'::regclass, 64, number, tribe);
$$;
