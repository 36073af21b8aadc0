-- The functions log in as a role that owns nothing and cannot change the schema.
-- Roles belong to the whole server, so two databases of one server may race here.
DO $$
BEGIN
    CREATE ROLE tributary_app LOGIN;
EXCEPTION WHEN duplicate_object OR unique_violation THEN
    NULL;
END $$;

-- A session `SET` would pin the connection in RDS Proxy, so limits belong to the role ...
DO $$
BEGIN
    ALTER ROLE tributary_app SET statement_timeout = '15s';
    ALTER ROLE tributary_app SET lock_timeout = '5s';
    ALTER ROLE tributary_app SET transaction_timeout = '20s';
    ALTER ROLE tributary_app SET idle_in_transaction_session_timeout = '10s';
EXCEPTION WHEN OTHERS THEN
    -- "tuple concurrently updated": another migration of this server sets the same values.
    IF SQLERRM NOT LIKE 'tuple concurrently updated%' THEN
        RAISE;
    END IF;
END $$;

CREATE EXTENSION IF NOT EXISTS vector;

-- ... and planner settings to the database.
DO $$
BEGIN
    -- Any use of the extension loads it. Before that only a superuser may set what it defines.
    PERFORM '[1]'::vector;
    EXECUTE format('ALTER DATABASE %I SET jit = off', current_database());
    EXECUTE format('ALTER DATABASE %I SET timezone = %L', current_database(), 'UTC');
    EXECUTE format('ALTER DATABASE %I SET hnsw.iterative_scan = %L', current_database(),
                   'relaxed_order');
    -- On RDS a role may log in with an IAM token only as a member of rds_iam.
    IF EXISTS (SELECT FROM pg_roles WHERE rolname = 'rds_iam') THEN
        GRANT rds_iam TO tributary_app;
    END IF;
    EXECUTE format('GRANT CONNECT ON DATABASE %I TO tributary_app', current_database());
    EXECUTE format('REVOKE TEMPORARY ON DATABASE %I FROM PUBLIC', current_database());
END $$;
