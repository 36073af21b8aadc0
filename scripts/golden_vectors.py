"""Make the vectors of tests/golden/ again, for the texts that its files hold.

    python -m scripts.golden_vectors

Needed when layers/embedding/model.toml gets another model; look at the difference before you
commit it. `minilm.json` has the vectors of the shipped model and those of PyTorch, which stay
(scripts/float_model.py makes them); `float.json` has many texts, with the vectors of the float
weights run by ONNX Runtime, which are held to PyTorch's here.
"""

import json
import struct
import tempfile
from base64 import b64encode
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np

from scripts.build import model as pinned
from scripts.build import network, weights
from scripts.build.console import BuildError, console, step
from scripts.build.linear import Exact
from scripts.build.weights import Weights
from scripts.export_model import GOLDEN, ROOT, cosine
from tributary.adapters.embedding.onnx import OnnxEmbedder, load_session, load_tokenizer
from tributary.ports import Vector

MANY = GOLDEN.with_name("float.json")
DIGITS = 6
SAME = 1e-5  # how far the float vectors of two runtimes may be apart, as 1 - cosine

Embed = Callable[[str], Vector]


def main() -> None:
    """Rewrites both files."""
    shipped = OnnxEmbedder(pinned.build(ROOT).path)
    with pinned.source(ROOT) as directory, tempfile.TemporaryDirectory() as scratch:
        exact = as_trained(weights.read(directory), directory, Path(scratch))
        _few(shipped, exact)
        with step("embedding the texts of float.json"):
            _many(shipped, exact)


def as_trained(trained: Weights, directory: Path, scratch: Path) -> Embed:
    """An embedder with the float weights of `directory`; its network is put into `scratch`."""
    (scratch / "float.onnx").write_bytes(network.file(trained, Exact()))
    session = load_session(scratch / "float.onnx", threads=1)
    tokenizer = load_tokenizer(directory / "tokenizer.json", trained.max_tokens)

    def embed(text: str) -> Vector:
        given = {network.GIVEN: np.array([tokenizer.encode(text).ids])}
        mean = session.run(None, given)[0][0].mean(axis=0)
        return tuple((mean / np.linalg.norm(mean)).tolist())

    return embed


def _few(shipped: OnnxEmbedder, exact: Embed) -> None:
    entries = json.loads(GOLDEN.read_text(encoding="utf-8"))["texts"]
    body = ",\n".join(
        json.dumps(_renewed(entry, shipped, exact), ensure_ascii=False) for entry in entries
    )
    head = f'"model": {json.dumps(shipped.model)}'
    GOLDEN.write_text(f'{{{head}, "texts": [\n{body}\n]}}\n', encoding="utf-8")


def _renewed(entry: dict[str, Any], shipped: OnnxEmbedder, exact: Embed) -> dict[str, Any]:
    wanted, found = entry["float"], shipped.embed(entry["text"])
    console.print(f"{entry['name']}: cosine to the float model {cosine(found.vector, wanted):.5f}")
    if 1 - cosine(exact(entry["text"]), wanted) > SAME:
        raise BuildError(f"{entry['name']}: the float network is not that of PyTorch")
    int8 = [round(number, DIGITS) for number in found.vector]
    return {**entry, "truncated": found.truncated, "int8": int8}


def _many(shipped: OnnxEmbedder, exact: Embed) -> None:
    texts = [entry["text"] for entry in json.loads(MANY.read_text(encoding="utf-8"))]
    vectors = [exact(text) for text in texts]
    lines = [
        json.dumps({"text": text, "float": halves(vector)}, ensure_ascii=False)
        for text, vector in zip(texts, vectors, strict=True)
    ]
    MANY.write_text("[\n" + ",\n".join(lines) + "\n]\n", encoding="utf-8")
    cosines = [cosine(shipped.embed(t).vector, v) for t, v in zip(texts, vectors, strict=True)]
    console.print(
        f"{len(texts)} texts: cosine to the float weights at least {min(cosines):.5f}, "
        f"{sum(cosines) / len(cosines):.5f} on average"
    )


def halves(vector: Vector) -> str:
    """Little-endian half precision in base64, which moves a vector by less than 1e-6."""
    return b64encode(struct.pack(f"<{len(vector)}e", *vector)).decode()


if __name__ == "__main__":
    main()
