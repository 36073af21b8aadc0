"""What a sentence-transformers directory of a BERT holds: its sizes and its float weights."""

import json
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from scripts.build.console import BuildError

Floats = NDArray[np.float32]


@dataclass(frozen=True, slots=True)
class Weights:
    """The tensors by name, without the prefix of the task they were trained for."""

    tensors: dict[str, Floats]
    layers: int
    heads: int
    epsilon: float  # of every layer normalisation
    max_tokens: int

    @property
    def width(self) -> int:
        return int(self["embeddings.LayerNorm.weight"].shape[0])

    def __getitem__(self, name: str) -> Floats:
        return self.tensors[name]

    def matrix(self, name: str) -> Floats:
        """The weights of a dense layer, inputs x outputs; PyTorch keeps them the other way."""
        return self[f"{name}.weight"].T


def read(directory: Path) -> Weights:
    """Raises BuildError for a network that is not a BERT with GELU."""
    try:
        config = json.loads((directory / "config.json").read_text(encoding="utf-8"))
        limits = json.loads((directory / "sentence_bert_config.json").read_text(encoding="utf-8"))
        if (config["model_type"], config["hidden_act"]) != ("bert", "gelu"):
            raise BuildError(f"{directory} is no BERT with GELU; only that can be made int8 here")
        return Weights(
            tensors=_tensors(directory / "model.safetensors"),
            layers=int(config["num_hidden_layers"]),
            heads=int(config["num_attention_heads"]),
            epsilon=float(config["layer_norm_eps"]),
            max_tokens=int(limits["max_seq_length"]),
        )
    except (OSError, ValueError, KeyError) as error:
        raise BuildError(f"{directory} holds no readable weights: {error}") from error


def _tensors(path: Path) -> dict[str, Floats]:
    """The format safetensors: eight bytes of length, a table in JSON, then the numbers.

    https://github.com/huggingface/safetensors#format
    """
    content = path.read_bytes()
    begin = 8 + int.from_bytes(content[:8], "little")
    table: dict[str, Any] = json.loads(content[8:begin])
    table.pop("__metadata__", None)
    return {
        name: _array(memoryview(content)[begin:], entry)
        for name, entry in table.items()
        if entry["dtype"] == "F32"
    }


def _array(content: memoryview, entry: dict[str, Any]) -> Floats:
    start, end = entry["data_offsets"]
    flat: Floats = np.frombuffer(content[start:end], dtype="<f4").astype(np.float32, copy=False)
    return flat.reshape(entry["shape"])
