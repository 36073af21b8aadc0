"""Other readings of a text: what a model would make of text that was encoded to pass unread."""

import base64
import binascii
import codecs
import html
import re
from collections.abc import Iterator
from urllib.parse import unquote

from tributary.domain.guard.phrases import Word

_BASE64 = re.compile(r"[A-Za-z0-9+/_-]{20,}={0,2}")
_HEX = re.compile(r"(?:0x)?[0-9A-Fa-f][0-9A-Fa-f: ]{22,}")
_ESCAPES = re.compile(r"\\x([0-9A-Fa-f]{2})|\\u([0-9A-Fa-f]{4})")
_MAX_BLOBS = 20
_LEET = str.maketrans("0134578@$!", "oleastbasi")
_LEET_1 = str.maketrans("0134578@$!", "oieastbasi")
_SPACED = 8  # single letters in a row that are spelling, not initials
_TELLTALE = re.compile(
    r"ignore|disregard|override|instruction|password|secret|credential|systemprompt|apikey|exfiltrat"
)


def readings(text: str) -> Iterator[str]:
    """What the text says when decoded, turned round or spelt plainly; each differs from it."""
    yield from _decoded_blobs(text)
    for reading in (
        unquote(
            html.unescape(_ESCAPES.sub(lambda found: chr(int(found[1] or found[2], 16)), text))
        ),
        text[::-1],
        codecs.encode(text, "rot13"),
        *_unleeted(text),
    ):
        if reading != text:
            yield reading


def spelt_out(words: tuple[Word, ...]) -> Iterator[tuple[str, int, int]]:
    """Words that were spelt in single letters ("i g n o r e"), joined, with their range."""
    run: list[Word] = []
    for word in (*words, Word("", 0, 0)):
        if len(word.text) == 1 and word.text.isalpha():
            run.append(word)
            continue
        joined = "".join(letter.text for letter in run)
        if len(run) >= _SPACED or _TELLTALE.fullmatch(joined):
            yield joined, run[0].start, run[-1].end
        run = []


def is_telltale(joined: str) -> bool:
    """Whether letters that were spelt out name what an attack is about."""
    return _TELLTALE.search(joined) is not None


def _unleeted(text: str) -> Iterator[str]:
    for table in (_LEET, _LEET_1):
        yield " ".join(
            chunk.translate(table) if _is_mixed(chunk) else chunk for chunk in text.split(" ")
        )


def _is_mixed(chunk: str) -> bool:
    return any(map(str.isalpha, chunk)) and any(char in "0134578@$!" for char in chunk[:-1])


def _decoded_blobs(text: str) -> Iterator[str]:
    blobs = 0
    for pattern, decode in ((_BASE64, _from_base64), (_HEX, _from_hex)):
        for match in pattern.finditer(text):
            blobs += 1
            if blobs > _MAX_BLOBS:
                return
            plain = decode(match.group())
            if plain:
                yield plain


def _from_base64(blob: str) -> str | None:
    raw = blob.rstrip("=").replace("-", "+").replace("_", "/")
    raw = raw[: len(raw) - (len(raw) % 4 == 1)]
    try:
        return _readable(base64.b64decode(raw + "=" * (-len(raw) % 4)))
    except binascii.Error:
        return None


def _from_hex(blob: str) -> str | None:
    digits = re.sub(r"[ :]", "", blob.removeprefix("0x"))
    return _readable(bytes.fromhex(digits[: len(digits) // 2 * 2]))


def _readable(raw: bytes) -> str | None:
    """The bytes as text, or None when they are not text."""
    try:
        text = raw.decode("utf-8")
    except UnicodeDecodeError:
        return None
    good = sum(char.isprintable() or char.isspace() for char in text)
    return text if text and good >= 0.95 * len(text) else None
