"""Sentence embeddings on this machine's CPU, by ONNX Runtime."""

from pathlib import Path
from typing import TYPE_CHECKING, Any, Self

from tributary.adapters.embedding.model_dir import (
    REMEDY,
    ModelCard,
    default_model_dir,
    read_card,
)
from tributary.adapters.embedding.vector import DIMENSIONS, checked
from tributary.domain.errors import ConfigurationError, EmbeddingFailedError
from tributary.ports import Embedding

# Nothing heavy is imported before the first embedder: functions that never embed would pay
# for it at every cold start.
if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

WARNINGS_OFF = 3  # ONNX Runtime's log level "error"; it warns of missing GPUs otherwise


class OnnxEmbedder:
    """An Embedder over a model directory; safe to share between threads.

    Loading takes a few tenths of a second, so make one and keep it. `threads` are used for one
    text; one is best wherever texts are embedded at the same time.
    Raises ConfigurationError when the directory holds no usable model.
    """

    def __init__(self, model_dir: Path, threads: int = 1) -> None:
        card = _usable(read_card(model_dir), model_dir)
        self.model = card.id
        self._pooling = card.pooling
        try:
            self._tokenizer = load_tokenizer(model_dir / "tokenizer.json", card.max_tokens)
            self._session = load_session(model_dir / "model.onnx", threads)
        except Exception as error:  # neither library has a base class for its errors
            raise ConfigurationError(f"the model in {model_dir} is broken; {REMEDY}") from error
        self._inputs = [given.name for given in self._session.get_inputs()]

    @classmethod
    def load(cls, *, threads: int = 1) -> Self:
        """The embedder over `default_model_dir()`."""
        return cls(default_model_dir(), threads)

    def embed(self, text: str) -> Embedding:
        """The unit vector of `text`, which is cut to the model's limit of tokens.

        Raises EmbeddingFailedError.
        """
        try:
            encoding = self._tokenizer.encode(text)
            vector = _pooled(self._hidden(encoding), encoding.attention_mask, self._pooling)
        except Exception as error:  # neither library has a base class for its errors
            raise EmbeddingFailedError(f"{self.model} raised {type(error).__name__}") from error
        return Embedding(checked(vector), self.model, truncated=bool(encoding.overflowing))

    def _hidden(self, encoding: Any) -> "NDArray[np.float32]":
        """The last hidden state: tokens x dimensions."""
        import numpy as np

        given = {
            "input_ids": encoding.ids,
            "attention_mask": encoding.attention_mask,
            "token_type_ids": encoding.type_ids,
        }
        feed = {name: np.array([given[name]], dtype=np.int64) for name in self._inputs}
        hidden: NDArray[np.float32] = self._session.run(None, feed)[0][0]
        return hidden


def _usable(card: ModelCard, model_dir: Path) -> ModelCard:
    if card.dimensions != DIMENSIONS:
        raise ConfigurationError(
            f"the model in {model_dir} has {card.dimensions} dimensions; "
            f"the database stores {DIMENSIONS}"
        )
    if card.pooling not in ("mean", "cls"):
        raise ConfigurationError(f"the model in {model_dir} needs {card.pooling} pooling")
    return card


def load_tokenizer(path: Path, max_tokens: int) -> Any:
    """A tokenizer that cuts at `max_tokens`, pads nothing, and reads every text as text."""
    from tokenizers import Tokenizer

    tokenizer = Tokenizer.from_file(str(path))
    tokenizer.no_padding()  # the file pads to 128 and cuts at 128
    tokenizer.enable_truncation(max_tokens)
    tokenizer.encode_special_tokens = True  # "[SEP]" in a lesson is text, not a separator
    return tokenizer


def load_session(path: Path, threads: int) -> Any:
    """An ONNX Runtime session on the CPU."""
    import onnxruntime

    options = onnxruntime.SessionOptions()
    options.intra_op_num_threads = threads
    options.inter_op_num_threads = 1
    options.log_severity_level = WARNINGS_OFF
    return onnxruntime.InferenceSession(str(path), options, providers=["CPUExecutionProvider"])


def _pooled(hidden: "NDArray[np.float32]", mask: list[int], pooling: str) -> tuple[float, ...]:
    """One unit vector of the tokens' vectors, as sentence-transformers' Pooling and Normalize.

    A zero vector stays zero; `checked` refuses it.
    """
    import numpy as np

    weights = np.array(mask, dtype=np.float32)
    vector = hidden[0] if pooling == "cls" else weights @ hidden / weights.sum()
    norm = float(np.linalg.norm(vector))
    return tuple((vector / norm if norm else vector).tolist())
