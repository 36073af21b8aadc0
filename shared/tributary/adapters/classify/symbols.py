"""The symbols that carry meaning, which words alone do not show: `>=`, `-5`, `C++`, a tick."""

import re
import unicodedata

_ARROWS = re.compile(r"[-=]>|<[-=]")
_SYMBOLS = re.compile(
    r"[<>]=?|[!=]="  # comparisons
    r"|(?<!\w)[+\u2212-](?=\d)"  # signs of numbers
    r"|(?<=[A-Za-z])(?:\+\+|\#)"  # C++, C#
    r"|(?<=\w)[*+](?=[$\s]|$)"  # repetitions in a pattern
    r"|[\u2260\u2264\u2265]"
)


def differ(one: str, other: str) -> bool:
    """True when two texts of the same words still say different things.

    A picture counts only against another picture: one alone is decoration.
    """
    first, second = _SYMBOLS.findall(_plain(one)), _SYMBOLS.findall(_plain(other))
    pictures, others = _pictures(one), _pictures(other)
    return first != second or bool(pictures and others and pictures != others)


def _plain(text: str) -> str:
    return _ARROWS.sub(" ", text)


def _pictures(text: str) -> list[str]:
    return [char for char in text if unicodedata.category(char) == "So"]
