"""What stands before a statement to say whose it is: a speaker, a date, a heading, a tag.

"Ann: the port is 7001", "[ops] ...", "Lesson 12: ..." and "... - Ann" are labelled statements, and
the statements are what is compared. "port: 7001" is one itself, and is left whole.
"""

import re
from dataclasses import dataclass, replace
from functools import lru_cache

from tributary.adapters.classify import lexicon, names
from tributary.adapters.classify.frames import shape
from tributary.adapters.classify.readings import are_plain_values, is_pair, until_end
from tributary.adapters.classify.tokens import Kind, Token, tokenise

_MAX_LABELS = 4
_MAX_FIELD = 5  # words
_MAX_WORDS = 10
_ITEM = re.compile(r"\s*(?:[-*>#\u2022]{1,6}|\d{1,3}[.)])\s")
_STAMP = re.compile(r"\d{4}-\d\d-\d\d(?:[T ]\d\d:\d\d[\d:.]*(?:Z|[+-]\d\d:?\d\d)?)?\s")
_BRACKETED = re.compile(r"[\[(<]([^][(){}<>\n]{1,60})[\])>]:?\s")
_HEADED = re.compile(r"((?:[^:.;!?\n\"]|[:.](?=\w)){1,80}):[*_]{0,3}\s")
_DASHED = re.compile(r"((?:[^:.;!?\n\"]|[:.](?=\w)){1,60}?)\s[-\u2013\u2014]{1,2}\s")
_FIELD = re.compile(r"([^.;!?\n]{1,80})[.;\n]\s{1,3}")
_SIGNED = re.compile(r"\s[-\u2013\u2014]{1,2} ?([A-Z]\w{1,30}(?: [A-Z]\w{1,30})?)\s*$")
_ASKED = re.compile(
    r"\s*(?:q|question)\s?:\s(.+?)\s(?:a|answer)\s?:\s(.+)", re.IGNORECASE | re.DOTALL
)
_QUOTES = " \t\n\"'*_\u201c\u201d"
# What a label may hold besides names and topics.
_UNSAID = names.GENRES | names.SAYING | {"at", "on", "in", "from", "by", "and", "to"}


@dataclass(frozen=True, slots=True)
class Labelled:
    """A statement and what its labels say, each as lower-case words."""

    statement: str
    speaker: tuple[str, ...] = ()
    topic: tuple[str, ...] = ()  # what else the labels name: an environment, a component
    when: tuple[str, ...] = ()

    @property
    def source(self) -> tuple[tuple[str, ...], ...]:
        """Who said it, and when."""
        return self.speaker, self.when

    @property
    def is_personal(self) -> bool:
        """Whether the statement is about its speaker, or about no one that it names."""
        tokens = tokenise(self.statement)
        if any(token.text in lexicon.PERSONAL for token in tokens):
            return True
        first = tokens[0] if tokens else None
        unnamed = lexicon.ATTRIBUTES | lexicon.VERBS
        return first is None or (not first.article and first.text in unnamed)


@lru_cache(maxsize=1024)
def labelled(text: str) -> Labelled:
    """The text as a statement and its labels; most texts have none."""
    asked = _ASKED.fullmatch(text)
    if asked:
        answer = asked[2].strip(_QUOTES)
        if are_plain_values(until_end(tokenise(answer[:200]))):
            answer = f"answer = {answer}"
        return Labelled(answer, topic=tuple(token.key for token in tokenise(asked[1])))
    found = _without_signature(Labelled(text))
    for _ in range(_MAX_LABELS):
        shorter = _without_first(found)
        if shorter is None:
            break
        found = shorter
    if not found.speaker and any(map(_is_moment, found.when)):
        return replace(found, topic=(*found.topic, *found.when))  # a log, or a timetable
    return found


def _without_first(found: Labelled) -> Labelled | None:
    text = found.statement.lstrip(_QUOTES)
    for pattern in (_ITEM, _STAMP):
        if match := pattern.match(text):
            stamp = (match[0].strip(),) if pattern is _STAMP else ()
            return replace(found, statement=text[match.end() :], when=(*found.when, *stamp))
    for pattern in (_BRACKETED, _HEADED, _DASHED):
        match = pattern.match(text)
        if match and (pattern is _BRACKETED or _is_label(match, dashed=pattern is _DASHED)):
            rest = text[match.end() :].strip(_QUOTES)
            return _with(found, match[1], rest) if rest else None
    return _without_field(found, text)


def _without_field(found: Labelled, text: str) -> Labelled | None:
    """Without the first field of a record, as in "Env: staging. Port: 7001"."""
    match = _FIELD.match(text)
    if match is None or found.speaker or not (found.topic or _HEADED.match(text)):
        return None
    words, rest = _words(match[1]), text[match.end() :]
    is_short = len(words) <= _MAX_FIELD and not _is_sentence([word.text for word in words])
    if not rest or not (is_short or _HEADED.match(rest)):
        return None
    topic = (*found.topic, *(word.key for word in words))
    return replace(found, topic=topic, statement=rest)


def _without_signature(found: Labelled) -> Labelled:
    match = _SIGNED.search(found.statement, max(len(found.statement) - 80, 0))
    if match is None or not found.statement[: match.start()].strip():
        return found
    return _with(found, match[1], found.statement[: match.start()])


def _is_label(match: re.Match[str], *, dashed: bool) -> bool:
    words, rest = _words(match[1]), tokenise(match.string[match.end() : match.end() + 200])
    texts = [word.text for word in words]
    if not 0 < len(words) <= (3 if dashed else _MAX_WORDS) or is_pair(words, until_end(rest)):
        return False
    if not lexicon.NEGATORS.isdisjoint(texts):
        return False
    return not (dashed and len(words) > 1 and _is_sentence(texts))


def _is_sentence(texts: list[str]) -> bool:
    starts = lexicon.IMPERATIVES.intersection(texts[:1])
    return bool(starts) or not lexicon.FINITE.isdisjoint(texts)


def _with(found: Labelled, label: str, statement: str) -> Labelled:
    """The statement with what the words of one more label say."""
    words = _words(label)
    numbers = [word for word in words if word.kind is Kind.NUMBER]
    rest = [word for word in words if word not in numbers and word.text not in _UNSAID]
    who = tuple(word.text for word in rest if _is_name(word))
    dated = who or any(map(_is_date, numbers))
    if not dated and not any(word.text in names.GENRES for word in words):
        rest = [word for word in words if word.text not in _UNSAID]
    when = tuple(word.key for word in numbers if dated)
    unsaid = {*who, *(names.SESSIONS if who else ())}
    topic = tuple(word.key for word in rest if word.text not in unsaid)
    return Labelled(statement, (*found.speaker, *who), (*found.topic, *topic), (*found.when, *when))


def _is_name(word: Token) -> bool:
    return word.text in names.SPEAKERS and not word.owner


def _is_date(word: Token) -> bool:
    return shape(word) in {"calendar", "time", "date"}


def _is_moment(when: str) -> bool:
    return ":" in when or when.endswith("day")


def _words(label: str) -> list[Token]:
    return [word for word in tokenise(label) if word.kind is not Kind.MARK]
