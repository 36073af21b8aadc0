"""The functions that no caller sees: migrate and gardener."""

from collections.abc import Iterator
from typing import Any

import pytest
from psycopg.conninfo import conninfo_to_dict

from tests.functions.conftest import restart
from tests.functions.service import Service, function
from tests.support.events import authorization
from tests.support.fakes import FixedClassifier, StoppedClock, ValueClassifier
from tributary.adapters.classify import heuristic
from tributary.domain.errors import (
    ClassifierFailedError,
    ConfigurationError,
    ConflictingStateError,
    DatabaseUnavailableError,
    InvalidInputError,
)
from tributary.edge import login, runtime

LESSON = "/v1/lessons/{lesson_id}"


@pytest.fixture
def admin(monkeypatch: pytest.MonkeyPatch, admin_dsn: str) -> Iterator[None]:
    """The execution environment of migrate, which logs in as the owner of the schema."""
    restart()
    monkeypatch.setenv("TRIBUTARY_DB_USER", str(conninfo_to_dict(admin_dsn)["user"]))
    yield
    restart()


class Context:
    """Lambda's context with a fixed time left."""

    def __init__(self, milliseconds: int) -> None:
        self._milliseconds = milliseconds

    def get_remaining_time_in_millis(self) -> int:
        return self._milliseconds


def migrate(event: dict[str, Any], left: int = 1_000) -> dict[str, Any]:
    answer: dict[str, Any] = function("migrate")(event, Context(left))
    return answer


@pytest.mark.usefixtures("admin")
def test_migrating_a_migrated_database_changes_nothing() -> None:
    done = migrate({})
    assert (done["applied"], done["warnings"]) == ([], [])
    assert done["pgvector"].startswith("0.")


@pytest.mark.usefixtures("admin")
def test_founding_a_tribe_answers_with_its_first_curators_key(tribe: str, output: Any) -> None:
    added = migrate({"found": {"tribe": tribe, "agent": "ada"}})
    assert (added["tribe"], added["agent"], added["role"]) == (tribe, "ada", "curator")
    asked = function("authorizer")(authorization(f"Bearer {added['key']}"), None)
    assert asked["context"] == {"tribe": tribe, "agent": "ada", "role": "curator"}
    assert added["key"] not in output()
    with pytest.raises(ConflictingStateError):
        migrate({"found": {"tribe": tribe, "agent": "ada"}})


@pytest.mark.usefixtures("admin")
@pytest.mark.parametrize(
    ("field", "asked"),
    [
        ("found", None),
        ("found", []),
        ("found", "acme"),
        ("tribe", {}),
        ("tribe", {"tribe": "", "agent": "ada"}),
        ("tribe", {"tribe": "a b", "agent": "ada"}),
        ("tribe", {"tribe": 7, "agent": "ada"}),
        ("agent", {"tribe": "T"}),
        ("agent", {"tribe": "T", "agent": None}),
        ("agent", {"tribe": "T", "agent": ""}),
        ("agent", {"tribe": "T", "agent": "a b"}),
    ],
)
def test_a_tribe_that_cannot_be_founded_is_not_half_founded(
    tribe: str, field: str, asked: Any
) -> None:
    if isinstance(asked, dict) and asked.get("tribe") == "T":
        asked = asked | {"tribe": tribe}
    with pytest.raises(InvalidInputError) as caught:
        migrate({"found": asked})
    assert caught.value.field == field
    assert tribe not in runtime.wiring().registry.tribes()


@pytest.fixture
def garden(monkeypatch: pytest.MonkeyPatch, service: Service) -> Any:
    """The gardener's function, with no tribe in its garden but this test's."""
    wiring = runtime.wiring()
    monkeypatch.setattr(wiring, "make_classifier", ValueClassifier)
    monkeypatch.setattr(type(wiring.registry), "tribes", lambda self: (service.tribe,))

    def run(event: dict[str, Any] | None = None, left: int = 300_000) -> dict[str, Any]:
        done: dict[str, Any] = function("gardener")(event or {}, Context(left))
        return done

    return run


def test_the_gardener_reports_what_it_did(garden: Any, learnt: Any, logs: Any) -> None:
    logs()
    done = garden()
    assert done == {
        "tribes": 1,
        "strengthened": 0,
        "weakened": 0,
        "retired": [],
        "settled": 0,
        "parked": 0,
        "finished": True,
        "scratch_removed": 0,
    }
    (line,) = logs()
    assert (line["message"], line["retired"], line["tribes"]) == ("gardened", 0, 1)


def park(service: Service, monkeypatch: pytest.MonkeyPatch, content: str) -> dict[str, Any]:
    """Learn it while the classifier fails."""
    failing = FixedClassifier(ClassifierFailedError("busy"))
    with monkeypatch.context() as broken:
        broken.setattr(heuristic, "HeuristicClassifier", lambda: failing)
        runtime.classify.cache_clear()
        parked = service.ok("POST /v1/learn", {"content": content})
    runtime.classify.cache_clear()
    assert parked["outcome"] == "pending"
    return parked


def test_the_gardener_settles_what_was_parked(
    garden: Any, service: Service, learnt: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    parked = park(service, monkeypatch, "billing API port is 7002")
    assert garden({"dry_run": True})["parked"] == 1
    done = garden()
    assert (done["settled"], done["parked"]) == (1, 0)
    row = service.ok(f"GET {LESSON}", path={"lesson_id": parked["lesson_id"]})
    assert (row["status"], row["supersedes"]) == ("active", learnt["lesson_id"])
    assert garden()["settled"] == 0


def test_the_gardener_folds_recalls_into_strength_once(
    garden: Any, service: Service, learnt: Any
) -> None:
    service.ok("POST /v1/recall", {"query": "billing port"})
    assert garden({"dry_run": True})["strengthened"] == 1
    assert [garden()["strengthened"] for _ in range(2)] == [1, 0]
    row = service.ok(f"GET {LESSON}", path={"lesson_id": learnt["lesson_id"]})
    assert row["strength"] == pytest.approx(31.5)


def test_a_gardener_without_time_leaves_it_to_the_next_run(garden: Any, learnt: Any) -> None:
    done = garden(left=20_000)
    assert (done["finished"], done["tribes"]) == (False, 0)


def test_a_wrong_environment_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    restart()
    monkeypatch.setenv("TRIBUTARY_DB_PORT", "many")
    with pytest.raises(ConfigurationError, match="TRIBUTARY_DB_PORT"):
        migrate({})


def test_an_operators_function_without_a_database_says_so(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    restart()
    monkeypatch.setenv("TRIBUTARY_DB_HOST", "/nowhere")
    with pytest.raises(DatabaseUnavailableError):
        migrate({})


@pytest.mark.usefixtures("admin")
def test_migrating_waits_for_a_database_that_is_not_up_yet(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    clock = StoppedClock()
    monkeypatch.setattr(runtime.wiring(), "clock", clock)
    connect, refusals = login.database(runtime.settings()), iter(range(3))

    def refusing(settings: object) -> Any:
        def opened() -> Any:
            if next(refusals, None) is not None:
                raise DatabaseUnavailableError("no connection")
            return connect()

        return opened

    monkeypatch.setattr(login, "database", refusing)
    assert migrate({}, left=300_000)["applied"] == []
    assert clock.slept == [10, 10, 10]
