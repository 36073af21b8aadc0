from pathlib import Path

import pytest

from tributary.adapters.embedding.model_dir import default_model_dir
from tributary.adapters.embedding.onnx import OnnxEmbedder


@pytest.fixture(scope="session")
def model_dir() -> Path:
    return default_model_dir()


@pytest.fixture(scope="session")
def embedder(model_dir: Path) -> OnnxEmbedder:
    """The real model; shared, because loading it takes a few tenths of a second."""
    return OnnxEmbedder(model_dir)
