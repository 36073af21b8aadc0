import math

import pytest

from tributary.adapters.embedding.vector import DIMENSIONS, checked
from tributary.domain.errors import EmbeddingFailedError


def test_a_usable_vector_is_answered_unchanged() -> None:
    vector = [0.0] * (DIMENSIONS - 1) + [1.0]
    assert checked(vector) is vector


@pytest.mark.parametrize(
    ("vector", "reason"),
    [
        pytest.param([], "0 dimensions", id="empty"),
        pytest.param([1.0] * (DIMENSIONS - 1), "383 dimensions", id="one too few"),
        pytest.param([1.0] * (DIMENSIONS + 1), "385 dimensions", id="one too many"),
        pytest.param([0.0] * DIMENSIONS, "every dimension is zero", id="zeros"),
        pytest.param([-0.0] * DIMENSIONS, "every dimension is zero", id="negative zeros"),
        pytest.param([math.nan] * DIMENSIONS, "not a finite", id="all NaN"),
        pytest.param([1.0] * (DIMENSIONS - 1) + [math.nan], "not a finite", id="one NaN"),
        pytest.param([1.0] * (DIMENSIONS - 1) + [math.inf], "not a finite", id="infinity"),
        pytest.param([-math.inf] + [0.0] * (DIMENSIONS - 1), "not a finite", id="minus infinity"),
    ],
)
def test_an_unusable_vector_is_refused_with_the_reason(vector: list[float], reason: str) -> None:
    with pytest.raises(EmbeddingFailedError, match=reason):
        checked(vector)
