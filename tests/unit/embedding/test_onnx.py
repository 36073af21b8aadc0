import copy
import math
import shutil
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from tributary.adapters.embedding.onnx import OnnxEmbedder
from tributary.adapters.embedding.vector import DIMENSIONS
from tributary.domain.errors import ConfigurationError, EmbeddingFailedError
from tributary.ports import Embedder


class StandIn:
    """A session that answers what it is told to."""

    def __init__(self, answer: Callable[[int], Any]) -> None:
        self._answer = answer

    def run(self, _outputs: None, feed: dict[str, Any]) -> list[Any]:
        return [self._answer(feed["input_ids"].shape[1])[np.newaxis]]


def answering(embedder: OnnxEmbedder, answer: Callable[[int], Any]) -> OnnxEmbedder:
    """The embedder with another session, which answers tokens x dimensions."""
    other = copy.copy(embedder)
    other._session = StandIn(answer)
    return other


def test_it_is_an_embedder_whose_vectors_have_length_one(embedder: Embedder) -> None:
    found = embedder.embed("Migrate before you deploy.")
    assert len(found.vector) == DIMENSIONS
    assert math.hypot(*found.vector) == pytest.approx(1, abs=1e-6)
    assert all(type(number) is float for number in found.vector)


def test_the_model_is_named_with_its_weights(embedder: Embedder) -> None:
    assert embedder.model == "all-MiniLM-L6-v2-int8@03ef7f0e"
    assert embedder.embed("x").model == embedder.model


def test_the_same_text_gives_the_same_vector(embedder: Embedder) -> None:
    assert embedder.embed("again") == embedder.embed("again")


def test_a_text_is_cut_at_256_tokens_and_says_so(embedder: Embedder) -> None:
    fits, too_long = "word " * 254, "word " * 255  # with the two tokens at the ends: 256, 257
    assert not embedder.embed(fits).truncated
    assert embedder.embed(too_long).truncated
    assert embedder.embed(too_long).vector == embedder.embed(fits).vector


def test_more_than_128_tokens_are_read(embedder: Embedder) -> None:
    """The tokenizer's own file cuts and pads at 128."""
    shared = "word " * 150
    assert embedder.embed(shared + "north").vector != embedder.embed(shared + "south").vector


def test_padding_tokens_are_not_part_of_the_mean(embedder: OnnxEmbedder) -> None:
    assert len(embedder._tokenizer.encode("x").ids) == 3


@pytest.mark.parametrize(
    "text",
    [
        pytest.param("[CLS]", id="special token"),
        pytest.param("[SEP][PAD][MASK]", id="only special tokens"),
        pytest.param("<|endoftext|>", id="another model's special token"),
        pytest.param("\u202e", id="right-to-left override alone"),
        pytest.param("👩🏽‍💻🚀", id="emoji"),
        pytest.param("\x00\x01", id="control characters"),
        pytest.param("e\u0301" * 400, id="combining marks"),
        pytest.param("a" * 8000, id="8000 characters without a space"),
        pytest.param("ab cd " * 1333, id="8000 characters of words"),
        pytest.param("漢" * 8000, id="8000 ideographs"),
        pytest.param("", id="nothing"),
    ],
)
def test_every_text_has_a_vector(embedder: Embedder, text: str) -> None:
    assert math.hypot(*embedder.embed(text).vector) == pytest.approx(1, abs=1e-6)


def test_a_special_token_in_a_text_is_text(embedder: OnnxEmbedder) -> None:
    tokens = embedder._tokenizer.encode("a [SEP] b").tokens
    assert tokens == ["[CLS]", "a", "[", "sep", "]", "b", "[SEP]"]


def test_an_error_of_the_tokenizer_is_wrapped_once(embedder: OnnxEmbedder) -> None:
    with pytest.raises(EmbeddingFailedError, match="TypeError") as caught:
        embedder.embed("\ud800")
    assert isinstance(caught.value.__cause__, TypeError)


