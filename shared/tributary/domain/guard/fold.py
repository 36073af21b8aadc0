"""Text as a reader would see it, so that tricks of writing do not hide words from the rules."""

import unicodedata
from dataclasses import dataclass
from functools import lru_cache

# Letters of other scripts that look like Latin ones (a subset of Unicode TR 39's confusables).
_TWINS = {
    "a": "\u0430\u03b1\u0251\u1d00",
    "b": "\u03b2\u0432\u0253",
    "c": "\u0441\u03f2\u1d04",
    "d": "\u0501\u0257",
    "e": "\u0435\u03b5\u1d07",
    "g": "\u0261\u050d\u0581",
    "h": "\u04bb\u043d",
    "i": "\u0456\u0131\u03b9\u0269\u026a",
    "j": "\u0458\u03f3",
    "k": "\u043a\u03ba",
    "l": "\u04cf",
    "m": "\u043c",
    "n": "\u03b7\u0578",
    "o": "\u043e\u03bf\u0585\u1d0f",
    "p": "\u0440\u03c1",
    "q": "\u051b",
    "r": "\u0433",
    "s": "\u0455\ua731",
    "t": "\u0442\u03c4",
    "u": "\u03c5\u057d\u1d1c",
    "v": "\u03bd\u0475\u1d20",
    "w": "\u051d\u03c9\u1d21",
    "x": "\u0445\u03c7",
    "y": "\u0443\u04af\u03b3",
    "z": "\u1d22",
}
_LONGEST_FORM = 6  # a few ligatures unfold to whole phrases; unfolding them would let text swell
_LOOKALIKES = {twin: letter for letter, twins in _TWINS.items() for twin in twins}
# Tag characters mirror ASCII invisibly, and models read them.
_TAGS = {0xE0000 + code: chr(code) for code in range(0x20, 0x7F)}


@dataclass(frozen=True, slots=True)
class Folded:
    """Folded text, and for every character of it the index it had in the original."""

    text: str
    origin: tuple[int, ...]

    def span(self, start: int, end: int) -> tuple[int, int]:
        """The half-open range of the original that the range of the folded text came from."""
        if start >= end or start >= len(self.origin):
            return (0, 0)
        return self.origin[start], self.origin[min(end, len(self.origin)) - 1] + 1


def fold(text: str) -> Folded:
    """Compatibility forms, accents, look-alikes, invisible and repeated blank characters undone.

    Case is kept: credentials and encoded text depend on it.
    """
    chars: list[str] = []
    origin: list[int] = []
    for index, char in enumerate(text):
        for plain in _fold_char(char):
            if plain == " " and chars and chars[-1] in " \n":
                continue
            chars.append(plain)
            origin.append(index)
    return Folded("".join(chars), tuple(origin))


@lru_cache(maxsize=4096)
def _fold_char(char: str) -> str:
    if char == "\n" or "!" <= char <= "~":
        return char
    if ord(char) in _TAGS:
        return _TAGS[ord(char)]
    if char in "\u2028\u2029\x85\r\x0b\x0c":
        return "\n"
    if char in "\u2018\u2019\u02bc":
        return "'"
    if char.isspace():
        return " "
    parts = unicodedata.normalize("NFKD", char)
    if len(parts) > _LONGEST_FORM:
        return " "
    return "".join(_plain(part) for part in parts if _shows(part))


def _shows(char: str) -> bool:
    return char.isspace() or unicodedata.category(char) not in {"Mn", "Me", "Cf", "Cc", "Cn", "Co"}


def _plain(char: str) -> str:
    if char.isspace():
        return " "
    lower = char.lower()
    twin = _LOOKALIKES.get(lower)
    if twin is None:
        return char
    return twin if char == lower else twin.upper()
