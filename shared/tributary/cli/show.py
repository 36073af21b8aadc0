"""Answers as tables for people, or as JSON for programs."""

import sys
from collections.abc import Iterable, Sequence
from dataclasses import fields, is_dataclass
from datetime import datetime
from enum import IntEnum
from json import dumps
from typing import Any
from uuid import UUID

from rich.console import Console
from rich.table import Table
from rich.text import Text

from tributary.domain.errors import InvalidInputError

COLOURS = {
    "active": "green",
    "inserted": "green",
    "reinforced": "cyan",
    "superseded": "yellow",
    "pending": "yellow",
    "disputed": "magenta",
    "retired": "bright_black",
    "quarantined": "red",
}


def json(value: Any) -> None:
    """One JSON document on standard output."""
    sys.stdout.write(dumps(_plain(value), ensure_ascii=False, indent=2, default=str) + "\n")


def _plain(value: Any) -> Any:
    if isinstance(value, InvalidInputError):
        return {"error": str(value), "field": value.field}
    if is_dataclass(value) and not isinstance(value, type):
        return {field.name: _plain(getattr(value, field.name)) for field in fields(value)}
    if isinstance(value, dict):
        return {str(key): _plain(item) for key, item in value.items()}
    if isinstance(value, (list, tuple)):
        return [_plain(item) for item in value]
    if isinstance(value, IntEnum):
        return value.name.lower()
    return value.isoformat() if isinstance(value, datetime) else value


def table(columns: Sequence[str], rows: Iterable[Sequence[object]], empty: str) -> None:
    """A table, or one line when there is nothing to show."""
    drawn = Table(*columns, header_style="bold")
    for row in rows:
        drawn.add_row(*(cell(value) for value in row))
    Console().print(drawn if drawn.row_count else Text(empty))


def noted(text: str, *notes: object) -> Text:
    """A text, and below it, dimmed, what else is to know of it."""
    below = " · ".join(cell(note).plain for note in notes)
    return Text.assemble(cell(text), "\n", (below, "bright_black"))


def line(*values: object) -> None:
    """Values in one line."""
    Console(soft_wrap=True).print(Text(" ").join(cell(value) for value in values))


def cell(value: object) -> Text:
    """A value as people read it. A lesson's text is shown as it is, never as markup."""
    if isinstance(value, Text):
        return value
    if value is None:
        return Text("-", style="bright_black")
    if isinstance(value, float):
        return Text(f"{value:.3f}", justify="right")
    if isinstance(value, datetime):
        return Text(value.astimezone().strftime("%Y-%m-%d %H:%M:%S %z"))
    if isinstance(value, UUID):
        return Text(str(value), style="blue")
    return Text(_harmless(str(value)), style=COLOURS.get(str(value), ""))


def _harmless(text: str) -> str:
    """Without control characters, which could drive the terminal."""
    return "".join(char if char.isprintable() or char == "\n" else "\N{REPLACEMENT CHARACTER}"
                   for char in text)  # fmt: skip
