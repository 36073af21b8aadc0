"""How two texts can say the same in other words. A rule errs on the side of None."""

from collections.abc import Callable, Sequence

from tributary.adapters.classify import lexicon
from tributary.adapters.classify.clauses import Clause
from tributary.adapters.classify.sequence import order_in_time
from tributary.adapters.classify.topics import topic

Rule = Callable[[Clause, Clause], float | None]


def same_statements(old: Sequence[Clause], new: Sequence[Clause]) -> float | None:
    """The least confidence with which each clause repeats its counterpart, in order."""
    old, new = ([one for one in side if not one.implied] for side in (old, new))
    if len(old) != len(new) or not old:
        return None
    sure = [_same(one, two) for one, two in zip(old, new, strict=True)]
    known = [degree for degree in sure if degree is not None]
    return min(known) if len(known) == len(sure) else None


def _same(old: Clause, new: Clause) -> float | None:
    marks = [
        (one.negative, one.partial, one.exclusive, one.universal and one.negative, one.asked)
        for one in (old, new)
    ]
    if marks[0] != marks[1]:
        return None
    return next((sure for rule in RULES if (sure := rule(old, new)) is not None), None)


def same_words(old: Clause, new: Clause) -> float | None:
    """The same words in the same order, but for synonyms, endings and small words."""
    return 0.95 if _paired(old.keys) == _paired(new.keys) else None


def same_parts(old: Clause, new: Clause) -> float | None:
    """The same main part and the same adjuncts, in any order: "before building, clear ..."."""
    return 0.9 if sorted(_parts(old)) == sorted(_parts(new)) else None


def same_order(old: Clause, new: Clause) -> float | None:
    """The same two steps in the same order: "A before B", "B after A"."""
    if old.negative:
        return None
    steps = order_in_time(old)
    return 0.85 if steps and steps == order_in_time(new) else None


def same_value_of_topic(old: Clause, new: Clause) -> float | None:
    """The same number of the same topic: "listens on port 1", "port is 1"."""
    said = topic(old)
    if said is None or old.negative:
        return None
    again = topic(new)
    same = again is not None and (said[0], said[1].key) == (again[0], again[1].key)
    return 0.75 if same else None


def _paired(keys: Sequence[str]) -> tuple[str, ...]:
    """The keys with "spaces and tabs" as "tabs and spaces"."""
    paired = list(keys)
    for at in range(1, len(paired) - 1):
        if paired[at] in {"and", "or"} and paired[at - 1] > paired[at + 1]:
            paired[at - 1], paired[at + 1] = paired[at + 1], paired[at - 1]
    return tuple(paired)


def _parts(clause: Clause) -> list[tuple[str, ...]]:
    """The main part of a clause and its adjuncts, each without the subject "you"."""
    parts: list[list[str]] = [[]]
    for at, word in enumerate(clause.words):
        starts = word.text in lexicon.PREPOSITIONS or (clause.fronted and at == clause.fronted)
        if starts and parts[-1]:
            parts.append([])
        if word.text not in {"you", "we"}:
            parts[-1].append(word.key)
    return [_paired(part) for part in parts if part]


RULES: tuple[Rule, ...] = (same_words, same_parts, same_order, same_value_of_topic)
