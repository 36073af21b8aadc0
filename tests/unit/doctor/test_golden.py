"""The golden vectors that come with the package."""

import json
import math
from pathlib import Path

import pytest

from tributary.adapters.embedding.onnx import OnnxEmbedder
from tributary.doctor.golden import cosine, encoded, golden
from tributary.doctor.model import ASKED, LEARNT, MIN_COSINE, NEAR

FILE = Path(__file__).parents[2] / "golden" / "minilm.json"
KNOWN = {one["name"]: one for one in json.loads(FILE.read_text(encoding="utf-8"))["texts"]}


def test_they_are_the_float_models_of_the_test_suite() -> None:
    """When these were made anew, write `encoded(...)` of them into the package's file."""
    assert len(golden()) == 8
    for name, one in golden().items():
        assert one.text == KNOWN[name]["text"]
        assert one.vector == pytest.approx(KNOWN[name]["float"], abs=1e-3)


def test_a_vector_survives_its_encoding() -> None:
    one = golden()["lesson"]
    stored = (Path(__file__).parents[3] / "shared/tributary/doctor/golden.json").read_text("utf-8")
    assert encoded(one.vector) in stored
    assert math.hypot(*one.vector) == pytest.approx(1, abs=1e-3)


def test_texts_that_are_learnt_are_too_far_from_each_other_to_be_compared() -> None:
    texts = [golden()[name] for name in LEARNT]
    for at, one in enumerate(texts):
        assert all(cosine(one.vector, other.vector) < 0.4 for other in texts[:at])


def test_the_shipped_model_passes_with_room_to_spare_and_another_would_not() -> None:
    embedder = OnnxEmbedder.load()
    asked = golden()[ASKED]
    for one in golden().values():
        found = embedder.embed(one.text).vector
        assert cosine(found, one.vector) > (1 + MIN_COSINE) / 2
        near = cosine(embedder.embed(asked.text).vector, found)
        assert abs(near - cosine(asked.vector, one.vector)) < NEAR * 0.8
    assert cosine(golden()["lesson"].vector, golden()["paraphrase"].vector) < MIN_COSINE
