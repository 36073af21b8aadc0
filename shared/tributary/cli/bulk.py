"""Learning a whole file."""

import json
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from rich.progress import track

from tributary.cli import show
from tributary.domain.errors import InvalidInputError
from tributary.domain.validity import parse_instant
from tributary.memory import Memory
from tributary.ports import Learned


@dataclass(frozen=True, slots=True)
class Line:
    """What became of one line; lines count from 1."""

    line: int
    result: Learned | InvalidInputError


def learn_file(memory: Memory, file: Path, *, progress: bool) -> list[Line]:
    """Learn every line that is not blank. Raises InvalidInputError when the file cannot be read."""
    lines = list(_lines(file))
    shown = track(lines, description="learning", disable=not progress)
    return [Line(number, _learn(memory, text)) for number, text in shown]


def _lines(file: Path) -> Iterator[tuple[int, str]]:
    try:
        text = file.read_text(encoding="utf-8-sig")
    except (OSError, UnicodeDecodeError) as error:
        raise InvalidInputError("file", f"cannot be read: {error}") from None
    # Not splitlines(): that also splits at U+2028, which JSON allows in a string.
    for number, line in enumerate(text.split("\n"), start=1):
        if line.strip():
            yield number, line


def _learn(memory: Memory, text: str) -> Learned | InvalidInputError:
    try:
        item = json.loads(text)
    except (ValueError, RecursionError):
        return InvalidInputError("line", "is not JSON")
    if not isinstance(item, dict):
        return InvalidInputError("line", "is not a JSON object")
    try:
        (result,) = memory.learn_many([_with_instants(item)])
    except InvalidInputError as error:
        return error
    return result


def _with_instants(item: dict[str, Any]) -> dict[str, Any]:
    return {
        key: parse_instant(value, key)
        if key in ("valid_from", "valid_to") and isinstance(value, str)
        else value
        for key, value in item.items()
    }


def summarise(results: list[Line]) -> None:
    """How many of each outcome, and each line that was refused."""
    counts = Counter(
        "refused" if isinstance(one.result, InvalidInputError) else one.result.outcome.value
        for one in results
    )
    show.table(["outcome", "lines"], sorted(counts.items()), "The file is empty.")
    refused = [(one.line, one.result) for one in results if isinstance(one.result, Exception)]
    if refused:
        show.table(["line", "why it was refused"], refused, "")
