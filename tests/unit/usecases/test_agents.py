"""Agents and their keys, over a registry in memory."""

from dataclasses import dataclass, field
from datetime import UTC, datetime
from hashlib import sha256

import pytest

from tributary.domain.errors import (
    ConflictingStateError,
    ForbiddenError,
    InvalidInputError,
    NotFoundError,
)
from tributary.domain.roles import Actor, Role
from tributary.ports import Agent
from tributary.usecases.agents import PREFIX, Agents, key_hash

CURATOR = Actor("acme", "ada", Role.CURATOR)
NOW = datetime(2026, 1, 1, tzinfo=UTC)


@dataclass
class MemoryRegistry:
    """Implements ports.Registry."""

    founded: list[str] = field(default_factory=list)
    kept: dict[tuple[str, str], tuple[Role, bytes, datetime | None]] = field(default_factory=dict)

    def found(self, tribe: str) -> None:
        self.founded.append(tribe)

    def tribes(self) -> tuple[str, ...]:
        return tuple(self.founded)

    def add_agent(self, tribe: str, name: str, role: Role, key_hash: bytes) -> bool:
        if (tribe, name) in self.kept:
            return False
        self.kept[tribe, name] = (role, key_hash, None)
        return True

    def agents(self, tribe: str) -> tuple[Agent, ...]:
        mine = sorted((name, row) for (where, name), row in self.kept.items() if where == tribe)
        return tuple(Agent(name, role, NOW, revoked) for name, (role, _, revoked) in mine)

    def revoke(self, tribe: str, name: str) -> bool:
        if (tribe, name) not in self.kept:
            return False
        role, digest, _ = self.kept[tribe, name]
        self.kept[tribe, name] = (role, digest, NOW)
        return True

    def identify(self, key_hash: bytes) -> Actor | None:
        for (tribe, name), (role, digest, revoked) in self.kept.items():
            if digest == key_hash and revoked is None:
                return Actor(tribe, name, role)
        return None


@pytest.fixture
def registry() -> MemoryRegistry:
    return MemoryRegistry()


@pytest.fixture
def agents(registry: MemoryRegistry) -> Agents:
    return Agents(registry)


def test_a_key_identifies_the_agent_it_was_made_for(agents: Agents) -> None:
    added = agents.add(CURATOR, "bob", Role.WRITER)
    assert agents.identify(added.key) == Actor("acme", "bob", Role.WRITER)


def test_only_the_hash_of_a_key_is_kept(agents: Agents, registry: MemoryRegistry) -> None:
    key = agents.add(CURATOR, "bob", Role.WRITER).key
    assert key.startswith(PREFIX)
    assert len(key) >= len(PREFIX) + 43  # 256 bits in base64
    assert registry.kept["acme", "bob"][1] == sha256(key.encode()).digest()
    assert key not in repr(registry)


def test_two_keys_are_never_alike(agents: Agents) -> None:
    keys = {agents.add(CURATOR, f"agent-{number}", Role.READER).key for number in range(50)}
    assert len(keys) == 50


@pytest.mark.parametrize(
    "key", ["", "trib_", "trib_wrong", "wrong", "Trib_x", "caf\u00e9", "trib_\ud800", "trib_\0"]
)
def test_any_other_key_identifies_nobody(agents: Agents, key: str) -> None:
    agents.add(CURATOR, "bob", Role.WRITER)
    assert agents.identify(key) is None


def test_text_without_our_prefix_is_not_even_looked_up(
    agents: Agents, registry: MemoryRegistry
) -> None:
    registry.kept["acme", "bob"] = (Role.CURATOR, key_hash("stolen"), None)
    assert agents.identify("stolen") is None


def test_a_revoked_key_identifies_nobody(agents: Agents) -> None:
    key = agents.add(CURATOR, "bob", Role.WRITER).key
    agents.revoke(CURATOR, "bob")
    assert agents.identify(key) is None
    assert agents.all(CURATOR)[0].revoked_at == NOW


def test_a_name_is_never_given_out_twice(agents: Agents) -> None:
    agents.add(CURATOR, "bob", Role.WRITER)
    agents.revoke(CURATOR, "bob")
    with pytest.raises(ConflictingStateError):
        agents.add(CURATOR, "bob", Role.CURATOR)
    assert agents.add(Actor("other", "ada", Role.CURATOR), "bob", Role.READER).name == "bob"


def test_a_curator_cannot_lock_itself_out(agents: Agents) -> None:
    with pytest.raises(InvalidInputError) as caught:
        agents.revoke(CURATOR, "ada")
    assert caught.value.field == "name"


def test_agents_of_other_tribes_are_out_of_reach(agents: Agents) -> None:
    agents.add(CURATOR, "bob", Role.WRITER)
    stranger = Actor("acme-corp", "ada", Role.CURATOR)
    assert agents.all(stranger) == ()
    with pytest.raises(NotFoundError):
        agents.revoke(stranger, "bob")


@pytest.mark.parametrize("role", [Role.READER, Role.WRITER])
def test_only_a_curator_sees_or_changes_agents(agents: Agents, role: Role) -> None:
    actor = Actor("acme", "bob", role)
    for call in (
        lambda: agents.all(actor),
        lambda: agents.add(actor, "eve", Role.READER),
        lambda: agents.revoke(actor, "ada"),
    ):
        with pytest.raises(ForbiddenError):
            call()


def test_a_tribe_is_founded_with_a_curator(agents: Agents, registry: MemoryRegistry) -> None:
    founded = agents.found("acme", "ada")
    assert registry.founded == ["acme"]
    assert agents.identify(founded.key) == CURATOR


@pytest.mark.parametrize(
    ("field_", "tribe", "agent"),
    [
        ("tribe", "a b", "ada"),
        ("tribe", "", "ada"),
        ("agent", "acme", "a b"),
        ("agent", "acme", ""),
    ],
)
def test_a_tribe_is_not_half_founded(
    agents: Agents, registry: MemoryRegistry, field_: str, tribe: str, agent: str
) -> None:
    with pytest.raises(InvalidInputError) as caught:
        agents.found(tribe, agent)
    assert caught.value.field == field_
    assert (registry.founded, registry.kept) == ([], {})


def test_founding_again_does_not_hand_out_another_key(agents: Agents) -> None:
    agents.found("acme", "ada")
    with pytest.raises(ConflictingStateError):
        agents.found("acme", "ada")
