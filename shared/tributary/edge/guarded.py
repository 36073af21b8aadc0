"""Embedders and classifiers of whoever uses the library, held to what the ports promise."""

import math
from collections.abc import Sequence
from concurrent.futures import Future, wait
from dataclasses import dataclass, replace
from threading import Thread

from tributary.adapters.embedding.vector import checked
from tributary.domain.errors import ClassifierFailedError, EmbeddingFailedError, TributaryError
from tributary.domain.verdict import Comparable, Verdict
from tributary.ports import Classifier, Embedder, Embedding

UNIT = 1e-3  # how far from 1 a vector's length may be before it is scaled


@dataclass(frozen=True, slots=True)
class GuardedEmbedder:
    """An Embedder that raises nothing but EmbeddingFailedError, and answers unit vectors.

    A vector that is all but zero would become zero in the database's half precision.
    """

    embedder: Embedder

    @property
    def model(self) -> str:
        return self.embedder.model

    def embed(self, text: str) -> Embedding:
        try:
            embedding = self.embedder.embed(text)
            length = math.hypot(*checked(embedding.vector))
            if abs(length - 1) < UNIT:
                return embedding
            unit = tuple(value / length for value in embedding.vector)
            return replace(embedding, vector=checked(unit))
        except TributaryError:
            raise
        except Exception as error:
            raise EmbeddingFailedError(f"the embedder raised {type(error).__name__}") from error


@dataclass(frozen=True, slots=True)
class GuardedClassifier:
    """A Classifier that raises nothing but ClassifierFailedError, and that in time.

    One that is still thinking when the time is up is left behind in its thread.
    """

    classifier: Classifier
    seconds: float = 10.0  # as the state Classify of the workflow has

    @property
    def name(self) -> str:
        return self.classifier.name

    def classify(self, new: str, candidates: Sequence[Comparable]) -> Verdict:
        answer: Future[Verdict] = Future()
        Thread(target=self._answer, args=(answer, new, candidates), daemon=True).start()
        if not wait([answer], self.seconds).done:
            raise ClassifierFailedError(f"no answer within {self.seconds:g} s")
        try:
            return answer.result()
        except TributaryError:
            raise
        except Exception as error:
            raise ClassifierFailedError(f"it raised {type(error).__name__}") from error

    def _answer(
        self, answer: "Future[Verdict]", new: str, candidates: Sequence[Comparable]
    ) -> None:
        try:
            answer.set_result(self.classifier.classify(new, candidates))
        except Exception as error:  # noqa: BLE001  it is raised again in the thread that waits
            answer.set_exception(error)
