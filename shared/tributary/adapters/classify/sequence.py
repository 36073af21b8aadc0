"""Order of steps in time, and comparisons: statements whose two sides can be exchanged."""

from tributary.adapters.classify.clauses import Clause
from tributary.adapters.classify.tokens import Token

Side = frozenset[str]

_UNSAID = frozenset({"you", "we", "i", "do", "run", "it", "them", "your"})  # by key


def order_in_time(clause: Clause) -> tuple[Side, Side] | None:
    """What comes first and what second, of a clause with one "before" or "after"."""
    places = [at for at, word in enumerate(clause.words) if word.text in {"before", "after"}]
    if len(places) != 1:
        return None
    at = places[0]
    if at == 0:
        main, other = clause.words[clause.fronted :], clause.words[1 : clause.fronted]
    else:
        main, other = clause.words[:at], clause.words[at + 1 :]
    sides = _keys(main), _keys(other)
    if not all(sides):
        return None
    return sides if clause.words[at].text == "before" else sides[::-1]


def comparison(clause: Clause) -> tuple[Side, Side] | None:
    """The greater and the lesser side of "X is faster than Y", the rest being on both sides."""
    at = next((place for place, word in enumerate(clause.words) if word.text == "than"), None)
    if at is None or clause.verb is None or clause.verb >= at or at + 1 >= len(clause.words):
        return None
    measure = {f"={word.key}" for word in clause.words[clause.verb : at]}
    rest = {f"+{word.key}" for word in clause.words[at + 2 :]}
    return (
        frozenset({*_keys(clause.subject), *measure, *rest}),
        frozenset({*_keys(clause.words[at + 1 : at + 2]), *measure, *rest}),
    )


def _keys(words: tuple[Token, ...]) -> Side:
    return frozenset(word.key for word in words if word.key not in _UNSAID)
