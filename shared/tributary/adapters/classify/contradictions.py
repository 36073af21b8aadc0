"""How two clauses can contradict each other: one rule a kind, each sure to some degree.

A rule takes a frame (the older and the newer clause, aligned) and answers with a confidence from
0.5 to 1, or None when it does not apply.
"""

from collections.abc import Callable

from tributary.adapters.classify import lexicon
from tributary.adapters.classify.denials import denied, opposite
from tributary.adapters.classify.frames import Frame
from tributary.adapters.classify.sequence import comparison, order_in_time
from tributary.adapters.classify.stems import stems
from tributary.adapters.classify.topics import other_state, other_value_of_topic
from tributary.adapters.classify.values import other_name, other_number

Rule = Callable[[Frame], float | None]

_ANYONE = frozenset({"anyone", "anybody", "everyone", "everybody", "all"})
_HOLDING = stems(("own", "owned", "lead", "led", "head", "chair", "maintain", "maintained"))


def other_holder(frame: Frame) -> float | None:
    """The one who holds an office, or is alone allowed something, is another."""
    if len(frame.diffs) != 1 or not frame.both_positive or frame.are_events:
        return None
    (diff,) = frame.diffs
    if not diff.is_exchange or diff.old != frame.old.subject or diff.new != frame.new.subject:
        return None
    if frame.old.exclusive != frame.new.exclusive:
        others = diff.new if frame.old.exclusive else diff.old
        return 0.8 if {word.text for word in others} & _ANYONE else None
    if frame.old.exclusive and frame.new.exclusive:
        return 0.85
    names = (*diff.old, *diff.new)
    if any(word.article or word.owner for word in names) or len(names) > 4 or frame.verb is None:
        return None
    held = frame.after(diff)[1:2]
    if frame.verb.key not in _HOLDING or not held or held[0].article in lexicon.INDEFINITE:
        return None
    return 0.65


def other_order(frame: Frame) -> float | None:
    """The opposite order of two steps, or the opposite comparison of two things."""
    if not frame.both_positive or frame.are_events:
        return None
    for find in (order_in_time, comparison):
        old, new = find(frame.old), find(frame.new)
        if old and new and old == new[::-1] and old[0] != old[1]:
            return 0.85
    return None


RULES: tuple[Rule, ...] = (
    denied,
    opposite,
    other_number,
    other_name,
    other_holder,
    other_order,
    other_state,
    other_value_of_topic,
)
