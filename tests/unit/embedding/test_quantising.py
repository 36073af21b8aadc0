"""The build's own ONNX files, on a network small enough to check by hand."""

import json
import struct
from math import erf, sqrt
from pathlib import Path
from typing import Any

import numpy as np
import onnxruntime
import pytest

from scripts.build import network, weights
from scripts.build.console import BuildError
from scripts.build.linear import Exact, Int8, Linear, read_int8
from scripts.build.onnx_file import Graph
from scripts.build.weights import Weights

WIDTH, WIDE, WORDS, LAYERS = 8, 32, 20, 2
IDS = np.array([[3, 1, 4, 1, 5]])


def tensors() -> dict[str, Any]:
    """Random weights under BERT's names, as float32."""
    random = np.random.default_rng(7)
    shapes = {
        "embeddings.word_embeddings.weight": (WORDS, WIDTH),
        "embeddings.position_embeddings.weight": (10, WIDTH),
        "embeddings.token_type_embeddings.weight": (2, WIDTH),
    }
    norms = ["embeddings.LayerNorm"]
    for number in range(LAYERS):
        at = f"encoder.layer.{number}"
        dense = {f"attention.self.{one}": (WIDTH, WIDTH) for one in ("query", "key", "value")}
        dense |= {"attention.output.dense": (WIDTH, WIDTH)}
        dense |= {"intermediate.dense": (WIDE, WIDTH), "output.dense": (WIDTH, WIDE)}
        for name, shape in dense.items():
            shapes |= {f"{at}.{name}.weight": shape, f"{at}.{name}.bias": shape[:1]}
        norms += [f"{at}.attention.output.LayerNorm", f"{at}.output.LayerNorm"]
    shapes |= {f"{norm}.{one}": (WIDTH,) for norm in norms for one in ("weight", "bias")}
    return {name: random.normal(size=size).astype(np.float32) for name, size in shapes.items()}


@pytest.fixture
def tiny() -> Weights:
    return Weights(tensors(), layers=LAYERS, heads=2, epsilon=1e-12, max_tokens=9)


def hidden(tiny: Weights, linear: Linear) -> Any:
    content = network.file(tiny, linear)
    options = onnxruntime.SessionOptions()
    options.log_severity_level = 3
    session = onnxruntime.InferenceSession(content, options, providers=["CPUExecutionProvider"])
    return session.run(None, {network.GIVEN: IDS})[0]


def cosine(one: Any, other: Any) -> float:
    product = float((one * other).sum())
    return product / float(np.linalg.norm(one) * np.linalg.norm(other))


def test_the_float_network_is_a_bert(tiny: Weights) -> None:
    assert hidden(tiny, Exact()) == pytest.approx(by_hand(tiny), abs=1e-4)


def by_hand(tiny: Weights) -> Any:
    """BERT in NumPy: J. Devlin et al., "BERT" (2019)."""

    def normal(x: Any, at: str) -> Any:
        centred = x - x.mean(-1, keepdims=True)
        scaled = centred / np.sqrt((centred**2).mean(-1, keepdims=True) + tiny.epsilon)
        return scaled * tiny[f"{at}.weight"] + tiny[f"{at}.bias"]

    def dense(x: Any, at: str) -> Any:
        return x @ tiny[f"{at}.weight"].T + tiny[f"{at}.bias"]

    def heads(x: Any) -> Any:
        return x.reshape(len(x), tiny.heads, -1).transpose(1, 0, 2)

    ids = IDS[0]
    x = tiny["embeddings.word_embeddings.weight"][ids]
    x = x + tiny["embeddings.position_embeddings.weight"][: len(ids)]
    x = normal(x + tiny["embeddings.token_type_embeddings.weight"][0], "embeddings.LayerNorm")
    for number in range(tiny.layers):
        at = f"encoder.layer.{number}"
        query, key, value = (
            heads(dense(x, f"{at}.attention.self.{one}")) for one in ("query", "key", "value")
        )
        weight = np.exp(query @ key.transpose(0, 2, 1) / sqrt(query.shape[-1]))
        mixed = (weight / weight.sum(-1, keepdims=True)) @ value
        mixed = dense(mixed.transpose(1, 0, 2).reshape(x.shape), f"{at}.attention.output.dense")
        x = normal(mixed + x, f"{at}.attention.output.LayerNorm")
        wide = dense(x, f"{at}.intermediate.dense")
        wide = wide * 0.5 * (1 + np.vectorize(erf)(wide / sqrt(2)))
        x = normal(dense(wide, f"{at}.output.dense") + x, f"{at}.output.LayerNorm")
    return x[np.newaxis]


