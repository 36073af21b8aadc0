"""Two clauses laid side by side: where they differ, and what kind of place that is."""

import re
from collections.abc import Iterator
from dataclasses import dataclass, replace
from difflib import SequenceMatcher
from functools import cached_property

from tributary.adapters.classify import lexicon
from tributary.adapters.classify.clauses import Clause
from tributary.adapters.classify.stems import stems
from tributary.adapters.classify.tokens import Kind, Token

Tokens = tuple[Token, ...]

_FUNCTIONAL = stems(lexicon.FUNCTIONAL)
_MULTIPLE = stems(lexicon.MULTIPLE)


@dataclass(frozen=True, slots=True)
class Diff:
    """What stands in one clause where the other has something else; either may be empty."""

    old_at: int
    old: Tokens
    new_at: int
    new: Tokens

    @property
    def is_exchange(self) -> bool:
        """Both sides have something."""
        return bool(self.old) and bool(self.new)


@dataclass(frozen=True)
class Frame:
    """An older and a newer clause, aligned word by word."""

    old: Clause
    new: Clause

    @cached_property
    def diffs(self) -> tuple[Diff, ...]:
        """All places where they differ, but for reasons and dates at the end."""
        diffs = [self._without_tail(diff) for diff in self._all_diffs()]
        return tuple(diff for diff in diffs if diff.old or diff.new)

    def _all_diffs(self) -> Iterator[Diff]:
        matcher = SequenceMatcher(None, self.old.keys, self.new.keys, autojunk=False)
        for tag, i1, i2, j1, j2 in matcher.get_opcodes():
            if tag != "equal":
                yield Diff(i1, self.old.words[i1:i2], j1, self.new.words[j1:j2])

    def _without_tail(self, diff: Diff) -> Diff:
        """Without "... since May", which says why or since when, not of what."""
        ends = diff.old_at + len(diff.old), diff.new_at + len(diff.new)
        if ends != (len(self.old.words), len(self.new.words)):
            return diff
        return replace(diff, old=_head(diff.old), new=_head(diff.new))

    @property
    def likeness(self) -> float:
        """The share of words in common, 0 to 1."""
        return SequenceMatcher(None, self.old.keys, self.new.keys, autojunk=False).ratio()

    @property
    def agree_in_polarity(self) -> bool:
        """Both state or both deny, without reserve."""
        return self.old.negative == self.new.negative and not (self.old.partial or self.new.partial)

    @property
    def both_positive(self) -> bool:
        """Both state something, without reserve."""
        return self.agree_in_polarity and not self.old.negative

    @property
    def are_events(self) -> bool:
        """Both tell of something that happened, so that both may have."""
        return self.old.is_past and self.new.is_past

    @property
    def is_of_one(self) -> bool:
        """Whether it speaks of a certain thing, not of someone's days or of some thing."""
        subject = {word.text for word in self.old.subject}
        return not self.indefinite and lexicon.PERSONAL.isdisjoint(subject)

    @property
    def indefinite(self) -> bool:
        """One of them speaks of no certain thing."""
        return self.old.indefinite or self.new.indefinite

    def in_predicate(self, diff: Diff) -> bool:
        """Whether the difference lies after the main verb in both."""
        old, new = self.old.verb, self.new.verb
        if old is None or new is None:
            return old is new and diff.old_at >= 2 and diff.new_at >= 2
        return diff.old_at > old and diff.new_at > new

    def from_verb_on(self, diff: Diff) -> bool:
        """Whether the difference is the main verb, or lies after it."""
        old, new = self.old.verb, self.new.verb
        if old is None or new is None:
            return diff.old_at >= 1 and diff.new_at >= 1
        return diff.old_at >= old and diff.new_at >= new

    @property
    def verb(self) -> Token | None:
        """The main verb of the older clause."""
        return None if self.old.verb is None else self.old.words[self.old.verb]

    def before(self, diff: Diff) -> Token | None:
        """The word that stands before the difference in the older clause."""
        return self.old.words[diff.old_at - 1] if diff.old_at else None

    def after(self, diff: Diff) -> Tokens:
        """The words that stand after the difference in the older clause."""
        return self.old.words[diff.old_at + len(diff.old) :]

    @property
    def has_copula(self) -> bool:
        """Whether the older clause says what something is."""
        return self.verb is not None and self.verb.text in lexicon.COPULAS

    @property
    def is_functional(self) -> bool:
        """Whether the verb holds of one thing or place at a time: to live, to run on ..."""
        if self.verb is None:
            return False
        at = self.old.verb or 0
        said = {word.key for word in self.old.words[at : at + 2]}
        return bool(said & _FUNCTIONAL)

    @property
    def is_multiple(self) -> bool:
        """Whether the verb may hold of many things at once: to like, to support ..."""
        return self.verb is not None and self.verb.key in _MULTIPLE


def _head(words: Tokens) -> Tokens:
    """The words before a reason or a date."""
    starts = (at for at, word in enumerate(words) if word.text in lexicon.TAIL_STARTS)
    return words[: next(starts, len(words))]


_SHAPES = (
    ("time", re.compile(r"\d{1,2}:\d{2}(:\d{2})?")),
    ("duration", re.compile(r"[\d.e+-]+(s|mo)")),
    ("bytes", re.compile(r"[\d.e+-]+B")),
    ("share", re.compile(r"[\d.]+%")),
    ("money", re.compile(r"[$\u20ac\u00a3].+")),
    ("address", re.compile(r"(\d{1,3}\.){3}\d{1,3}.*")),
    ("date", re.compile(r"\d{4}-\d{2}(-\d{2})?|\d{1,2}[./]\d{1,2}[./]\d{2,4}")),
    ("number", re.compile(r"#?v?\d+([.,]\d+)*.*")),
)


def shape(token: Token) -> str:
    """The kind of quantity that a number is, so that a time is not compared with a count."""
    if token.text in lexicon.CALENDAR or token.text == "may":
        return "calendar"
    return next((name for name, pattern in _SHAPES if pattern.fullmatch(token.key)), "other")


_PARTICIPLES = ("ed", "ing")


def are_numbers(tokens: Tokens) -> bool:
    """Whether all of them are numbers, times, dates or addresses."""
    return bool(tokens) and all(token.kind is Kind.NUMBER for token in tokens)


def are_values(tokens: Tokens) -> bool:
    """Whether they name something: code, a name, or a number."""
    return 0 < len(tokens) <= 3 and any(token.is_value for token in tokens)


def are_nouns(tokens: Tokens) -> bool:
    """Whether they may name something: no known adjective, participle or preposition."""
    return 0 < len(tokens) <= 3 and not any(
        token.kind is Kind.WORD
        and (
            token.text in lexicon.ADJECTIVES | lexicon.PREPOSITIONS
            or token.text.endswith(_PARTICIPLES if "-" in token.text else lexicon.ADJECTIVE_ENDS)
        )
        for token in tokens
    )
