"""Scratch tribes: what they are, how they end, and that nothing of them is left."""

from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from datetime import timedelta

import pytest
from psycopg import errors, sql

from tests.support.sql import Admin, eventually, value, waiting
from tributary.domain.errors import ConflictingStateError, ForbiddenError, InvalidInputError
from tributary.domain.roles import Actor, Role
from tributary.edge.wiring import Wiring
from tributary.memory import Memory
from tributary.usecases import scratch as limits
from tributary.usecases.agents import key_hash
from tributary.usecases.scratch import LIFE, MOST, Scratch, ScratchTribe

HOLDING_ROWS = """
SELECT c.relname FROM pg_class c JOIN pg_attribute a ON a.attrelid = c.oid AND a.attname = %s
WHERE c.relnamespace = 'public'::regnamespace AND c.relkind IN ('r', 'p') AND NOT c.relispartition
"""


def rows_of(admin: Admin, tribe: str) -> dict[str, int]:
    """How many rows of the tribe there are, by table, wherever the catalogue knows of a place."""
    places = [(row["relname"], "tribe") for row in admin.execute(HOLDING_ROWS, ("tribe",))]
    places += [("tribes", "name"), ("scratch_tribes", "name")]
    assert len(places) >= 13
    counts = {
        table: value(
            admin,
            sql.SQL("SELECT count(*) FROM {} WHERE {} = %s")
            .format(sql.Identifier(table), sql.Identifier(column))
            .as_string(),
            tribe,
        )
        for table, column in places
    }
    return {table: number for table, number in counts.items() if number}


@pytest.fixture
def curator(tribe: str) -> Actor:
    return Actor(tribe, "ada", Role.CURATOR)


@pytest.fixture
def opened(wiring: Wiring, curator: Actor) -> ScratchTribe:
    """A scratch tribe of this test's tribe."""
    return wiring.scratch.open(curator)


@pytest.fixture
def inside(opened: ScratchTribe) -> Actor:
    """Its curator."""
    return Actor(opened.tribe, "curator", Role.CURATOR)


@pytest.fixture
def expire(admin: Admin) -> Callable[[str], None]:
    """An hour passes for one scratch tribe."""

    def expire(tribe: str) -> None:
        admin.execute(
            "UPDATE scratch_tribes SET expires_at = now() - interval '1 s' WHERE name = %s",
            (tribe,),
        )

    return expire


@pytest.fixture(autouse=True)
def swept(wiring: Wiring, curator: Actor, admin: Admin) -> Iterator[None]:
    yield
    for row in admin.execute("SELECT name FROM scratch_tribes").fetchall():
        wiring.scratch.remove(Actor(row["name"], "x", Role.CURATOR))


def fill(wiring: Wiring, tribe: str) -> None:
    """A row at least in every table that holds rows of tribes."""
    ada, bob = (
        Memory(wiring, Actor(tribe, name, role))
        for name, role in (("ada", Role.CURATOR), ("bob", Role.WRITER))
    )
    ada.learn("the billing port is 7001", idempotency_key="k", tags=["ops"])
    learned = ada.learn("the billing port is 7002")
    ada.learn("the billing port is 7002")
    bob.learn("the billing port is 7003")
    ada.recall("billing port")
    wiring.agents.add(Actor(tribe, "ada", Role.CURATOR), "eve", Role.READER)
    wiring.store.take_lease(tribe, learned.lesson_id, learned.decision_id, 3_600)


def test_its_key_is_a_curators_and_ends_within_the_hour(
    wiring: Wiring, curator: Actor, opened: ScratchTribe, admin: Admin
) -> None:
    assert opened.tribe.startswith("~")
    assert len(opened.tribe) > 30
    found = wiring.agents.identify(opened.key)
    assert found == Actor(opened.tribe, "curator", Role.CURATOR)
    left = opened.expires_at - value(admin, "SELECT now()")
    assert LIFE - timedelta(minutes=10) < left <= LIFE
    assert wiring.scratch.open(curator).tribe != opened.tribe


def test_no_lasting_tribe_can_have_such_a_name(wiring: Wiring, dsn: str) -> None:
    with pytest.raises(InvalidInputError, match="tribe"):
        wiring.agents.found("~mine", "ada")
    with pytest.raises(InvalidInputError, match="tribe"):
        Memory.open(dsn, tribe="~mine")


def test_nothing_of_it_is_left_in_any_table(
    wiring: Wiring, opened: ScratchTribe, inside: Actor, admin: Admin
) -> None:
    fill(wiring, opened.tribe)
    before = rows_of(admin, opened.tribe)
    names = {row["relname"] for row in admin.execute(HOLDING_ROWS, ("tribe",))}
    assert set(before) == names | {"tribes", "scratch_tribes"}
    removed = wiring.scratch.remove(inside)
    assert removed.finished
    assert rows_of(admin, opened.tribe) == {}
    # A trigger removes the words of a lesson together with its vector.
    assert set(removed.rows) | {"lesson_words"} == names
    assert {table: before[table] for table in removed.rows} == removed.rows


