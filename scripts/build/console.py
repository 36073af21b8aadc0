"""How the build talks: one line before each step that takes time, one table at the end."""

import time
from collections.abc import Iterator
from contextlib import contextmanager

from rich.console import Console
from rich.markup import escape

console = Console(stderr=True, highlight=False)


class BuildError(Exception):
    """The build cannot go on; the message says what to do about it."""


def fail(what: str, reason: object) -> int:
    """Say that something failed, on one line; answers the exit code."""
    console.print(f"[red]{what} failed:[/red] {escape(str(reason))}", soft_wrap=True)
    return 1


@contextmanager
def step(what: str) -> Iterator[None]:
    """Say what is going on while it does, and how long it took."""
    begun = time.perf_counter()
    if not console.is_terminal:
        console.print(f"{what} ...")
    with console.status(what):
        yield
    console.print(f"{what}: {time.perf_counter() - begun:.1f} s")
