"""Golden vectors: texts and what the float model makes of them, from which ours was quantised."""

import json
import math
import struct
from base64 import b64decode, b64encode
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache
from importlib.resources import files

from tributary.adapters.embedding.vector import DIMENSIONS


@dataclass(frozen=True, slots=True)
class Golden:
    """A text, and its unit vector in half precision."""

    name: str
    text: str
    vector: tuple[float, ...]


@cache
def golden() -> dict[str, Golden]:
    """Those that come with the package, by name."""
    entries = json.loads((files("tributary") / "doctor" / "golden.json").read_text("utf-8"))
    return {
        entry["name"]: Golden(entry["name"], entry["text"], _vector(entry["vector"]))
        for entry in entries
    }


def encoded(vector: Sequence[float]) -> str:
    """A vector as the file holds it: little-endian half precision in base64."""
    return b64encode(struct.pack(f"<{DIMENSIONS}e", *vector)).decode()


def cosine(one: Sequence[float], other: Sequence[float]) -> float:
    """Of two vectors of any length but zero."""
    return _product(one, other) / (math.hypot(*one) * math.hypot(*other))


def _product(one: Sequence[float], other: Sequence[float]) -> float:
    return math.fsum(a * b for a, b in zip(one, other, strict=True))


def _vector(text: str) -> tuple[float, ...]:
    return struct.unpack(f"<{DIMENSIONS}e", b64decode(text, validate=True))
