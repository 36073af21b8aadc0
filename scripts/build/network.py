"""A BERT for ONNX Runtime, in its fused operators, for one text without padding at a time.

ONNX Runtime's optimiser finds only some of them in an exported model. Mask and token types are
left out, because one text has neither padding nor a second part.
"""

from collections.abc import Mapping

import numpy as np

from scripts.build.linear import Linear
from scripts.build.onnx_file import CONTRIB, Graph
from scripts.build.weights import Weights

GIVEN = "input_ids"
ANSWER = "last_hidden_state"
ATTENTION, EXPAND, SHRINK = "attention", "expand", "shrink"


def file(weights: Weights, linear: Linear, also: Mapping[str, int] | None = None) -> bytes:
    """`model.onnx`: `input_ids` (1 x tokens) to `last_hidden_state` (1 x tokens x width).

    `also` names further outputs, for measuring, with their width.
    """
    graph = Graph()
    x = _embedded(graph, weights, linear)
    for number in range(weights.layers):
        x = _layer(graph, weights, linear, number, x)
    return graph.file(GIVEN, {**(also or {}), x: weights.width})


def product(number: int, which: str) -> str:
    """The name of a product with weights."""
    return f"{number}.{which}"


def evened_inputs(weights: Weights) -> dict[str, str]:
    """The products whose inputs a layer normalisation makes, and the names of those inputs."""
    found = {}
    for number in range(weights.layers):
        found[product(number, ATTENTION)] = f"{number - 1}.out" if number else "embedded"
        found[product(number, EXPAND)] = f"{number}.attended"
    return found


def attention_matrix(
    weights: Weights, number: int
) -> np.ndarray[tuple[int, ...], np.dtype[np.float32]]:
    """Query, key and value beside each other: width x 3 widths."""
    at = f"encoder.layer.{number}.attention.self"
    return np.hstack([weights.matrix(f"{at}.{one}") for one in ("query", "key", "value")])


def _embedded(graph: Graph, weights: Weights, linear: Linear) -> str:
    at = "embeddings"
    words = linear.embed(graph, weights[f"{at}.word_embeddings.weight"], GIVEN)
    places = weights[f"{at}.position_embeddings.weight"][: weights.max_tokens]
    places = places + weights[f"{at}.token_type_embeddings.weight"][0]
    length = graph.add("Shape", [GIVEN], "length", start=1, end=2)
    first = graph.constant("first", np.zeros(1, dtype=np.int64))
    here = graph.add("Slice", [graph.constant("places.weight", places), first, length], "places")
    both = graph.add("Add", [words, here], "placed")
    norm = [graph.constant(f"embedded.{one}", weights[f"{at}.LayerNorm.{one}"]) for one in _NORM]
    return graph.add(
        "LayerNormalization", [both, *norm], "embedded", axis=-1, epsilon=weights.epsilon
    )


_NORM = ("weight", "bias")


def _layer(graph: Graph, weights: Weights, linear: Linear, number: int, x: str) -> str:
    at = f"encoder.layer.{number}"
    attended = _attention(graph, weights, linear, number, x)
    mixed = linear.multiply(
        graph, attended, weights.matrix(f"{at}.attention.output.dense"), product(number, "mix")
    )
    x = _added(graph, weights, f"{at}.attention.output", mixed, x, f"{number}.attended")
    wide = linear.multiply(
        graph, x, weights.matrix(f"{at}.intermediate.dense"), product(number, EXPAND)
    )
    bias = graph.constant(f"{number}.expand.bias", weights[f"{at}.intermediate.dense.bias"])
    wide = graph.add("BiasGelu", [wide, bias], f"{number}.gelu", domain=CONTRIB)
    narrow = linear.multiply(
        graph, wide, weights.matrix(f"{at}.output.dense"), product(number, SHRINK)
    )
    last = number == weights.layers - 1
    return _added(graph, weights, f"{at}.output", narrow, x, ANSWER if last else f"{number}.out")


def _attention(graph: Graph, weights: Weights, linear: Linear, number: int, x: str) -> str:
    at = f"encoder.layer.{number}.attention.self"
    name = product(number, ATTENTION)
    joined = linear.multiply(graph, x, attention_matrix(weights, number), name)
    parts = [f"{number}.{one}" for one in ("query", "key", "value")]
    graph.add("Split", [joined], *parts, axis=-1, num_outputs=len(parts))
    biases = [weights[f"{at}.{one}.bias"] for one in ("query", "key", "value")]
    bias = graph.constant(f"{name}.bias", np.hstack(biases))
    return graph.add(
        "MultiHeadAttention", [*parts, bias], f"{number}.heads", domain=CONTRIB,
        num_heads=weights.heads,
    )  # fmt: skip


def _added(graph: Graph, weights: Weights, at: str, x: str, skipped: str, name: str) -> str:
    """Bias, residual and layer normalisation."""
    norm = [graph.constant(f"{name}.{one}", weights[f"{at}.LayerNorm.{one}"]) for one in _NORM]
    bias = graph.constant(f"{name}.dense.bias", weights[f"{at}.dense.bias"])
    return graph.add(
        "SkipLayerNormalization", [x, skipped, *norm, bias], name, domain=CONTRIB,
        epsilon=weights.epsilon,
    )  # fmt: skip
