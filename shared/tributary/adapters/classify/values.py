"""Contradictions by value: one frame, another number or another name in a slot that holds one."""

import re
from collections.abc import Sequence

from tributary.adapters.classify import lexicon
from tributary.adapters.classify.clauses import Clause
from tributary.adapters.classify.frames import (
    Diff,
    Frame,
    are_nouns,
    are_numbers,
    are_values,
    shape,
)
from tributary.adapters.classify.stems import stems
from tributary.adapters.classify.tokens import Token

PLACES = frozenset(
    {"in", "at", "on", "to", "from", "under", "as", "auf", "bei", "\u00e0", "en", "by"}
)
# What may stand between "is" and a place: "is stored in".
KEPT = stems(lexicon.FUNCTIONAL) | {"stored", "written", "hosted", "located", "deployed", "kept"}
OURS = frozenset({"our", "my", "their", "his", "her", "your"})
NUMBERED = stems(lexicon.NUMBERED)
_SETTING = stems(lexicon.SETTING)
_DATES = frozenset({"calendar", "time", "date"})
_HAVING = frozenset({"have", "has", "had"})
_ONE = frozenset({"a", "an", "ein", "eine", "un", "une"})
_MUST = frozenset({"required", "allowed", "enough", "must", "need"})


def other_number(frame: Frame) -> float | None:
    """The same said with another number, time, version or address."""
    diffs = frame.diffs
    if not diffs or not frame.both_positive or frame.are_events:
        return None
    if not all(_is_other_number(frame, diff) for diff in diffs):
        return None
    return 0.9 if len(diffs) == 1 else 0.7


def _is_other_number(frame: Frame, diff: Diff) -> bool:
    if not (are_numbers(diff.old) and are_numbers(diff.new)):
        return False
    if [*map(shape, diff.old)] != [*map(shape, diff.new)]:
        return False
    if not frame.in_predicate(diff):
        return _counts_subject(frame, diff)
    if frame.indefinite and not any(char.isdigit() for char in diff.old[0].text):
        return False  # "a man with two dogs", "a man with three dogs": another man
    return _is_one_at_a_time(frame, diff)


def _is_one_at_a_time(frame: Frame, diff: Diff) -> bool:
    before = frame.before(diff)
    if before is not None and before.key in NUMBERED and not frame.has_copula:
        return False  # "reviewed PR 88": the number is a name
    if is_appointment(frame.old, diff.old_at):
        return False
    return frame.verb is None or frame.verb.key != "support"


def is_appointment(clause: Clause, at: int) -> bool:
    """Whether the number at `at` says when some event is: "there is a concert at 20:00"."""
    if clause.verb is None or clause.words[clause.verb].text not in _HAVING | lexicon.BE:
        return False
    what = clause.words[clause.verb : at]
    return shape(clause.words[at]) in _DATES and any(word.article in _ONE for word in what)


def _counts_subject(frame: Frame, diff: Diff) -> bool:
    """ "two approvals are required", "Node 20 is required"."""
    before = frame.before(diff)
    if before is not None and before.key not in NUMBERED:
        return "required" in {word.key for word in frame.after(diff)}
    if diff.old_at != frame.old.fronted or diff.new_at != frame.new.fronted:
        return False
    said = {word.key for word in frame.old.words}
    return frame.old.verb is not None and frame.old.verb > diff.old_at + 1 and bool(said & _MUST)


def other_name(frame: Frame) -> float | None:
    """The same said of one slot with another name: an editor, a branch, a place, a tool."""
    if len(frame.diffs) != 1 or not frame.both_positive or frame.are_events:
        return None
    (diff,) = frame.diffs
    if not diff.is_exchange or not frame.in_predicate(diff):
        return None
    before = frame.before(diff)
    if before is None or not (are_nouns(diff.old) and are_nouns(diff.new)):
        return 0.85 if before is frame.verb and _is_setting(frame, diff) else None
    if are_numbers(diff.old) or are_numbers(diff.new):
        return None
    named = are_values(diff.old) and are_values(diff.new)
    if before is frame.verb and frame.has_copula and _is_slot(frame, named=named):
        return 0.85
    if before.text == "to" and frame.verb is not None and frame.verb.key in _SETTING:
        return 0.85
    if _places(frame, diff, before) or _is_chosen(frame, before, frame.after(diff)):
        return 0.75
    return 0.7 if _is_same_code(frame, diff) else None


def _is_slot(frame: Frame, *, named: bool) -> bool:
    """Whether the subject is a place for one value: "the default branch", "Priya's editor"."""
    subject = frame.old.subject
    if frame.old.unique or frame.new.unique:
        return True
    if not subject or frame.indefinite:
        return False
    if frame.verb is not None and frame.verb.text == "=":
        return True
    if any(word.text in lexicon.ATTRIBUTES for word in subject):
        return True
    certain = subject[0].article == "the" or subject[0].text in OURS
    return named and (certain or any(word.owner for word in subject))


def _is_setting(frame: Frame, diff: Diff) -> bool:
    """ "image_tag: latest", whatever the value is."""
    sizes = len(diff.old), len(diff.new)
    return frame.verb is not None and frame.verb.text == "=" and max(sizes) <= 2


def _places(frame: Frame, diff: Diff, before: Token) -> bool:
    """ "lives in Oslo": one place at a time, and nothing else was given before it."""
    if before.text not in PLACES or not frame.is_functional or frame.indefinite:
        return False
    between = frame.old.words[(frame.old.verb or 0) + 1 : diff.old_at - 1]
    if not all(word.key in KEPT or word.text in KEPT for word in between):
        return False
    if before.text == "as":
        return bool(between)
    return are_values(diff.old) and are_values(diff.new)


def _is_chosen(frame: Frame, before: Token, after: Sequence[Token]) -> bool:
    """ "use A for C": one tool for one purpose."""
    if before is not frame.verb or before.key != "us" or not after:
        return False
    return after[0].text in {"for", "as", "to", "when"}


def _is_same_code(frame: Frame, diff: Diff) -> bool:
    """Identifiers that differ in their digits only: gpt-4 and gpt-5."""
    if len(diff.old) != 1 or len(diff.new) != 1 or frame.verb is None:
        return False
    plain = [re.sub(r"\d+", "#", token.text) for token in (diff.old[0], diff.new[0])]
    return plain[0] == plain[1] and "#" in plain[0] and not diff.old[0].text.startswith("inc")
