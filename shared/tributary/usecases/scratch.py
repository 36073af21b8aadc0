"""Scratch tribes: to try an installation out in, and to leave nothing behind."""

import secrets
from collections import Counter
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Protocol

from tributary.domain.errors import ConflictingStateError
from tributary.domain.roles import Actor, Role
from tributary.usecases.agents import PREFIX, key_hash

MARK = "~"  # what a scratch tribe's name begins with, and no other tribe's may
CURATOR = "curator"  # its first agent, whose key is given out
LIFE = timedelta(hours=1)
MOST = 8  # alive at once, of one tribe
BATCH = 5_000  # rows of a table in one transaction: the gate is shared with other tribes
MAX_BATCHES = 40  # in one call, which an HTTPS request waits for


class ScratchStore(Protocol):
    """Where scratch tribes are."""

    def open(
        self, parent: str, tribe: str, agent: str, key_hash: bytes, life: timedelta, most: int
    ) -> datetime | None:
        """When the new tribe expires; None when `parent` has `most` of them already."""

    def remove(self, tribe: str, batch: int) -> Mapping[str, int] | None:
        """Delete up to `batch` rows of each table: their numbers, or None when all are gone.

        The first call shuts the tribe to everybody else.
        """

    def expired(self) -> tuple[str, ...]:
        """The tribes whose time is over, or whose removal was not finished."""


@dataclass(frozen=True, slots=True)
class ScratchTribe:
    """A tribe that ends by itself, and its curator's key, which is stored nowhere."""

    tribe: str
    key: str
    expires_at: datetime


@dataclass(frozen=True, slots=True)
class Removed:
    """How many rows of the tribe were removed, by table."""

    tribe: str
    rows: Mapping[str, int]
    finished: bool  # false: it is shut already, and the gardener removes the rest


@dataclass(frozen=True, slots=True)
class Scratch:
    """Opens and removes scratch tribes."""

    store: ScratchStore
    random_text: Callable[[int], str] = secrets.token_urlsafe

    def open(self, actor: Actor) -> ScratchTribe:
        """A new scratch tribe of the caller's. What has expired meanwhile is removed first.

        Raises ForbiddenError; ConflictingStateError when the caller's tribe has MOST of them, or
        is one itself.
        """
        actor.require(Role.CURATOR)
        if is_scratch(actor.tribe):
            raise ConflictingStateError("tribe", actor.tribe, "a scratch tribe", "a lasting one")
        self.sweep()
        tribe, key = MARK + self.random_text(24), PREFIX + self.random_text(32)
        ends = self.store.open(actor.tribe, tribe, CURATOR, key_hash(key), LIFE, MOST)
        if ends is None:
            wanted = "lower: remove one (DELETE /v1/scratch with its key), or wait for an hour"
            raise ConflictingStateError("number", "of scratch tribes", f"at its limit of {MOST}",
                                        wanted)  # fmt: skip
        return ScratchTribe(tribe, key, ends)

    def remove(self, actor: Actor) -> Removed:
        """Remove the caller's own tribe, every row of it.

        Raises ForbiddenError; ConflictingStateError when it is no scratch tribe.
        """
        actor.require(Role.CURATOR)
        if not is_scratch(actor.tribe):
            raise ConflictingStateError("tribe", actor.tribe, "a lasting tribe", "a scratch tribe")
        return self._remove(actor.tribe)

    def sweep(self) -> int:
        """Remove what has expired; answers how many tribes."""
        return sum(self._remove(tribe).finished for tribe in self.store.expired())

    def _remove(self, tribe: str) -> Removed:
        rows: Counter[str] = Counter()
        for _ in range(MAX_BATCHES):
            removed = self.store.remove(tribe, BATCH)
            if removed is None:
                return Removed(tribe, dict(rows), finished=True)
            rows.update(removed)
        return Removed(tribe, dict(rows), finished=False)


def is_scratch(tribe: str) -> bool:
    """Whether a tribe of this name ends by itself."""
    return tribe.startswith(MARK)
