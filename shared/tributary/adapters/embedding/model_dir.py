"""Where the embedding model lies, and what is in it.

A model directory holds `model.onnx`, `tokenizer.json` and `model.toml`. The build makes it
(`make model`), and `scripts/export_model.py` makes one of any sentence-transformers model.
"""

import os
import tomllib
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

from tributary.domain.errors import ConfigurationError

VARIABLE = "TRIBUTARY_MODEL_DIR"
LAYER = Path("/opt/model")  # where Lambda unpacks the embedding layer
CHECKOUT = Path(__file__).resolve().parents[4] / ".build" / "model"
REMEDY = "run `make model`, or point TRIBUTARY_MODEL_DIR at a model directory"


@dataclass(frozen=True, slots=True)
class ModelCard:
    """What `model.toml` says of its model."""

    name: str
    sha256: str  # of model.onnx
    dimensions: int
    max_tokens: int  # with the two special tokens at the ends
    pooling: str  # "mean" or "cls"

    @property
    def id(self) -> str:
        """Stored beside every vector: vectors of different ids must not be compared."""
        return f"{self.name}@{self.sha256[:8]}"


def default_model_dir(environ: Mapping[str, str] = os.environ) -> Path:
    """The directory that TRIBUTARY_MODEL_DIR names, else the Lambda layer's, else the build's.

    Raises ConfigurationError when the named one, or every other one, holds no model.
    """
    named = environ.get(VARIABLE)
    places = [Path(named)] if named else [LAYER, CHECKOUT]
    for place in places:
        if (place / "model.onnx").is_file():
            return place
    looked = " or ".join(map(str, places))
    raise ConfigurationError(f"no embedding model in {looked}; {REMEDY}")


def read_card(model_dir: Path) -> ModelCard:
    """Raises ConfigurationError when `model.toml` is missing or incomplete."""
    path = model_dir / "model.toml"
    try:
        card = tomllib.loads(path.read_text(encoding="utf-8"))
        return ModelCard(
            name=str(card["name"]),
            sha256=str(card["files"]["model.onnx"]["sha256"]),
            dimensions=int(card["dimensions"]),
            max_tokens=int(card["max_tokens"]),
            pooling=str(card["pooling"]),
        )
    except (OSError, ValueError, KeyError, TypeError) as error:
        raise ConfigurationError(f"{path} does not describe a model; {REMEDY}") from error
