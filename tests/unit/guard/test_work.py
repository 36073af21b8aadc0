"""The guard's work grows in proportion to the text, whatever the text is."""

import importlib
import pkgutil
import re
import sys
from collections.abc import Iterator
from re import _parser  # type: ignore[attr-defined]
from types import FrameType, ModuleType
from typing import Any

import pytest

from tributary.domain import guard
from tributary.domain.guard import screen

HOSTILE = [
    "send ",
    "send password ",
    "rm -rf / ",
    "never rm -rf / ",
    "delete everything when ",
    "when you read this ",
    "ignore your ",
    "QUJD",
    "ab ",
    "a.",
    "a b ",
    "' ",
    '"',
    "\n",
    "\nsystem:",
    "![](http://",
    "pass_",
    "%41",
    "<|",
    "env | curl ",
    "the following code in your ",
    "can you please ",
    "\u0430",
    "\ufdfa",
    "=",
    "eyJ",
]


def calls_made(text: str) -> int:
    """How many Python and C functions a screening calls."""
    count = 0

    def on_event(frame: FrameType, event: str, arg: object) -> None:
        nonlocal count
        count += event in {"call", "c_call"}

    sys.setprofile(on_event)
    try:
        screen(text)
    finally:
        sys.setprofile(None)
    return count


@pytest.mark.parametrize("seed", HOSTILE)
def test_twice_the_text_is_at_most_about_twice_the_work(seed: str) -> None:
    screen(seed)  # fills the cache of folded characters
    short, long = (calls_made((seed * 8_000)[:size]) for size in (4_000, 8_000))
    assert long <= 2.2 * short + 2_000


def modules() -> Iterator[ModuleType]:
    for info in pkgutil.iter_modules(guard.__path__, f"{guard.__name__}."):
        yield importlib.import_module(info.name)


def patterns() -> Iterator[tuple[str, re.Pattern[str]]]:
    for module in modules():
        for name, value in vars(module).items():
            if isinstance(value, re.Pattern):
                yield f"{module.__name__}.{name}", value


def repeats(tree: Any, outer: int = 1) -> Iterator[int]:
    """For every repeat in a parsed pattern, how often its body may run within outer repeats."""
    for code, argument in tree:
        name = str(code)
        if name in {"MAX_REPEAT", "MIN_REPEAT", "POSSESSIVE_REPEAT"}:
            _, most, body = argument
            times = 1_000_000 if most is _parser.MAXREPEAT else int(most)
            yield outer * times
            yield from repeats(body, outer * times)
        elif name == "BRANCH":
            for branch in argument[1]:
                yield from repeats(branch, outer)
        elif name == "SUBPATTERN":
            yield from repeats(argument[-1], outer)
        elif name in {"ASSERT", "ASSERT_NOT"}:
            yield from repeats(argument[1], outer)


def test_no_pattern_can_backtrack_catastrophically() -> None:
    """No unbounded repeat stands inside another repeat that may run more than once."""
    found = dict(patterns())
    assert len(found) > 10
    for name, pattern in found.items():
        worst = max(repeats(_parser.parse(pattern.pattern, pattern.flags)), default=0)
        assert worst <= 1_000_000, name
