"""Who may do what."""

from dataclasses import dataclass
from enum import IntEnum

from tributary.domain.errors import ForbiddenError


class Role(IntEnum):
    """Ordered: each role may do all that the lower ones may."""

    READER = 1
    WRITER = 2
    CURATOR = 3

    @property
    def label(self) -> str:
        """The name used on the wire and in the database."""
        return self.name.lower()


@dataclass(frozen=True, slots=True)
class Actor:
    """The caller, as its key says: never as its request says."""

    tribe: str
    agent: str
    role: Role

    def require(self, needed: Role) -> None:
        """Raise ForbiddenError when the role is below `needed`."""
        if self.role < needed:
            raise ForbiddenError(self.role.label, needed.label)
