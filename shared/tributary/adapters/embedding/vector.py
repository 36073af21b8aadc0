"""What every embedder's answer is held to."""

import math
from collections.abc import Sequence

from tributary.domain.errors import EmbeddingFailedError
from tributary.ports import Vector

DIMENSIONS = 384  # the width of the vector columns in the database


def checked(vector: Sequence[float]) -> Vector:
    """The vector itself, when it has 384 finite numbers that are not all zero.

    Raises EmbeddingFailedError. The length of the vector (its norm) is the embedder's business.
    """
    if len(vector) != DIMENSIONS:
        raise EmbeddingFailedError(f"{len(vector)} dimensions instead of {DIMENSIONS}")
    if not all(map(math.isfinite, vector)):
        raise EmbeddingFailedError("a dimension is not a finite number")
    if not any(vector):
        raise EmbeddingFailedError("every dimension is zero")
    return vector
