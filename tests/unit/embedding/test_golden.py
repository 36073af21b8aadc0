"""The vectors of the shipped model, and of the float model it was made from.

`python -m scripts.golden_vectors` makes the file.
"""

import json
import struct
from base64 import b64decode
from pathlib import Path
from typing import Any

import pytest

from scripts.export_model import cosine
from tributary.adapters.embedding.onnx import OnnxEmbedder

FILES = Path(__file__).parents[2] / "golden"
GOLDEN = json.loads((FILES / "minilm.json").read_text(encoding="utf-8"))
MANY = json.loads((FILES / "float.json").read_text(encoding="utf-8"))
LEAST = 0.995  # the cosine that int8 may cost at most
ENTRIES = {entry["name"]: entry for entry in GOLDEN["texts"]}

each_text = pytest.mark.parametrize("entry", [pytest.param(e, id=n) for n, e in ENTRIES.items()])


def test_the_vectors_are_those_of_the_shipped_model(embedder: OnnxEmbedder) -> None:
    assert GOLDEN["model"] == embedder.model


@each_text
def test_a_text_still_has_its_vector(embedder: OnnxEmbedder, entry: dict[str, Any]) -> None:
    """Kernels differ between CPUs, a little."""
    found = embedder.embed(entry["text"])
    assert cosine(found.vector, entry["int8"]) >= 1 - 1e-3
    assert found.truncated is entry["truncated"]


@each_text
def test_quantising_keeps_the_direction(embedder: OnnxEmbedder, entry: dict[str, Any]) -> None:
    assert cosine(embedder.embed(entry["text"]).vector, entry["float"]) >= LEAST


def test_no_kind_of_text_suffers_from_quantising(embedder: OnnxEmbedder) -> None:
    """Lessons, code, logs, forty languages, next to nothing, and more than fits."""
    lost = {
        entry["text"][:40]: found
        for entry in MANY
        if (found := cosine(embedder.embed(entry["text"]).vector, floats(entry))) < LEAST
    }
    assert len(MANY) >= 300
    assert lost == {}


def floats(entry: dict[str, Any]) -> tuple[float, ...]:
    """The vector of the float weights, which is kept in half precision."""
    return struct.unpack("<384e", b64decode(entry["float"]))


def test_golden_texts_are_told_apart() -> None:
    """Else the comparisons above could not fail."""
    vectors = [entry["int8"] for entry in ENTRIES.values()]
    for at, one in enumerate(vectors):
        assert all(cosine(one, other) < 0.95 for other in vectors[:at])


def test_a_paraphrase_is_nearer_than_something_else(embedder: OnnxEmbedder) -> None:
    lesson, paraphrase, unrelated = (
        embedder.embed(ENTRIES[name]["text"]).vector
        for name in ("lesson", "paraphrase", "unrelated")
    )
    assert cosine(lesson, paraphrase) > 0.7 > 0.2 > cosine(lesson, unrelated)
