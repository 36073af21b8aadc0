"""Contradictions in so many words: one clause denies the other, or uses an opposite."""

from collections.abc import Sequence

from tributary.adapters.classify import lexicon
from tributary.adapters.classify.clauses import Clause
from tributary.adapters.classify.frames import Diff, Frame
from tributary.adapters.classify.opposites import are_opposites

_QUANTIFIERS = frozenset({"all", "none", "everyone", "nobody", "always", "never"})
_BOUNDS = lexicon.PREPOSITIONS | {"least", "most", "max", "min", "maximum", "minimum"}
_EVERYONE = frozenset({"everyone", "everybody", "all", "every", "you", "we"})
_UNSAID = lexicon.AUXILIARIES | lexicon.PEOPLE | _EVERYONE
_MAX_MORE = 3  # a longer statement only happens to have the words of the denial
_BARE = frozenset({"i", "you", "we", "it", "he", "she", "they", "that", "this"})


def denied(frame: Frame) -> float | None:
    """One denies what the other states: "no dog is running", "a dog is running"."""
    if frame.old.negative == frame.new.negative or frame.old.partial or frame.new.partial:
        return None
    if frame.are_events and not frame.is_of_one:
        return None  # "I was ill", "I was not ill"
    no, yes = (frame.old, frame.new) if frame.old.negative else (frame.new, frame.old)
    denial, statement = _content(no), _content(yes)
    if not set(denial) - _BARE or (len(denial) < 2 and denial != statement):
        return None
    extra = _extra(denial, statement)
    if extra is None or len(extra) > len(denial) + _MAX_MORE:
        return None
    if not extra:
        return 0.95
    return 0.8 if no.universal or _all_in_predicate(yes, statement, extra) else None


def _content(clause: Clause) -> list[str]:
    return [word.key for word in clause.words if word.text not in _UNSAID]


def _extra(part: Sequence[str], whole: Sequence[str]) -> list[int] | None:
    """The places in `whole` beyond `part`, when `part` is a subsequence of it."""
    extra: list[int] = []
    at = 0
    for place, key in enumerate(whole):
        if at < len(part) and part[at] == key:
            at += 1
        else:
            extra.append(place)
    return extra if at == len(part) else None


def _all_in_predicate(clause: Clause, content: Sequence[str], extra: Sequence[int]) -> bool:
    """Whether the extra words belong to what is said, not to what it is said of."""
    if clause.verb is None:
        return False
    said_of = sum(word.text not in _UNSAID for word in clause.words[: clause.verb])
    return min(extra) >= max(said_of, 1) and len(content) > said_of


def opposite(frame: Frame) -> float | None:
    """One word is the opposite of the other's: on and off, before and after."""
    diffs = frame.diffs
    if not diffs or not frame.agree_in_polarity:
        return None
    if not all(_is_opposite(frame, diff) for diff in diffs):
        return None
    if frame.are_events and not any(_is_change(frame, diff) for diff in diffs):
        return None  # both may have happened
    return 0.9


def _is_change(frame: Frame, diff: Diff) -> bool:
    """ "Latency increased", "latency decreased"."""
    return frame.verb in diff.old and diff.old[0].text in lexicon.CHANGING


def _is_opposite(frame: Frame, diff: Diff) -> bool:
    if not diff.is_exchange or len(diff.old) != len(diff.new) or len(diff.old) > 2:
        return False
    if not are_opposites(diff.old, diff.new):
        return False
    if {token.text for token in diff.old} & _QUANTIFIERS:
        return True
    describes = bool(frame.after(diff)) and frame.after(diff)[0].text not in lexicon.PREPOSITIONS
    bounds = frame.verb in diff.old or bool({token.text for token in diff.old} & _BOUNDS)
    return frame.from_verb_on(diff) and (bounds or not (frame.is_multiple and describes))