def test_an_error_of_the_runtime_is_wrapped_once(embedder: OnnxEmbedder) -> None:
    def fail(_tokens: int) -> Any:
        raise RuntimeError("out of memory")

    with pytest.raises(EmbeddingFailedError, match="RuntimeError") as caught:
        answering(embedder, fail).embed("x")
    assert isinstance(caught.value.__cause__, RuntimeError)


@pytest.mark.parametrize(
    ("answer", "reason"),
    [
        pytest.param(lambda n: np.zeros((n, DIMENSIONS)), "zero", id="zeros"),
        pytest.param(lambda n: np.full((n, DIMENSIONS), np.nan), "finite", id="NaN"),
        pytest.param(lambda n: np.ones((n, 12)), "12 dimensions", id="wrong width"),
    ],
)
def test_an_unusable_answer_is_a_failed_embedding(
    embedder: OnnxEmbedder, answer: Callable[[int], Any], reason: str
) -> None:
    with pytest.raises(EmbeddingFailedError, match=reason):
        answering(embedder, answer).embed("x")


def test_both_thread_counts_are_set(model_dir: Path) -> None:
    options = OnnxEmbedder(model_dir, threads=2)._session.get_session_options()
    assert (options.intra_op_num_threads, options.inter_op_num_threads) == (2, 1)


@pytest.mark.parametrize("damaged", ["model.onnx", "tokenizer.json"])
def test_a_damaged_model_is_an_operators_problem(
    model_dir: Path, tmp_path: Path, damaged: str
) -> None:
    for name in ("model.onnx", "tokenizer.json", "model.toml"):
        shutil.copy(model_dir / name, tmp_path / name)
    (tmp_path / damaged).write_bytes(b"half of a downl")
    with pytest.raises(ConfigurationError, match="is broken; run `make model`"):
        OnnxEmbedder(tmp_path)


@pytest.mark.parametrize(
    ("old", "new", "reason"),
    [("384", "768", "has 768 dimensions"), ('"mean"', '"weighted"', "needs weighted pooling")],
)
def test_a_model_that_does_not_fit_is_refused(
    model_dir: Path, tmp_path: Path, old: str, new: str, reason: str
) -> None:
    card = (model_dir / "model.toml").read_text(encoding="utf-8")
    (tmp_path / "model.toml").write_text(card.replace(old, new, 1), encoding="utf-8")
    with pytest.raises(ConfigurationError, match=reason):
        OnnxEmbedder(tmp_path)


def test_cls_pooling_takes_the_first_token(embedder: OnnxEmbedder) -> None:
    def first_is_different(tokens: int) -> Any:
        hidden = np.zeros((tokens, DIMENSIONS), dtype=np.float32)
        hidden[0, 0], hidden[1:, 1] = 3, 5
        return hidden

    by_first = answering(embedder, first_is_different)
    by_first._pooling = "cls"
    assert by_first.embed("a few words").vector[:2] == (1.0, 0.0)


def test_nothing_heavy_is_imported_before_the_first_embedder() -> None:
    """A fresh interpreter, because this one has everything loaded."""
    code = (
        "import sys, tributary.adapters.embedding.onnx\n"
        "print({'numpy', 'onnxruntime', 'tokenizers'} & set(sys.modules) or 'nothing')"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "nothing"


def test_it_works_without_the_hub_client_that_the_layer_leaves_out(model_dir: Path) -> None:
    code = (
        "import sys; sys.modules['huggingface_hub'] = None\n"
        "from tributary.adapters.embedding.onnx import OnnxEmbedder\n"
        "print(len(OnnxEmbedder.load().embed('x').vector))"
    )
    done = subprocess.run(
        [sys.executable, "-c", code],
        capture_output=True,
        text=True,
        check=True,
        env={"TRIBUTARY_MODEL_DIR": str(model_dir)},
    )
    assert done.stdout.strip() == "384"
