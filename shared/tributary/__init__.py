"""Shared, persistent, conflict-safe memory for AI agents."""

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from tributary.memory import Memory
    from tributary.ports import Learned, Recalled

__all__ = ["Learned", "Memory", "Recalled"]


def __getattr__(name: str) -> Any:
    # Every function imports this package; only a user of the library needs Memory's imports.
    if name == "Memory":
        from tributary.memory import Memory

        return Memory
    if name in __all__:
        from tributary import ports

        return getattr(ports, name)
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