def test_other_tribes_keep_every_row(
    wiring: Wiring, tribe: str, curator: Actor, inside: Actor, admin: Admin
) -> None:
    wiring.registry.found(tribe)
    fill(wiring, tribe)
    other = wiring.scratch.open(curator)
    fill(wiring, other.tribe)
    before = rows_of(admin, tribe), rows_of(admin, other.tribe)
    fill(wiring, inside.tribe)
    wiring.scratch.remove(inside)
    assert (rows_of(admin, tribe), rows_of(admin, other.tribe)) == before


def test_more_rows_than_fit_a_transaction_take_several(
    wiring: Wiring, inside: Actor, admin: Admin, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(limits, "BATCH", 2)
    fill(wiring, inside.tribe)
    before = rows_of(admin, inside.tribe)
    removed = wiring.scratch.remove(inside)
    assert removed.rows["memory_audit"] == before["memory_audit"] > 2
    assert rows_of(admin, inside.tribe) == {}


def test_what_one_call_cannot_finish_is_shut_and_removed_by_the_gardener(
    wiring: Wiring,
    opened: ScratchTribe,
    inside: Actor,
    admin: Admin,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    fill(wiring, opened.tribe)
    monkeypatch.setattr(limits, "BATCH", 1)
    monkeypatch.setattr(limits, "MAX_BATCHES", 1)
    assert not wiring.scratch.remove(inside).finished
    assert "lessons" in rows_of(admin, opened.tribe)
    assert wiring.agents.identify(opened.key) is None
    monkeypatch.undo()
    assert wiring.scratch.sweep() == 1
    assert rows_of(admin, opened.tribe) == {}


def test_it_expires_for_its_key_and_for_everybody_in_it(
    wiring: Wiring, opened: ScratchTribe, inside: Actor, expire: Callable[[str], None]
) -> None:
    memory = Memory(wiring, inside)
    memory.learn("the billing port is 7001")
    expire(opened.tribe)
    assert wiring.agents.identify(opened.key) is None
    with pytest.raises(ConflictingStateError, match="removed"):
        memory.learn("the billing port is 7002")
    with pytest.raises(ConflictingStateError, match="removed"):
        memory.recall("billing port")


def test_expired_ones_are_swept_and_the_others_are_not(
    wiring: Wiring, curator: Actor, opened: ScratchTribe, expire: Callable[[str], None],
    admin: Admin,
) -> None:  # fmt: skip
    alive = wiring.scratch.open(curator)
    fill(wiring, opened.tribe)
    fill(wiring, alive.tribe)
    expire(opened.tribe)
    assert wiring.scratch.sweep() == 1
    assert rows_of(admin, opened.tribe) == {}
    assert "lessons" in rows_of(admin, alive.tribe)


def test_opening_another_removes_what_has_expired(
    wiring: Wiring, curator: Actor, opened: ScratchTribe, expire: Callable[[str], None],
    admin: Admin,
) -> None:  # fmt: skip
    fill(wiring, opened.tribe)
    expire(opened.tribe)
    wiring.scratch.open(curator)
    assert rows_of(admin, opened.tribe) == {}


def test_a_tribe_has_eight_at_once_and_the_ninth_says_what_to_do(
    wirings: Callable[..., Wiring], curator: Actor, admin: Admin, expire: Callable[[str], None]
) -> None:
    """Sixteen ask at the same moment, on connections of their own."""

    def ask(wiring: Wiring) -> str | None:
        try:
            return wiring.scratch.open(curator).tribe
        except ConflictingStateError:
            return None

    asking = [wirings() for _ in range(2 * MOST)]
    with ThreadPoolExecutor(len(asking)) as pool:
        got = [tribe for tribe in pool.map(ask, asking) if tribe]
    assert len(got) == MOST
    with pytest.raises(ConflictingStateError, match=r"limit of 8.*remove one"):
        asking[0].scratch.open(curator)
    assert asking[0].scratch.open(Actor("elsewhere", "ada", Role.CURATOR)).tribe
    expire(got[0])
    assert ask(asking[0]) is not None
    assert value(admin, "SELECT count(*) FROM scratch_tribes WHERE parent = %s", curator.tribe) == 8


def test_only_a_curator_opens_or_removes_one(wiring: Wiring, opened: ScratchTribe) -> None:
    for tribe in ("acme", opened.tribe):
        writer = Actor(tribe, "bob", Role.WRITER)
        with pytest.raises(ForbiddenError):
            wiring.scratch.open(writer)
        with pytest.raises(ForbiddenError):
            wiring.scratch.remove(writer)


def test_a_lasting_tribe_is_never_removed(
    wiring: Wiring, curator: Actor, tribe: str, admin: Admin, app: Admin
) -> None:
    wiring.registry.found(tribe)
    fill(wiring, tribe)
    before = rows_of(admin, tribe)
    with pytest.raises(ConflictingStateError, match="a lasting tribe"):
        wiring.scratch.remove(curator)
    with pytest.raises(errors.InsufficientPrivilege, match="not a scratch tribe"):
        app.execute("SELECT remove_scratch(%s, 100)", (tribe,))
    assert rows_of(admin, tribe) == before


def test_a_scratch_tribe_has_no_scratch_tribes(wiring: Wiring, inside: Actor, app: Admin) -> None:
    with pytest.raises(ConflictingStateError, match="a scratch tribe"):
        wiring.scratch.open(inside)
    with app.transaction(force_rollback=True):
        app.execute("SELECT enter_tribe(%s)", (inside.tribe,))
        with pytest.raises(errors.InsufficientPrivilege):
            app.execute("SELECT open_scratch('~x', 'curator', '', '1 h', 8)")


def test_the_database_itself_bounds_its_life(app: Admin, tribe: str, admin: Admin) -> None:
    with app.transaction():
        app.execute("SELECT enter_tribe(%s)", (tribe,))
        opened = f"~{tribe}"
        app.execute(
            "SELECT open_scratch(%s, 'curator', %s, '7 days', 8)", (opened, key_hash(opened))
        )
    left = value(admin, "SELECT expires_at - now() FROM scratch_tribes WHERE name = %s", opened)
    assert left <= LIFE


def test_the_audit_stays_append_only_inside_a_scratch_tribe(app: Admin, inside: Actor) -> None:
    with app.transaction(force_rollback=True):
        app.execute("SELECT enter_tribe(%s)", (inside.tribe,))
        with pytest.raises(errors.InsufficientPrivilege):
            app.execute("DELETE FROM memory_audit")


def test_the_removal_waits_for_whoever_is_inside_and_later_ones_find_it_gone(
    wirings: Callable[..., Wiring], opened: ScratchTribe, inside: Actor, admin: Admin, app: Admin
) -> None:
    remover, late = wirings(), wirings()
    receipt = "INSERT INTO recall_receipts VALUES (%s, gen_random_uuid(), 'ada', now(), 1, '{}')"
    with ThreadPoolExecutor(2) as pool:
        with app.transaction():
            app.execute("SELECT enter_tribe(%s)", (opened.tribe,))
            removing = pool.submit(remover.scratch.remove, inside)
            eventually(admin, lambda: waiting(admin, "advisory") == 1)
            learning = pool.submit(Memory(late, inside).learn, "the billing port is 7001")
            eventually(admin, lambda: waiting(admin, "advisory") == 2)
            app.execute(receipt, (opened.tribe,))
        assert removing.result(60).rows["recall_receipts"] == 1
        with pytest.raises(ConflictingStateError, match="removed"):
            learning.result(60)
    assert rows_of(admin, opened.tribe) == {}


def test_a_learner_that_waits_at_the_gate_finds_it_gone(
    wirings: Callable[..., Wiring], wiring: Wiring, opened: ScratchTribe, inside: Actor,
    admin: Admin, app: Admin,
) -> None:  # fmt: skip
    """The commit of a learn is queued behind the removal, and would be the last to write."""
    memory = Memory(wiring, inside)
    memory.learn("the billing port is 7001")
    gate = value(admin, "SELECT gate_of(%s)", opened.tribe)
    with ThreadPoolExecutor(2) as pool:
        with app.transaction():
            app.execute(f"LOCK TABLE gate_{gate:02} IN EXCLUSIVE MODE")
            removing = pool.submit(wirings().scratch.remove, inside)
            eventually(admin, lambda: waiting(admin, "relation") == 1)
            learning = pool.submit(memory.learn, "the port of orders is 7002")
            eventually(admin, lambda: waiting(admin, "relation") == 2)
        assert removing.result(60).finished
        with pytest.raises(ConflictingStateError, match="removed"):
            learning.result(60)
    assert rows_of(admin, opened.tribe) == {}


def test_the_gardener_does_not_visit_it(wiring: Wiring, opened: ScratchTribe, tribe: str) -> None:
    wiring.registry.found(tribe)
    assert opened.tribe not in wiring.registry.tribes()
    assert tribe in wiring.registry.tribes()


def test_names_and_keys_come_from_injected_chance(wiring: Wiring, curator: Actor) -> None:
    said = {24: "name", 32: "key"}
    opened = Scratch(wiring.scratch.store, said.__getitem__).open(curator)
    assert (opened.tribe, opened.key) == ("~name", "trib_key")
