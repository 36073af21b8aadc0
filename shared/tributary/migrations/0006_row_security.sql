-- Unset means no rows: current_tribe() is then null, and no comparison with null is true.
DO $$
DECLARE
    guarded text;
BEGIN
    FOREACH guarded IN ARRAY ARRAY[
        'agents', 'lessons', 'lesson_vectors', 'lesson_vectors_past', 'memory_audit', 'decisions',
        'idempotency_keys', 'topic_leases', 'recall_receipts', 'disputes'
    ] LOOP
        EXECUTE format('ALTER TABLE %I ENABLE ROW LEVEL SECURITY', guarded);
        EXECUTE format('ALTER TABLE %I FORCE ROW LEVEL SECURITY', guarded);
        EXECUTE format(
            'CREATE POLICY own_tribe ON %I USING (tribe = (SELECT current_tribe()))', guarded
        );
    END LOOP;
END $$;

ALTER TABLE tribes ENABLE ROW LEVEL SECURITY;
ALTER TABLE tribes FORCE ROW LEVEL SECURITY;
-- The gardener visits every tribe; a name is not a lesson.
CREATE POLICY names ON tribes USING (true);

GRANT SELECT ON tribes TO tributary_app;
GRANT INSERT ON tribes TO tributary_app;
GRANT SELECT ON agents TO tributary_app;
GRANT UPDATE (revoked_at) ON agents TO tributary_app;
GRANT SELECT, INSERT ON lessons, disputes TO tributary_app;
-- What was said, by whom and when, cannot be changed.
GRANT UPDATE (
    lineage, status, tags, revision, changed_at, confidence, strength, activated_at,
    deactivated_at, valid_from, valid_to, supersedes, superseded_by, excepts, protected,
    reinforcements, last_used_at, tended_at, flag
) ON lessons TO tributary_app;
GRANT UPDATE (resolution, resolved_by, resolved_at, reason) ON disputes TO tributary_app;
GRANT SELECT ON schema_migrations TO tributary_app;
GRANT SELECT, INSERT, UPDATE, DELETE ON lesson_vectors, topic_leases TO tributary_app;
GRANT SELECT, INSERT, DELETE ON lesson_vectors_past TO tributary_app;
GRANT SELECT, INSERT ON memory_audit, decisions, idempotency_keys TO tributary_app;
GRANT SELECT, INSERT ON recall_receipts TO tributary_app;
GRANT UPDATE (folded) ON recall_receipts TO tributary_app;
REVOKE ALL ON FUNCTION identify, add_agent FROM PUBLIC;
GRANT EXECUTE ON FUNCTION identify, add_agent TO tributary_app;

-- LOCK TABLE ... IN EXCLUSIVE MODE needs a write privilege on an empty table.
DO $$
BEGIN
    FOR number IN 0..63 LOOP
        EXECUTE format('GRANT UPDATE ON gate_%s TO tributary_app', lpad(number::text, 2, '0'));
    END LOOP;
END $$;
