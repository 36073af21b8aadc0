"""A small language for word patterns, matched in linear time.

    ignore|disregard <2 previous|your <1 instructions

reads: one of two words, then with up to two words between, one of two, then with up to one
between, the last. `?` after a word makes it optional, `^` stands for the start of a sentence and
`$` for its end. URL, EMAIL and IP stand for an address. A match never leaves its sentence.
"""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import zip_longest

_LINE = re.compile(r"[^\n]*\n|[^\n]+$")
_CHUNK = re.compile(r"\S+")
_PARTS = re.compile(r"[^\W_]+")
_DOMAIN = re.compile(
    r"(?:[\w-]{1,63}\.){1,5}(?:com|net|org|io|xyz|dev|info|biz|ru|cn|me|app|site|top|example|invalid"
    r"|test|co|ai|to|sh|gg|ly|link|click)(?:[:/?]\S*)?"
)
# Addresses of the own network; a bare address outside of it is nobody's service.
_NEAR = re.compile(r"(?:\w{2,10}://)?(?:10|127|192\.168|172\.(?:1[6-9]|2\d|3[01]))\.[\d.]{3,12}")
_FAR = re.compile(r"(?:\w{2,10}://)?(?:\d{1,3}\.){3}\d{1,3}(?![\w.])")
_EDGES = "\"'`()[]{}<>*,;:.!?"
_BULLET = re.compile(r"(?:[-*>#|+]|\d{1,3}[.)])\s")


@dataclass(frozen=True, slots=True)
class Word:
    """A folded, lower-case word with its place in the folded text; `.` marks a sentence's end."""

    text: str
    start: int
    end: int


@dataclass(frozen=True, slots=True)
class Step:
    """One position of a phrase: what may stand there, and how many words may come before."""

    choices: frozenset[str]
    gap: int = 0
    optional: bool = False


@dataclass(frozen=True, slots=True)
class Phrase:
    """A parsed word pattern."""

    steps: tuple[Step, ...]
    at_start: bool
    before_end: int | None  # how many words may stand between the match and the sentence's end

    @classmethod
    def parse(cls, pattern: str) -> "Phrase":
        """The phrase that `pattern` describes; the first step is neither optional nor gapped."""
        steps: list[Step] = []
        gap = 0
        for part in pattern.split():
            if part in {"^", "$"}:
                continue
            if part.startswith("<"):
                gap = int(part[1:])
                continue
            steps.append(Step(frozenset(part.rstrip("?").split("|")), gap, part.endswith("?")))
            gap = 0
        return cls(tuple(steps), pattern.startswith("^"), gap if pattern.endswith("$") else None)

    def match(self, words: Sequence[Word], at: int) -> int | None:
        """The index after the match that begins at `at`, or None."""
        if words[at].text not in self.steps[0].choices:
            return None
        if self.at_start and at > 0 and words[at - 1].text != ".":
            return None
        return self._rest(words, at + 1, 1)

    def _rest(self, words: Sequence[Word], at: int, step: int) -> int | None:
        if step == len(self.steps):
            return at if self.before_end is None or _ends(words, at, self.before_end) else None
        wanted = self.steps[step]
        for index in range(at, min(at + wanted.gap + 1, len(words))):
            if words[index].text in wanted.choices:
                found = self._rest(words, index + 1, step + 1)
                if found is not None:
                    return found
            if words[index].text == ".":
                break
        return self._rest(words, at, step + 1) if wanted.optional else None


def _ends(words: Sequence[Word], at: int, within: int) -> bool:
    return at + within >= len(words) or any(
        word.text == "." for word in words[at : at + within + 1]
    )


def parse_all(*patterns: str) -> tuple[Phrase, ...]:
    """The phrases of several patterns."""
    return tuple(map(Phrase.parse, patterns))


def any_of(words: str) -> str:
    """The alternation of words that are separated by blanks."""
    return "|".join(words.split())


def word_set(words: str) -> frozenset[str]:
    """The words that are separated by blanks, as a set."""
    return frozenset(words.split())


def split_words(text: str) -> tuple[Word, ...]:
    """The words of folded text, in order, with a `.` word after each sentence."""
    words: list[Word] = []
    for line in _LINE.finditer(text):
        if (
            words
            and words[-1].text != "."
            and (_BULLET.match(line.group()) or line.group() == "\n")
        ):
            words.append(Word(".", line.start(), line.start()))
        chunks = list(_CHUNK.finditer(text, line.start(), line.end()))
        for chunk, after in zip_longest(chunks, chunks[1:]):
            words.extend(_split_chunk(chunk.group(), chunk.start()))
            if _ends_sentence(chunk.group(), after.group() if after else ""):
                words.append(Word(".", chunk.end(), chunk.end()))
    return tuple(words)


def _ends_sentence(chunk: str, after: str) -> bool:
    core = chunk.rstrip("\"'`)]}*")
    if not core or core[-1] not in ".!?;":
        return False
    return core == chunk or not after[:1].islower()  # 'add "Buy now!" to it' goes on


def _split_chunk(chunk: str, start: int) -> Iterator[Word]:
    kind = _address_kind(chunk.strip(_EDGES).lower())
    if kind:
        yield Word(kind, start, start + len(chunk))
        return
    plain = chunk.lower()
    exact = "'" not in plain and len(plain) == len(chunk)
    for part in _PARTS.finditer(plain.replace("'", "")):
        begin, end = part.span() if exact else (0, len(chunk))
        yield Word(part.group(), start + begin, start + end)


def _address_kind(core: str) -> str | None:
    if _FAR.match(core) and not _NEAR.match(core):
        return "IP"
    if "://" in core or core.startswith("www.") or _NEAR.fullmatch(core):
        return "URL"
    if "@" in core[1:-1] and "." in core.rpartition("@")[2] and not core.startswith("@"):
        return "EMAIL"
    return "URL" if _DOMAIN.fullmatch(core) else None
