"""The gardener, kept to one tribe: the tests of a run share their database."""

from dataclasses import dataclass, replace
from typing import Any

from tributary.edge.wiring import Wiring
from tributary.ports import Registry
from tributary.usecases.garden import Garden


@dataclass(frozen=True)
class OnlyTribe:
    """A registry that knows of one tribe."""

    registry: Registry
    tribe: str

    def tribes(self) -> tuple[str, ...]:
        return (self.tribe,)

    def __getattr__(self, name: str) -> Any:
        return getattr(self.registry, name)


def gardener(wiring: Wiring, tribe: str) -> Garden:
    return replace(wiring.garden, registry=OnlyTribe(wiring.registry, tribe))
