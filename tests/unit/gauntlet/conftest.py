"""A fake Tributary for the agents to talk to, with two tribes and five keys."""

from collections.abc import Iterator

import pytest

from tests.unit.gauntlet.fake_tributary import FakeTributary, serving

CALLERS = {
    "key-a": ("shared", "agent-a"),
    "key-b": ("shared", "agent-b"),
    "key-c": ("shared", "agent-c"),
    "key-control": ("alone", "control"),
    "key-other": ("other", "other"),
}


@pytest.fixture
def tributary() -> Iterator[FakeTributary]:
    with serving(FakeTributary(dict(CALLERS))) as fake:
        yield fake
