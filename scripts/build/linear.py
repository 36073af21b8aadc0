"""How a network multiplies by its weights: in float as it was trained, or in int8.

Int8 costs accuracy where few numbers are far larger than the others of their tensor, because one
scale serves all activations of a tensor (and one each output of the weights):

- Columns. A few dimensions are large in every token. They are divided before and their weights
  multiplied, by a fixed factor each: G. Xiao et al., "SmoothQuant" (ICML 2023), with the factors
  of `layers/embedding/smoothing.toml`, which scripts.smoothing measures.
- Rows. Behind the GELU a few tokens are large in every dimension. Each token is divided by its
  own largest number, and the product multiplied by it again.
- One product in the middle stays in float, for the sake of texts of a word or two.

Weights are stored unsigned: kernels for signed ones saturate on CPUs without VNNI (ONNX Runtime,
"Quantize ONNX Models", U8S8), so that a vector would depend on the CPU.
"""

import tomllib
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Protocol

import numpy as np

from scripts.build.console import BuildError
from scripts.build.onnx_file import CONTRIB, Graph
from scripts.build.weights import Floats

STEPS = 127  # to either side of zero
ZERO = 128  # as the unsigned byte that stands for zero
NEUTRAL = ord("m")  # the letter of a factor of one; a letter is a quarter of an octave
GELU_LOWEST = 0.17  # no GELU is below -0.17 (its minimum is -0.1700)


class Linear(Protocol):
    """Adds x @ weights to a graph."""

    def multiply(self, graph: Graph, x: str, weights: Floats, name: str) -> str: ...
    def embed(self, graph: Graph, table: Floats, ids: str) -> str:
        """Rows of `table`."""


@dataclass(frozen=True, slots=True)
class Exact:
    """In float, as trained."""

    def multiply(self, graph: Graph, x: str, weights: Floats, name: str) -> str:
        return graph.add("MatMul", [x, graph.constant(f"{name}.weight", weights)], name)

    def embed(self, graph: Graph, table: Floats, ids: str) -> str:
        return graph.add("Gather", [graph.constant("words.weight", table), ids], "words")


@dataclass(frozen=True, slots=True)
class Int8:
    """Weights as int8 with a scale for each output, activations as int8 at run time."""

    factors: Mapping[str, Floats]  # by the name of the product; one for each input
    exact: frozenset[str] = frozenset()  # products that stay in float

    def multiply(self, graph: Graph, x: str, weights: Floats, name: str) -> str:
        if name in self.exact:
            return Exact().multiply(graph, x, weights, name)
        if name in self.factors:
            factors = self.factors[name]
            inverse = graph.constant(f"{name}.factors", np.float32(1) / factors)
            x = graph.add("Mul", [x, inverse], f"{name}.even")
            weights = weights * factors[:, np.newaxis]
        if name.endswith(".shrink"):
            return self._by_row(graph, x, weights, name)
        return _product(graph, x, weights, name)

    def embed(self, graph: Graph, table: Floats, ids: str) -> str:
        scales = np.abs(table).max(axis=1, keepdims=True) / np.float32(STEPS)
        steps = graph.constant("words.weight", np.rint(table / scales).astype(np.int8))
        rows = graph.add("Gather", [steps, ids], "words.steps")
        rows = graph.add("Cast", [rows], "words.float", to=1)
        scale = graph.add("Gather", [graph.constant("words.scales", scales), ids], "words.scale")
        return graph.add("Mul", [rows, scale], "words")

    def _by_row(self, graph: Graph, x: str, weights: Floats, name: str) -> str:
        axis = graph.constant("last_axis", np.array([-1], dtype=np.int64))
        least = graph.constant("gelu_lowest", np.array([GELU_LOWEST], dtype=np.float32))
        largest = graph.add("ReduceMax", [x, axis], f"{name}.max", keepdims=1)
        largest = graph.add("Max", [largest, least], f"{name}.largest")
        x = graph.add("Div", [x, largest], f"{name}.row")
        product = _product(graph, x, weights, f"{name}.product")
        return graph.add("Mul", [product, largest], name)


def _product(graph: Graph, x: str, weights: Floats, name: str) -> str:
    scales = np.abs(weights).max(axis=0) / np.float32(STEPS)
    steps = (np.rint(weights / scales) + ZERO).astype(np.uint8)
    inputs = [
        x,
        graph.constant(f"{name}.weight", steps),
        graph.constant(f"{name}.scales", scales),
        graph.constant(f"{name}.zeros", np.full(scales.shape, ZERO, dtype=np.uint8)),
    ]
    return graph.add("DynamicQuantizeMatMul", inputs, name, domain=CONTRIB)


def read_int8(path: Path) -> Int8:
    """As a `smoothing.toml` says; raises BuildError."""
    try:
        table = tomllib.loads(path.read_text(encoding="utf-8"))
        factors = {name: _factors(letters) for name, letters in table["factors"].items()}
        return Int8(factors, frozenset(table["exact"]))
    except (OSError, ValueError, KeyError, AttributeError, TypeError) as error:
        raise BuildError(f"{path} does not say how to make int8: {error}") from error


def _factors(letters: str) -> Floats:
    return np.array([2 ** ((ord(letter) - NEUTRAL) / 4) for letter in letters], dtype=np.float32)
