"""The doctor on a real database: it finds it healthy, sees what is not, and leaves nothing."""

from collections.abc import Callable, Iterator
from dataclasses import replace

import psycopg
import pytest
from psycopg import Connection
from psycopg.conninfo import make_conninfo
from psycopg.rows import DictRow, dict_row

from tests.postgres.test_scratch_tribes import HOLDING_ROWS
from tests.support.fakes import ValueClassifier, WordEmbedder
from tests.support.sql import Admin, value
from tributary.adapters.embedding.onnx import OnnxEmbedder
from tributary.adapters.postgres.database import connector
from tributary.adapters.postgres.migrate import migrate
from tributary.doctor.catalogue import as_app, check_catalogue
from tributary.doctor.door import Load
from tributary.doctor.examine import Part, examine
from tributary.doctor.library import LibraryDoor
from tributary.doctor.paths import check_plans
from tributary.doctor.plans import ALL_ROWS
from tributary.doctor.report import Check, Held
from tributary.doctor.shipped import SHIPPED
from tributary.doctor.stored import Inside, explain_inside
from tributary.domain.errors import ConfigurationError
from tributary.domain.roles import Actor, Role
from tributary.edge.wiring import Wiring
from tributary.memory import APP_ROLE, Memory

LOAD = Load(learners=4, rounds=3)
BY_NAME = {one.name: one for one in SHIPPED}


def quietly(what: str, done: int, of: int) -> None:
    """A progress bar that nobody sees."""


@pytest.fixture
def door(dsn: str) -> Iterator[LibraryDoor]:
    """With the real model and classifier, as the command has them."""
    wiring = Wiring(connector(conninfo=dsn), OnnxEmbedder.load)
    yield LibraryDoor(wiring)
    wiring.database.close()


@pytest.fixture(scope="module")
def spoilt(new_database: Callable[..., str]) -> Iterator[tuple[Admin, str, str]]:
    """A database to spoil: its superuser, the DSN of the functions' role, and a filled tribe."""
    dsn = new_database()
    migrate(connector(conninfo=dsn))
    app = make_conninfo(dsn, user=APP_ROLE)
    wiring = Wiring(connector(conninfo=app), WordEmbedder, ValueClassifier)
    for tribe in ("ours", "theirs"):
        wiring.registry.found(tribe)
        Memory(wiring, Actor(tribe, "ada", Role.CURATOR)).learn("the billing port is 7001")
    with psycopg.connect(dsn, autocommit=True, row_factory=dict_row) as admin:
        yield admin, app, "ours"
    wiring.database.close()


@pytest.fixture
def spoil(spoilt: tuple[Admin, str, str]) -> Iterator[Callable[[str, str], Check]]:
    """Spoils the database with one statement, asks the doctor, and mends it with another."""
    admin, app, tribe = spoilt
    mending: list[str] = []

    def ask(statement: str, mend: str) -> Check:
        assert check_catalogue(connector(conninfo=app), tribe).details == ()
        admin.execute(statement)
        mending.append(mend)
        return check_catalogue(connector(conninfo=app), tribe)

    yield ask
    for mend in mending:
        admin.execute(mend)


def test_it_finds_the_database_healthy_and_leaves_nothing_in_any_table(
    door: LibraryDoor, admin: Admin
) -> None:
    report = examine(door, frozenset(Part), LOAD, quietly)
    assert [one.details for one in report.checks if one.held is not Held.OK] == []
    assert report.healthy
    assert len(report.checks) == 5 + len(SHIPPED)
    for row in admin.execute(HOLDING_ROWS, ("tribe",)).fetchall():
        counted = f"SELECT count(*) FROM {row['relname']} WHERE tribe IN ('doctor')"
        left = f"SELECT count(*) FROM {row['relname']} WHERE starts_with(tribe, '~')"
        assert value(admin, left) == value(admin, counted) == 0, row["relname"]
    for table in ("tribes", "scratch_tribes"):
        left = f"SELECT count(*) FROM {table} WHERE starts_with(name, '~') OR name = 'doctor'"
        assert value(admin, left) == 0, table


