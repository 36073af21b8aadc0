"""Export a sentence-transformers model to a model directory, quantise and measure it.

    python -m scripts.export_model --out .local/my-model [--model DIR] [--name NAME]

Without `--model` it takes the float weights that the shipped model is made of. The result is
used with `TRIBUTARY_MODEL_DIR`, and deployed with `python -m scripts.build all --model DIR`.
Needs the packages of the extra `export`; nothing else in Tributary does.
"""

import argparse
import hashlib
import json
import logging
import math
import shutil
import statistics
import sys
import tempfile
import time
import warnings
from collections.abc import Sequence
from contextlib import nullcontext
from dataclasses import dataclass
from pathlib import Path

from rich.table import Table

from scripts.build import model as pinned
from scripts.build.console import BuildError, console, fail, step
from scripts.float_model import FloatModel, Recipe, recipe_of
from tributary.adapters.embedding.onnx import OnnxEmbedder
from tributary.domain.errors import ConfigurationError
from tributary.ports import Vector

ROOT = Path(__file__).resolve().parents[1]
GOLDEN = ROOT / "tests" / "golden" / "minilm.json"


@dataclass(frozen=True, slots=True)
class Comparison:
    """The export beside the original, over a list of texts."""

    cosines: tuple[float, ...]
    milliseconds: float  # median of one text on one thread
    original_milliseconds: float


def main(arguments: Sequence[str] | None = None) -> int:
    """Returns the exit code: 0, or 1 with one line that says what to do."""
    options = _parser().parse_args(arguments)
    logging.disable(logging.WARNING)  # the exporters warn of packages that they do not need
    warnings.simplefilter("ignore")
    try:
        with nullcontext(options.model) if options.model else pinned.source(ROOT) as source:
            _run(source, options)
    except (BuildError, ConfigurationError) as error:
        return fail("export", error)
    except ImportError as error:
        return fail("export", f"{error}; `pip install -e '.[export,embedding,cli]'` has it")
    return 0


def _run(source: Path, options: argparse.Namespace) -> None:
    texts = _texts(options.texts)
    with step(f"loading {options.name}"):
        recipe = recipe_of(source)
        original = FloatModel(recipe)
    with step("exporting and quantising"):
        export(original, recipe, options.name, options.out)
    with step(f"comparing over {len(texts)} texts"):
        found = compare(original, OnnxEmbedder(options.out), texts)
    _show(found, options.out)


def export(original: FloatModel, recipe: Recipe, name: str, out: Path) -> None:
    """Write a model directory; `out` is made, and what it holds of the same names replaced."""
    out.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory() as scratch:
        _export_float(original, Path(scratch) / "float.onnx")
        _quantise(Path(scratch) / "float.onnx", out / "model.onnx")
    shutil.copy(recipe.source / "tokenizer.json", out / "tokenizer.json")
    digest = hashlib.sha256((out / "model.onnx").read_bytes()).hexdigest()
    card = f"""\
name = {json.dumps(name)}
dimensions = {recipe.dimensions}
max_tokens = {recipe.max_tokens}
pooling = "{recipe.pooling}"

[files."model.onnx"]
sha256 = "{digest}"
"""
    (out / "model.toml").write_text(card, encoding="utf-8")


def _export_float(original: FloatModel, path: Path) -> None:
    import torch

    example = original.inputs("an example of some words")
    axes = {1: torch.export.Dim.DYNAMIC}
    torch.onnx.export(
        original.network,
        kwargs=example,
        f=path,
        input_names=list(example),
        output_names=["last_hidden_state"],
        dynamic_shapes=dict.fromkeys(example, axes),
        dynamo=True,
        external_data=False,
        verbose=False,
    )


def _quantise(source: Path, target: Path) -> None:
    """Weights to int8 once, activations at run time; a scale for each output channel."""
    from onnxruntime.quantization import QuantType, quantize_dynamic

    quantize_dynamic(source, target, per_channel=True, weight_type=QuantType.QInt8)


def compare(original: FloatModel, exported: OnnxEmbedder, texts: Sequence[str]) -> Comparison:
    """Embed every text with both, with one thread each."""
    import torch

    torch.set_num_threads(1)
    cosines, here, there = [], [], []
    for text in texts:
        begun = time.perf_counter()
        wanted = original.embed(text)
        between = time.perf_counter()
        found = exported.embed(text).vector
        here.append(time.perf_counter() - between)
        there.append(between - begun)
        cosines.append(cosine(wanted, found))
    medians = (statistics.median(here) * 1000, statistics.median(there) * 1000)
    return Comparison(tuple(cosines), *medians)


def cosine(one: Vector, other: Vector) -> float:
    """The cosine of the angle between two vectors, -1 to 1."""
    product = sum(a * b for a, b in zip(one, other, strict=True))
    return product / (math.hypot(*one) * math.hypot(*other))


def _show(found: Comparison, out: Path) -> None:
    table = Table("model", "MB", "cosine min", "cosine mean", "median ms")
    size = (out / "model.onnx").stat().st_size / 1e6
    table.add_row("original", "", "1", "1", f"{found.original_milliseconds:.1f}")
    table.add_row(
        str(out),
        f"{size:.1f}",
        f"{min(found.cosines):.4f}",
        f"{statistics.mean(found.cosines):.4f}",
        f"{found.milliseconds:.1f}",
    )
    console.print(table)


def _texts(given: Path | None) -> list[str]:
    if given is None:
        return [entry["text"] for entry in json.loads(GOLDEN.read_text(encoding="utf-8"))["texts"]]
    return [line for line in given.read_text(encoding="utf-8").splitlines() if line.strip()]


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(
        prog="python -m scripts.export_model",
        description=__doc__,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    parser.add_argument("--out", type=Path, required=True, help="the model directory to write")
    parser.add_argument("--model", type=Path, help="a sentence-transformers directory")
    parser.add_argument("--name", default="all-MiniLM-L6-v2-dynamic-int8", help="for model.toml")
    parser.add_argument("--texts", type=Path, help="texts to compare over, one on each line")
    return parser


if __name__ == "__main__":
    sys.exit(main())
