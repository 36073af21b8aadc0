"""A candidate for the classifiers."""

from dataclasses import dataclass, field
from itertools import count
from uuid import UUID

_NUMBERS = count(1)


@dataclass(frozen=True)
class Said:
    """A statement with an id of its own."""

    content: str
    id: UUID = field(default_factory=lambda: UUID(int=next(_NUMBERS)))
