"""Text to comparable words: case, spelling, synonyms, numbers with units, names and code."""

import re
import unicodedata
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from enum import Enum

from tributary.adapters.classify import lexicon
from tributary.adapters.classify.spelling import NUMBER_WORDS, SYNONYMS, UNITS, spelt_out
from tributary.adapters.classify.stems import stem


class Kind(Enum):
    """What sort of value a word can be."""

    WORD = "word"
    NUMBER = "number"  # quantities, times, versions, dates, addresses: one at a time
    CODE = "code"  # identifiers, paths, URLs, host names
    NAME = "name"  # capitalised inside a sentence
    MARK = "mark"  # punctuation


@dataclass(frozen=True, slots=True)
class Token:
    """One word: `key` is what is compared, `text` the lower-case word as written."""

    text: str
    key: str
    kind: Kind
    article: str = ""  # the one that stood before it, lower case
    owner: bool = False  # it had a possessive 's

    @property
    def is_value(self) -> bool:
        return self.kind in {Kind.NUMBER, Kind.CODE, Kind.NAME}


_TOKEN = re.compile(
    r"[a-z]{2,10}://[^\s<>\"]+"
    r"|[\w.+-]{1,64}@[\w-]{1,63}(?:\.[\w-]{1,63}){1,4}"
    r"|\d{1,2}:\d{2}(?::\d{2})?"
    r"|~?/[\w./*-]+"
    r"|[#$\u20ac\u00a3]?\d[\d.,:/-]{0,40}\d(?=[a-z%]{0,3}\b)|[#$\u20ac\u00a3]?\d+"
    r"|[^\W\d][\w]*(?:[./\\-]+\w+)*(?:'\w+)?|\w+"
    r"|%|[.,;:!?=()]",
    re.IGNORECASE,
)
_SYNONYMS = {stem(word): stem(first) for word, first in SYNONYMS.items()}
_CODE = re.compile(r"[\w-]*[._/\\@]\w|://|^--?\w|\w_\w|\d[a-z]|[a-z]-?\d", re.IGNORECASE)


def normal_form(text: str) -> str:
    """Text in NFC, case-folded, with single blanks and without a closing mark."""
    folded = unicodedata.normalize("NFC", unicodedata.normalize("NFC", text).casefold())
    return " ".join(folded.translate({0x2019: "'", 0x2018: "'"}).split()).rstrip(" .!")


def tokenise(text: str) -> tuple[Token, ...]:
    """The words and marks of a text; articles and possessive endings become attributes."""
    plain = unicodedata.normalize("NFKC", text).translate({0x2019: "'", 0x2018: "'", 0x60: " "})
    capitals = {word.casefold() for word in re.findall(r"(?<=[\w,;:'\")] )[^\W\d_a-z]\w+", plain)}
    words = (match.group().casefold() for match in _TOKEN.finditer(spelt_out(plain.casefold())))
    tokens = _with_attributes(_tokens(words, capitals))
    return tuple(_with_units(tokens))


def _tokens(words: Iterator[str], capitals: set[str]) -> Iterator[Token]:
    for word in words:
        stem, apostrophe, ending = word.partition("'")
        owner = bool(apostrophe) and ending in {"s", ""}
        text = stem if owner else word
        yield Token(text, key_of(text), _kind(text, capitals), owner=owner)


def _kind(text: str, capitals: set[str]) -> Kind:
    if not any(map(str.isalnum, text)):
        return Kind.WORD if text in {"=", "%"} else Kind.MARK
    if text[0].isdigit() or text[0] in "#$\u20ac\u00a3" or text in NUMBER_WORDS:
        return Kind.NUMBER
    if (
        text in lexicon.CALENDAR
        or (text == "may" and text in capitals)
        or re.fullmatch(r"v\d[\d.]*", text)
    ):
        return Kind.NUMBER
    if _CODE.search(text):
        return Kind.CODE
    return Kind.NAME if text in capitals else Kind.WORD


def key_of(text: str) -> str:
    """What a word is compared by: synonyms, number words and endings evened out."""
    if text in NUMBER_WORDS:
        return NUMBER_WORDS[text]
    if re.fullmatch(r"\d{1,3}(?:,\d{3})+", text):
        return text.replace(",", "")
    if re.fullmatch(r"\d{1,2}:\d{2}", text):
        return text.zfill(5)
    stemmed = stem(text)
    return _SYNONYMS.get(stemmed, stemmed)


def _with_attributes(tokens: Iterator[Token]) -> Iterator[Token]:
    article = ""
    for token in tokens:
        if token.text in lexicon.ARTICLES:
            article = token.text
            continue
        yield replace(token, article=article)
        article = ""


def _with_units(tokens: Iterator[Token]) -> Iterator[Token]:
    """Numbers joined with the unit that follows: "60 seconds" and "1 min" get one key."""
    rest: Sequence[Token] = tuple(tokens)
    at = 0
    while at < len(rest):
        token = rest[at]
        value = re.fullmatch(r"(\d+(?:\.\d+)?)([a-z%]{0,12})", token.key)
        following = rest[at + 1].text if at + 1 < len(rest) else ""
        unit = value and (value[2] or following)
        if value and unit in UNITS:
            base, factor = UNITS[unit]
            text = f"{float(value[1]) * factor:g}{base}"
            yield replace(token, text=text, key=text, kind=Kind.NUMBER)
            at += 1 if value[2] else 2
        else:
            yield token
            at += 1
