"""Agents and their keys, as the database keeps them."""

import pytest
from psycopg import errors

from tests.support.sql import value
from tributary.domain.errors import ConflictingStateError, InvalidInputError, NotFoundError
from tributary.domain.roles import Actor, Role
from tributary.usecases.agents import PREFIX, key_hash


@pytest.fixture
def agents(wirings):
    return wirings().agents


@pytest.fixture
def boss(tribe):
    return Actor(tribe, "boss", Role.CURATOR)


@pytest.fixture
def key(agents, tribe):
    """The first curator's key."""
    return agents.found(tribe, "boss").key


def test_a_key_says_whose_it_is_in_which_tribe_and_role(agents, key, boss):
    assert agents.identify(key) == boss
    for role in Role:
        made = agents.add(boss, f"agent-{role.label}", role)
        assert agents.identify(made.key) == Actor(boss.tribe, made.name, role)


def test_a_key_is_stored_as_a_hash_and_nowhere_else(agents, key, boss, admin):
    assert key.startswith(PREFIX)
    assert value(admin, "SELECT count(*) FROM agent_keys WHERE hash = %s", key_hash(key)) == 1
    assert value(admin, "SELECT count(*) FROM agents a WHERE a::text LIKE %s", f"%{key}%") == 0
    assert value(admin, "SELECT count(*) FROM agent_keys k WHERE k::text LIKE %s", f"%{key}%") == 0


@pytest.mark.parametrize("wrong", ["", "trib_", "trib_wrong", "trib_\ud800", "Bearer x"])
def test_a_wrong_key_is_nobodys(agents, key, wrong):
    assert agents.identify(wrong) is None
    assert agents.identify(key[:-1]) is None
    assert agents.identify(key + "x") is None


def test_a_revoked_key_is_nobodys_at_once(agents, key, boss):
    bob = agents.add(boss, "bob", Role.WRITER)
    agents.revoke(boss, "bob")
    assert agents.identify(bob.key) is None
    listed = {one.name: one.revoked_at is None for one in agents.all(boss)}
    assert listed == {"bob": False, "boss": True}


def test_a_name_in_use_is_not_given_out_again(agents, key, boss):
    bob = agents.add(boss, "bob", Role.WRITER)
    with pytest.raises(ConflictingStateError):
        agents.add(boss, "bob", Role.READER)
    assert agents.identify(bob.key).role is Role.WRITER


def test_a_revoked_agent_comes_back_with_another_key_and_role(agents, key, boss):
    old = agents.add(boss, "bob", Role.WRITER)
    agents.revoke(boss, "bob")
    new = agents.add(boss, "bob", Role.READER)
    assert agents.identify(old.key) is None
    assert agents.identify(new.key) == Actor(boss.tribe, "bob", Role.READER)
    with pytest.raises(ConflictingStateError):
        agents.add(boss, "bob", Role.READER)


def test_revoking_again_keeps_the_first_date(agents, key, boss):
    agents.add(boss, "bob", Role.WRITER)
    agents.revoke(boss, "bob")
    (first, _) = agents.all(boss)
    agents.revoke(boss, "bob")
    assert agents.all(boss)[0] == first


def test_nobody_revokes_an_unknown_agent_or_themselves(agents, key, boss):
    with pytest.raises(NotFoundError):
        agents.revoke(boss, "nobody")
    with pytest.raises(InvalidInputError, match="name"):
        agents.revoke(boss, "boss")
    assert agents.identify(key) == boss


def test_agents_of_another_tribe_are_neither_seen_nor_revoked(agents, key, boss, tribe):
    theirs = agents.found(f"{tribe}-2", "bob")
    other = Actor(f"{tribe}-2", "bob", Role.CURATOR)
    with pytest.raises(NotFoundError):
        agents.revoke(boss, "bob")
    assert [one.name for one in agents.all(boss)] == ["boss"]
    assert agents.identify(theirs.key) == other
    assert agents.add(boss, "bob", Role.READER).name == "bob"  # the same name, another agent


def test_identifying_leaves_the_connection_in_no_tribe(wirings, agents, key):
    wiring = wirings()
    wiring.agents.identify(key)
    with wiring.database.outside_tribes() as connection:
        assert value(connection, "SELECT current_tribe()") is None
        assert value(connection, "SELECT count(*) FROM agents") == 0


def test_an_agent_cannot_be_added_to_a_tribe_that_was_not_entered(app, tribe, boss, key):
    with app.transaction(force_rollback=True):
        app.execute("SELECT enter_tribe(%s)", (f"{tribe}-2",))
        with pytest.raises(errors.InsufficientPrivilege, match="another tribe"):
            app.execute("SELECT add_agent(%s, 'eve', 'curator', 'x')", (tribe,))