def test_int8_keeps_the_direction_but_not_every_digit(tiny: Weights) -> None:
    exact, int8 = hidden(tiny, Exact()), hidden(tiny, Int8({}))
    assert 0.99 < cosine(exact, int8) < 1 - 1e-7


def test_factors_change_nothing_but_the_rounding(tiny: Weights) -> None:
    factors = {network.product(0, "expand"): np.array([4] + [1] * (WIDTH - 1), dtype=np.float32)}
    plain, evened = hidden(tiny, Int8({})), hidden(tiny, Int8(factors))
    assert not np.array_equal(plain, evened)
    assert cosine(plain, evened) > 0.99


def test_a_product_can_stay_in_float(tiny: Weights) -> None:
    kept = Int8({}, frozenset({network.product(0, "shrink")}))
    assert np.dtype(np.float32).itemsize * WIDE * WIDTH < len(network.file(tiny, kept))
    assert not np.array_equal(hidden(tiny, kept), hidden(tiny, Int8({})))


def test_the_same_weights_make_the_same_bytes(tiny: Weights) -> None:
    assert network.file(tiny, Int8({})) == network.file(tiny, Int8({}))


def test_numbers_of_any_size_are_written_as_protobuf_reads_them() -> None:
    """The wire format's own example: 150 as field 1 is 08 96 01."""
    graph = Graph()
    graph.add("Op", ["a"], "b", far=150, back=-1)
    assert b"\x18\x96\x01" in graph.nodes[0]
    assert b"\x18" + b"\xff" * 9 + b"\x01" in graph.nodes[0]


def saved(directory: Path, **config: object) -> Path:
    """A directory of sentence-transformers with one tensor."""
    known = {"model_type": "bert", "hidden_act": "gelu", "num_hidden_layers": 1}
    known |= {"num_attention_heads": 2, "layer_norm_eps": 1e-12, **config}
    (directory / "config.json").write_text(json.dumps(known))
    (directory / "sentence_bert_config.json").write_text('{"max_seq_length": 9}')
    table = {"a": {"dtype": "F32", "shape": [2, 1], "data_offsets": [0, 8]}, "__metadata__": {}}
    header = json.dumps(table).encode()
    content = len(header).to_bytes(8, "little") + header + struct.pack("<2f", 1.5, -2)
    (directory / "model.safetensors").write_bytes(content)
    return directory


def test_weights_are_read_with_their_shape(tmp_path: Path) -> None:
    found = weights.read(saved(tmp_path))
    assert found["a"].tolist() == [[1.5], [-2.0]]
    assert (found.layers, found.heads, found.max_tokens) == (1, 2, 9)


def test_another_kind_of_network_is_refused(tmp_path: Path) -> None:
    with pytest.raises(BuildError, match="no BERT with GELU"):
        weights.read(saved(tmp_path, hidden_act="relu"))


def test_half_a_file_of_weights_is_reported(tmp_path: Path) -> None:
    directory = saved(tmp_path)
    content = (directory / "model.safetensors").read_bytes()
    (directory / "model.safetensors").write_bytes(content[:-4])
    with pytest.raises(BuildError, match="holds no readable weights"):
        weights.read(directory)


def test_a_letter_is_a_quarter_of_an_octave(tmp_path: Path) -> None:
    path = tmp_path / "smoothing.toml"
    path.write_text('exact = ["1.shrink"]\n[factors]\n"0.expand" = "mqi"\n')
    read = read_int8(path)
    assert read.factors["0.expand"].tolist() == [1, 2, 0.5]
    assert read.exact == {"1.shrink"}


def test_unusable_factors_are_reported(tmp_path: Path) -> None:
    with pytest.raises(BuildError, match="how to make int8"):
        read_int8(tmp_path / "smoothing.toml")
