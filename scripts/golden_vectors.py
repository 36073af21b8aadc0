"""Make the vectors of tests/golden/minilm.json again, for the texts that it holds.

    python -m scripts.golden_vectors

Needed when layers/embedding/model.toml gets another model; look at the difference before you
commit it. Needs the packages of the extra `export`, for the vectors of the float model.
"""

import json
import logging
from typing import Any

from scripts.build import model as pinned
from scripts.build.console import console, step
from scripts.export_model import GOLDEN, ROOT, cosine, pinned_source
from scripts.float_model import FloatModel, recipe_of
from tributary.adapters.embedding.onnx import OnnxEmbedder
from tributary.ports import Vector

DIGITS = 6


def main() -> None:
    """Rewrites the file."""
    logging.disable(logging.WARNING)
    embedder = OnnxEmbedder(pinned.build(ROOT).path)
    with pinned_source() as source, step("loading the float model"):
        original = FloatModel(recipe_of(source))
    texts = json.loads(GOLDEN.read_text(encoding="utf-8"))["texts"]
    entries = [_entry(entry["name"], entry["text"], embedder, original) for entry in texts]
    body = ",\n".join(json.dumps(entry, ensure_ascii=False) for entry in entries)
    head = f'"model": {json.dumps(embedder.model)}'
    GOLDEN.write_text(f'{{{head}, "texts": [\n{body}\n]}}\n', encoding="utf-8")


def _entry(name: str, text: str, embedder: OnnxEmbedder, original: FloatModel) -> dict[str, Any]:
    found, wanted = embedder.embed(text), original.embed(text)
    console.print(f"{name}: cosine to the float model {cosine(found.vector, wanted):.5f}")
    return {
        "name": name,
        "text": text,
        "truncated": found.truncated,
        "int8": _rounded(found.vector),
        "float": _rounded(wanted),
    }


def _rounded(vector: Vector) -> list[float]:
    return [round(number, DIGITS) for number in vector]


if __name__ == "__main__":
    main()
