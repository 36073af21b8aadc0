CREATE TABLE tribes (
    name text PRIMARY KEY,
    created_at timestamptz NOT NULL DEFAULT now()
);

CREATE TABLE agents (
    tribe text NOT NULL REFERENCES tribes (name),
    name text NOT NULL,
    role text NOT NULL CHECK (role IN ('reader', 'writer', 'curator')),
    created_at timestamptz NOT NULL DEFAULT now(),
    revoked_at timestamptz,
    PRIMARY KEY (tribe, name)
);

-- Read before the tribe is known, so it has no row security: no role but the owner reads it.
CREATE TABLE agent_keys (
    hash bytea PRIMARY KEY,
    tribe text NOT NULL,
    agent text NOT NULL,
    FOREIGN KEY (tribe, agent) REFERENCES agents (tribe, name)
);

-- Inside a function the setting does not pin RDS Proxy; `true` ends it with the transaction.
CREATE FUNCTION enter_tribe(name text) RETURNS void
LANGUAGE sql VOLATILE AS $$
    SELECT set_config('tributary.tribe', name, true);
$$;

CREATE FUNCTION current_tribe() RETURNS text
LANGUAGE sql STABLE PARALLEL SAFE AS $$
    SELECT nullif(current_setting('tributary.tribe', true), '');
$$;

CREATE FUNCTION identify(key_hash bytea)
RETURNS TABLE (tribe text, agent text, role text)
LANGUAGE plpgsql VOLATILE SECURITY DEFINER SET search_path = public, pg_temp AS $$
DECLARE
    found agent_keys;
BEGIN
    SELECT * INTO found FROM agent_keys k WHERE k.hash = key_hash;
    PERFORM enter_tribe(coalesce(found.tribe, ''));
    RETURN QUERY
        SELECT a.tribe, a.name, a.role FROM agents a
        WHERE a.tribe = found.tribe AND a.name = found.agent AND a.revoked_at IS NULL;
END $$;

CREATE FUNCTION add_agent(new_tribe text, new_name text, new_role text, key_hash bytea)
RETURNS boolean
LANGUAGE plpgsql VOLATILE SECURITY DEFINER SET search_path = public, pg_temp AS $$
BEGIN
    IF new_tribe IS DISTINCT FROM current_tribe() THEN
        RAISE insufficient_privilege USING MESSAGE = 'another tribe';
    END IF;
    INSERT INTO agents (tribe, name, role) VALUES (new_tribe, new_name, new_role)
        ON CONFLICT (tribe, name) DO UPDATE SET role = excluded.role, revoked_at = NULL
        WHERE agents.revoked_at IS NOT NULL;
    IF NOT FOUND THEN
        RETURN false;
    END IF;
    -- A revoked agent comes back with a new key; the old one stays without effect.
    DELETE FROM agent_keys k WHERE k.tribe = new_tribe AND k.agent = new_name;
    INSERT INTO agent_keys (hash, tribe, agent) VALUES (key_hash, new_tribe, new_name);
    RETURN true;
END $$;
