"""Embedders and classifiers of whoever uses the library, held to what the ports promise."""

import math
from collections.abc import Sequence
from dataclasses import dataclass, replace

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
    """A Classifier that raises nothing but ClassifierFailedError."""

    classifier: Classifier

    @property
    def name(self) -> str:
        return self.classifier.name

    def classify(self, new: str, candidates: Sequence[Comparable]) -> Verdict:
        try:
            return self.classifier.classify(new, candidates)
        except TributaryError:
            raise
        except Exception as error:
            raise ClassifierFailedError(f"it raised {type(error).__name__}") from error
