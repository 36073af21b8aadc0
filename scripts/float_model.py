"""A sentence-transformers model as its authors published it, run by PyTorch."""

import json
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from scripts.build.console import BuildError
from tributary.adapters.embedding.vector import DIMENSIONS
from tributary.ports import Vector

POOLINGS = {"pooling_mode_mean_tokens": "mean", "pooling_mode_cls_token": "cls"}


@dataclass(frozen=True, slots=True)
class Recipe:
    """What a sentence-transformers directory says beside its weights."""

    source: Path
    dimensions: int
    max_tokens: int
    pooling: str


def recipe_of(source: Path) -> Recipe:
    """Raises BuildError for a directory or a kind of pooling that cannot be exported."""
    try:
        limits = json.loads((source / "sentence_bert_config.json").read_text(encoding="utf-8"))
        network = json.loads((source / "config.json").read_text(encoding="utf-8"))
        modes = json.loads((source / "1_Pooling" / "config.json").read_text(encoding="utf-8"))
        dimensions, max_tokens = int(network["hidden_size"]), int(limits["max_seq_length"])
    except (OSError, ValueError, KeyError) as error:
        raise BuildError(f"{source} is no sentence-transformers model: {error}") from error
    wanted = [key for key, on in modes.items() if key.startswith("pooling_mode") and on is True]
    if len(wanted) != 1 or wanted[0] not in POOLINGS:
        raise BuildError(f"{source} pools by {wanted}; only mean and cls can be exported")
    if not (source / "tokenizer.json").is_file():
        raise BuildError(f"{source} has no tokenizer.json; save its fast tokenizer first")
    if dimensions != DIMENSIONS:
        raise BuildError(f"{source} has {dimensions} dimensions; the database stores {DIMENSIONS}")
    return Recipe(source, dimensions, max_tokens, POOLINGS[wanted[0]])


class FloatModel:
    """The original, run by PyTorch: what every export is compared with."""

    def __init__(self, recipe: Recipe) -> None:
        from tokenizers import Tokenizer
        from transformers import AutoModel
        from transformers.utils.logging import disable_progress_bar

        disable_progress_bar()
        self._recipe = recipe
        self.network: Any = AutoModel.from_pretrained(recipe.source, attn_implementation="eager")
        self.network.eval()
        self._tokenizer = Tokenizer.from_file(str(recipe.source / "tokenizer.json"))
        self._tokenizer.no_padding()
        self._tokenizer.enable_truncation(recipe.max_tokens)
        self._tokenizer.encode_special_tokens = True

    def inputs(self, text: str) -> dict[str, Any]:
        """Tensors of shape 1 x tokens."""
        import torch

        encoding = self._tokenizer.encode(text)
        every = {
            "input_ids": encoding.ids,
            "attention_mask": encoding.attention_mask,
            "token_type_ids": encoding.type_ids,
        }
        if not getattr(self.network.config, "type_vocab_size", 0):
            del every["token_type_ids"]
        return {name: torch.tensor([ids]) for name, ids in every.items()}

    def embed(self, text: str) -> Vector:
        """The unit vector; one text is never padded, so the mean needs no mask."""
        import torch

        with torch.no_grad():
            hidden = self.network(**self.inputs(text)).last_hidden_state[0]
        vector = hidden[0] if self._recipe.pooling == "cls" else hidden.mean(dim=0)
        return tuple((vector / vector.norm()).tolist())
