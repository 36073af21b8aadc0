"""Measure what layers/embedding/smoothing.toml holds: `python -m scripts.smoothing`.

Needed when the float weights change. The texts are ordinary statements and requests of the test
suite; tests/golden/float.json, which the result is judged by, has none of them.
"""

import tempfile
from collections.abc import Iterator, Mapping
from pathlib import Path

import numpy as np

from scripts.build import model as pinned
from scripts.build import network, weights
from scripts.build.console import console, step
from scripts.build.linear import NEUTRAL, Exact
from scripts.build.weights import Floats, Weights
from tributary.adapters.embedding.onnx import load_session, load_tokenizer

ROOT = Path(__file__).resolve().parents[1]
GUARD = ROOT / "tests" / "unit" / "guard"
TEXTS = (GUARD / "benign.txt", GUARD / "attacks.txt")
# A text of next to no words makes activations that no other does.
BARE = ("", "x", "?", "!", ".", "1", "a b", "... --- ...", "## ** ##", "\U0001f680", "\u6f22\u5b57")
TARGET = ROOT / "layers" / "embedding" / "smoothing.toml"
MANY = 20
SHARE = 0.7  # of the difficulty that goes to the weights; 0.5 and 0.9 were no better
HEAD = """\
# Factors that even the activations out before they become int8 (scripts/build/linear.py says how):
# a letter for each dimension, `m` for 1, each next one 2^(1/4) times as much.
# `python -m scripts.smoothing` measures them. `exact` are products that stay in float.
exact = ["2.shrink"]

[factors]
"""


def main() -> None:
    """Rewrites the file."""
    with pinned.source(ROOT) as directory, step("measuring the activations"):
        trained = weights.read(directory)
        seen = _largest(trained, directory / "tokenizer.json")
    lines = [f'"{name}" = "{letters(trained, name, seen[name])}"' for name in sorted(seen)]
    TARGET.write_text(HEAD + "\n".join(lines) + "\n", encoding="utf-8")
    console.print(f"{TARGET.relative_to(ROOT)} is written; now run `make model`")


def letters(trained: Weights, name: str, largest: Floats) -> str:
    """SmoothQuant's equation 4, in quarters of an octave around the median."""
    outgoing = np.abs(_matrix(trained, name)).max(axis=1)
    octaves = SHARE * np.log2(largest) - (1 - SHARE) * np.log2(outgoing)
    steps = np.rint(4 * (octaves - np.median(octaves))).astype(int)
    return "".join(chr(NEUTRAL + quarter) for quarter in steps)


def _matrix(trained: Weights, name: str) -> Floats:
    number, which = name.split(".")
    if which == network.ATTENTION:
        return network.attention_matrix(trained, int(number))
    return trained.matrix(f"encoder.layer.{number}.intermediate.dense")


def _largest(trained: Weights, tokenizer: Path) -> Mapping[str, Floats]:
    """The largest absolute input of each product, by dimension."""
    inputs = network.evened_inputs(trained)
    found = {name: np.zeros(trained.width, dtype=np.float32) for name in inputs}
    for outputs in _outputs(trained, tokenizer, list(inputs.values())):
        for name, seen in zip(inputs, outputs, strict=True):
            found[name] = np.maximum(found[name], np.abs(seen[0]).max(axis=0))
    return found


def _outputs(trained: Weights, tokenizer: Path, names: list[str]) -> Iterator[list[Floats]]:
    encode = load_tokenizer(tokenizer, trained.max_tokens).encode
    with tempfile.TemporaryDirectory() as scratch:
        path = Path(scratch) / "float.onnx"
        path.write_bytes(network.file(trained, Exact(), dict.fromkeys(names, trained.width)))
        session = load_session(path, threads=1)
        for text in _texts():
            yield session.run(names, {network.GIVEN: np.array([encode(text).ids])})


def _texts() -> Iterator[str]:
    """Each by itself, and many together: long texts make other activations."""
    every = "\n".join(path.read_text(encoding="utf-8") for path in TEXTS)
    lines = [line for line in every.splitlines() if line.strip() and line[0] != "#"]
    yield from (*BARE, *lines)
    for begin in range(0, len(lines), MANY):
        yield "\n".join(lines[begin : begin + MANY])


if __name__ == "__main__":
    main()
