"""How a learn gets its ids."""

from hashlib import sha256
from uuid import UUID

from tributary.domain.errors import InvalidInputError
from tributary.domain.lesson import Draft
from tributary.domain.roles import Actor, Role
from tributary.ports import Attempt, Ids

MAX_KEY = 200  # characters


def new_attempt(actor: Actor, draft: Draft, ids: Ids, key: str | None = None) -> Attempt:
    """A writer's attempt. Raises ForbiddenError, InvalidInputError (idempotency_key)."""
    actor.require(Role.WRITER)
    if key is not None and not _is_key(key):
        raise InvalidInputError(
            "idempotency_key", f"must be 1 to {MAX_KEY} printable ASCII characters"
        )
    return Attempt(
        actor=actor,
        draft=draft,
        decision_id=ids.new() if key is None else decision_of(actor, key),
        lesson_id=ids.new(),
        idempotency_key=key,
    )


def _is_key(key: object) -> bool:
    return isinstance(key, str) and 0 < len(key) <= MAX_KEY and key.isascii() and key.isprintable()


def decision_of(actor: Actor, key: str) -> UUID:
    """The decision that belongs to an idempotency key, known before anything is stored.

    So the second of two calls with one key can be told where to look for the answer of the first.
    A UUIDv8 (RFC 9562, section 5.8): the first bits of a SHA-256.
    """
    digest = sha256("\0".join((actor.tribe, actor.agent, key)).encode()).digest()
    number = int.from_bytes(digest[:16])
    number = number & ~(0xF << 76) | (8 << 76)
    number = number & ~(0b11 << 62) | (0b10 << 62)
    return UUID(int=number)