def test_its_figures_are_the_database_s(door: LibraryDoor) -> None:
    report = examine(door, frozenset({Part.CONTENTION}), LOAD, quietly)
    same, apart = report.checks
    assert (same.figures["learns"], apart.figures["learns"]) == (12, 12)
    assert (same.figures["split_rounds"], same.figures["lost_acknowledgements"]) == (0, 0)
    assert (apart.figures["retries"], apart.figures["reclassifications"]) == (0, 0)


def test_it_sees_a_split_in_the_tables(
    door: LibraryDoor, admin: Admin, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Somebody makes a superseded lesson active again, past the code, while learners race."""
    between = "tributary.doctor.race.Race.read_decisions"
    seen = []

    def meddle(self: object, progress: object) -> None:
        seen.append(
            admin.execute(
                "UPDATE lessons SET status = 'active', lineage = id WHERE (tribe, id) IN (SELECT"
                " tribe, id FROM lessons WHERE starts_with(tribe, '~') AND status = 'superseded'"
                " AND lineage <> id"
                " LIMIT 1)"
            ).rowcount
        )

    monkeypatch.setattr(between, meddle)
    report = examine(door, frozenset({Part.CONTENTION}), LOAD, quietly)
    same = report.checks[0]
    assert seen[0] == 1
    assert (same.held, same.figures["split_rounds"]) == (Held.FAILED, 1)
    assert int(same.figures["broken_chains"]) > 0
    assert int(same.figures["audit_gaps"]) > 0


@pytest.mark.parametrize(
    ("statement", "mend", "said"),
    [
        ("ALTER TABLE disputes NO FORCE ROW LEVEL SECURITY",
         "ALTER TABLE disputes FORCE ROW LEVEL SECURITY",
         "row security is not forced on disputes"),
        ("ALTER TABLE lessons DISABLE ROW LEVEL SECURITY",
         "ALTER TABLE lessons ENABLE ROW LEVEL SECURITY",
         "rows of lessons are seen without a tribe"),
        ("CREATE POLICY open ON memory_audit USING (true)",
         "DROP POLICY open ON memory_audit",
         "rows of memory_audit are seen in a tribe, of others"),
        ("CREATE TABLE forgotten (tribe text)", "DROP TABLE forgotten",
         "row security is not forced on forgotten"),
        ("GRANT SELECT ON agent_keys TO tributary_app",
         "REVOKE SELECT ON agent_keys FROM tributary_app",
         "tributary_app can read agent_keys"),
        ("GRANT SELECT ON memory_audit_07 TO tributary_app",
         "REVOKE SELECT ON memory_audit_07 FROM tributary_app",
         "reaches memory_audit_07 past the policy"),
        ("CREATE POLICY open ON lessons_07 USING (true)", "DROP POLICY open ON lessons_07",
         "reaches lessons_07 past the policy"),
        ("ALTER TABLE lessons_07 NO FORCE ROW LEVEL SECURITY",
         "ALTER TABLE lessons_07 FORCE ROW LEVEL SECURITY",
         "reaches lessons_07 past the policy"),
        ("ALTER TABLE disputes OWNER TO tributary_app", "ALTER TABLE disputes OWNER TO postgres",
         "tributary_app owns"),
        ("ALTER ROLE tributary_app CREATEDB", "ALTER ROLE tributary_app NOCREATEDB",
         "tributary_app has the attribute CREATEDB"),
    ],
)  # fmt: skip
def test_a_safeguard_that_is_missing_in_the_database_is_named(
    spoil: Callable[[str, str], Check], statement: str, mend: str, said: str
) -> None:
    found = spoil(statement, mend)
    assert found.held is Held.FAILED
    assert any(said in one for one in found.details), found.details


def test_a_login_that_passes_row_security_is_a_failure_that_says_what_to_do(
    spoilt: tuple[Admin, str, str], admin_dsn: str
) -> None:
    admin, _, tribe = spoilt
    superuser = make_conninfo(admin_dsn, dbname=admin.info.dbname)
    found = check_catalogue(connector(conninfo=superuser), tribe)
    assert found.held is Held.FAILED
    assert len(found.details) == 1
    assert "let programs log in as tributary_app" in found.details[0]


def test_what_is_looked_at_as_the_functions_role_changes_nothing(
    spoilt: tuple[Admin, str, str],
) -> None:
    admin, _, _ = spoilt
    with as_app(admin):
        assert value(admin, "SELECT current_user::text") == APP_ROLE
    assert value(admin, "SELECT current_user::text") == "postgres"


def test_a_login_that_may_not_become_the_functions_role_is_told_what_to_do(
    spoilt: tuple[Admin, str, str],
) -> None:
    admin, app, _ = spoilt
    admin.execute("CREATE ROLE doctor_stranger LOGIN")
    try:
        stranger = connector(conninfo=make_conninfo(app, user="doctor_stranger"))
        with stranger() as connection, pytest.raises(ConfigurationError, match="give a --dsn"):
            become(connection)
    finally:
        admin.execute("DROP ROLE doctor_stranger")


def become(connection: Connection[DictRow]) -> None:
    with as_app(connection):
        raise AssertionError("became it")


@pytest.mark.parametrize(
    ("shipped", "said"),
    [
        (replace(BY_NAME["candidates"], reads={"lesson_vectors": frozenset({"other_idx"})}),
         "lesson_vectors is read by"),
        (replace(BY_NAME["candidates"], reads={"disputes": frozenset({ALL_ROWS})}),
         "disputes is read by nothing at all"),
        (replace(BY_NAME["recall of a huge tribe"], never=("embedding",)), "is used"),
        (replace(BY_NAME["delta"], fragment="SELECT nothing"), "it is not where"),
        (replace(BY_NAME["recall"], inside=lambda _: Inside("no_such_function", "", {})),
         "there is no function no_such_function"),
    ],
)  # fmt: skip
def test_a_plan_that_is_not_the_intended_one_is_named(
    dsn: str, tribe: str, shipped: object, said: str
) -> None:
    actor = Actor(tribe, "ada", Role.CURATOR)
    (found,) = check_plans(connector(conninfo=dsn), actor, [shipped], lessons=3)  # type: ignore[list-item]
    assert found.held is Held.FAILED
    assert said in found.details[0]


def test_plans_are_read_as_the_functions_role_whoever_logs_in(admin_dsn: str, tribe: str) -> None:
    actor = Actor(tribe, "ada", Role.CURATOR)
    found = check_plans(connector(conninfo=admin_dsn), actor)
    assert [one.details for one in found if one.held is not Held.OK] == []


GATE = "SELECT gate_of('')"


def test_a_statement_inside_a_function_is_found_by_what_only_it_holds(admin: Admin) -> None:
    with admin.transaction(force_rollback=True):
        admin.execute(
            f"CREATE FUNCTION probed_{value(admin, GATE):02}(wanted text)"
            " RETURNS bigint LANGUAGE plpgsql SET enable_seqscan = off"
            " AS $$ DECLARE number bigint; BEGIN"
            " number := (SELECT count(*) FROM tribes t -- ; not the end\n"
            " WHERE t.name = wanted AND 1 = 1); RETURN (SELECT 2); END $$"
        )
        plan = explain_inside(admin, "", Inside("probed", "FROM tribes", {"wanted": "x"}))
        assert "tribes_pkey" in str(plan)
        for fragment, number in (("FROM lessons", 0), ("SELECT", 2)):
            with pytest.raises(LookupError, match=f"{number} statements hold"):
                explain_inside(admin, "", Inside("probed", fragment, {"wanted": "x"}))
