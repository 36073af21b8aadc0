"""Which systems there are, loaded when they are asked for: the peers are not always installed."""

from collections.abc import Callable, Sequence
from importlib import import_module
from typing import cast

from scripts.bench.systems.base import Place, System

OURS = "tributary"
OWN = (OURS, "obvious")
_CLASSES = {
    OURS: ("tributary_memory", "Tributary"),
    "obvious": ("obvious", "Obvious"),
    "langgraph": ("langgraph_store", "LangGraph"),
    "langchain": ("langchain_vectors", "LangChain"),
    "hybrid": ("langchain_vectors", "LangChainHybrid"),
    "chroma": ("chroma_local", "Chroma"),
    "mem0": ("mem0_memory", "Mem0"),
}
ALL = tuple(_CLASSES)


def maker(key: str) -> Callable[[Place], System]:
    """The class of the system; raises ImportError when its package is not installed."""
    module, name = _CLASSES[key]
    found = getattr(import_module(f"scripts.bench.systems.{module}"), name)
    return cast("Callable[[Place], System]", found)


def named(keys: Sequence[str]) -> dict[str, Callable[[Place], System]]:
    """The classes by their keys, in the order of the catalogue."""
    return {key: maker(key) for key in ALL if key in keys}
