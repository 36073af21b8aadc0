"""Agents and their keys."""

import secrets
from collections.abc import Callable
from dataclasses import dataclass
from hashlib import sha256

from tributary.domain.errors import ConflictingStateError, InvalidInputError, NotFoundError
from tributary.domain.lesson import clean_name
from tributary.domain.roles import Actor, Role
from tributary.ports import Agent, Registry

PREFIX = "trib_"


@dataclass(frozen=True, slots=True)
class NewAgent:
    """An agent and its key, which is stored nowhere."""

    name: str
    role: Role
    key: str


@dataclass(frozen=True, slots=True)
class Agents:
    """Who may call."""

    registry: Registry
    random_text: Callable[[int], str] = secrets.token_urlsafe

    def found(self, tribe: str, agent: str) -> NewAgent:
        """Make a tribe, and its first curator. For operators: no key is needed.

        Raises InvalidInputError, and ConflictingStateError when the agent exists.
        """
        founder = Actor(clean_name(tribe, "tribe"), "operator", Role.CURATOR)
        clean_name(agent, "agent")
        self.registry.found(founder.tribe)
        return self.add(founder, agent, Role.CURATOR)

    def add(self, actor: Actor, name: str, role: Role) -> NewAgent:
        """Add an agent to the caller's tribe; a name is never given out twice."""
        actor.require(Role.CURATOR)
        key = PREFIX + self.random_text(32)
        if not self.registry.add_agent(actor.tribe, clean_name(name, "name"), role, key_hash(key)):
            raise ConflictingStateError("agent", name, "known already", "a new name")
        return NewAgent(name, role, key)

    def all(self, actor: Actor) -> tuple[Agent, ...]:
        """The agents of the caller's tribe, by name."""
        actor.require(Role.CURATOR)
        return self.registry.agents(actor.tribe)

    def revoke(self, actor: Actor, name: str) -> None:
        """End an agent's key. Raises NotFoundError; InvalidInputError for one's own name."""
        actor.require(Role.CURATOR)
        if name == actor.agent:
            raise InvalidInputError("name", "is your own: ask another curator to revoke it")
        if not self.registry.revoke(actor.tribe, clean_name(name, "name")):
            raise NotFoundError("agent", name)

    def identify(self, key: str) -> Actor | None:
        """Whose key this is; None for a wrong or revoked one."""
        return self.registry.identify(key_hash(key)) if key.startswith(PREFIX) else None


def key_hash(key: str) -> bytes:
    """SHA-256. A key has 256 random bits, so a slow hash would add nothing."""
    return sha256(key.encode("utf-8", "surrogatepass")).digest()
