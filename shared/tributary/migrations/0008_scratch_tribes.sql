-- A scratch tribe lives for an hour at the most and leaves nothing behind: `tributary doctor` tries
-- an installation out in one. Its name begins with a tilde, which no other tribe's may.
CREATE TABLE scratch_tribes (
    name text PRIMARY KEY REFERENCES tribes (name),
    parent text NOT NULL, -- the tribe whose curator asked for it
    expires_at timestamptz NOT NULL
);
ALTER TABLE scratch_tribes ENABLE ROW LEVEL SECURITY;
ALTER TABLE scratch_tribes FORCE ROW LEVEL SECURITY;
CREATE POLICY names ON scratch_tribes USING (true);
GRANT SELECT ON scratch_tribes TO tributary_app;

-- Whoever is in a scratch tribe holds this lock, shared; whoever removes the tribe holds it alone.
-- So nobody writes a row that the removal does not see.
CREATE FUNCTION scratch_lock(name text) RETURNS bigint
LANGUAGE sql IMMUTABLE PARALLEL SAFE AS $$
    SELECT hashtextextended(name, 8);
$$;

CREATE OR REPLACE FUNCTION enter_tribe(name text) RETURNS void
LANGUAGE plpgsql VOLATILE AS $$
BEGIN
    IF starts_with(name, '~') THEN
        PERFORM pg_advisory_xact_lock_shared(scratch_lock(name));
        PERFORM FROM scratch_tribes s WHERE s.name = $1 AND s.expires_at > now();
        IF NOT FOUND THEN
            RAISE EXCEPTION USING ERRCODE = 'TS001', MESSAGE = 'the scratch tribe is gone';
        END IF;
    END IF;
    PERFORM set_config('tributary.tribe', name, true);
END $$;

-- As before, but the keys of a scratch tribe end with it.
CREATE OR REPLACE FUNCTION identify(key_hash bytea)
RETURNS TABLE (tribe text, agent text, role text)
LANGUAGE plpgsql VOLATILE SECURITY DEFINER SET search_path = public, pg_temp AS $$
DECLARE
    found agent_keys;
BEGIN
    SELECT k.* INTO found FROM agent_keys k
    LEFT JOIN scratch_tribes s ON s.name = k.tribe
    WHERE k.hash = key_hash AND (s.expires_at IS NULL OR s.expires_at > now());
    PERFORM set_config('tributary.tribe', coalesce(found.tribe, ''), true);
    RETURN QUERY
        SELECT a.tribe, a.name, a.role FROM agents a
        WHERE a.tribe = found.tribe AND a.name = found.agent AND a.revoked_at IS NULL;
END $$;

-- A new scratch tribe of the tribe that was entered, with its curator; null when it has `most`.
CREATE FUNCTION open_scratch(scratch text, curator text, key_hash bytea, life interval, most int)
RETURNS timestamptz
LANGUAGE plpgsql VOLATILE SECURITY DEFINER SET search_path = public, pg_temp AS $$
DECLARE
    asking text := current_tribe();
    ends timestamptz := now() + least(life, interval '1 hour');
BEGIN
    IF asking IS NULL OR starts_with(asking, '~') OR NOT starts_with(scratch, '~') THEN
        RAISE insufficient_privilege USING MESSAGE = 'no scratch tribe of this tribe';
    END IF;
    PERFORM pg_advisory_xact_lock(scratch_lock(asking)); -- else two could each be the last
    IF most <= (SELECT count(*) FROM scratch_tribes
                WHERE parent = asking AND expires_at > now()) THEN
        RETURN NULL;
    END IF;
    INSERT INTO tribes (name) VALUES (scratch);
    INSERT INTO scratch_tribes (name, parent, expires_at) VALUES (scratch, asking, ends);
    PERFORM set_config('tributary.tribe', scratch, true);
    PERFORM add_agent(scratch, curator, 'curator', key_hash);
    RETURN ends;
END $$;

-- Every row of a scratch tribe in every table, up to `batch` of a table in one call: answers the
-- numbers by table, and null when nothing of it is left. The first call shuts the tribe, for good.
-- The audit is append-only to everybody; this is the one exception.
CREATE FUNCTION remove_scratch(doomed text, batch int) RETURNS jsonb
LANGUAGE plpgsql VOLATILE SECURITY DEFINER SET search_path = public, pg_temp AS $$
DECLARE
    target text;
    number bigint;
    removed jsonb := '{}';
BEGIN
    IF NOT starts_with(doomed, '~') THEN
        RAISE insufficient_privilege USING MESSAGE = 'not a scratch tribe';
    END IF;
    -- The gate first: who waits for it takes a snapshot only afterwards.
    EXECUTE format('LOCK TABLE %I IN EXCLUSIVE MODE', 'gate_' || lpad(gate_of(doomed)::text, 2, '0'));
    PERFORM pg_advisory_xact_lock(scratch_lock(doomed));
    UPDATE scratch_tribes SET expires_at = '-infinity' WHERE name = doomed;
    IF NOT FOUND THEN
        RETURN NULL;
    END IF;
    PERFORM set_config('tributary.tribe', doomed, true);
    FOR target IN
        SELECT c.relname FROM pg_class c
        JOIN pg_attribute a ON a.attrelid = c.oid AND a.attname = 'tribe' AND NOT a.attisdropped
        WHERE c.relnamespace = 'public'::regnamespace AND c.relkind IN ('r', 'p')
          AND NOT c.relispartition
        ORDER BY c.relname = 'agents', c.relname -- keys refer to agents
    LOOP
        EXECUTE format(
            'DELETE FROM %1$I WHERE tribe = $1 AND ctid = ANY (ARRAY('
            ' SELECT ctid FROM %1$I WHERE tribe = $1 LIMIT $2))', target
        ) USING doomed, batch;
        GET DIAGNOSTICS number = ROW_COUNT;
        IF number > 0 THEN
            removed := removed || jsonb_build_object(target, number);
        END IF;
    END LOOP;
    IF removed = '{}' THEN
        DELETE FROM scratch_tribes WHERE name = doomed;
        DELETE FROM tribes WHERE name = doomed;
        RETURN NULL;
    END IF;
    RETURN removed;
END $$;

REVOKE ALL ON FUNCTION open_scratch, remove_scratch FROM PUBLIC;
GRANT EXECUTE ON FUNCTION open_scratch, remove_scratch TO tributary_app;
