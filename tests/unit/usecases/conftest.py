"""Every case of a learn is run through both flows."""

import pytest

from tests.unit.usecases.flows import RUNNERS, Bench


@pytest.fixture(params=RUNNERS)
def bench(request: pytest.FixtureRequest) -> Bench:
    """A learner over an empty store."""
    return Bench(RUNNERS[request.param])
