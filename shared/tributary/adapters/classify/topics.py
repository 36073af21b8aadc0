"""What a clause is about, when it says one thing of it: compared however it is put."""

from tributary.adapters.classify import lexicon
from tributary.adapters.classify.clauses import Clause
from tributary.adapters.classify.frames import Frame, are_numbers, shape
from tributary.adapters.classify.stems import stems
from tributary.adapters.classify.tokens import Token
from tributary.adapters.classify.values import KEPT, NUMBERED, PLACES, is_appointment

_LIGHT = lexicon.LIGHT | stems(lexicon.LIGHT)


def other_value_of_topic(frame: Frame) -> float | None:
    """The same topic with another number, though put differently: "listens on", "port is"."""
    old, new = topic(frame.old), topic(frame.new)
    if not old or not new or old[0] != new[0] or shape(old[1]) != shape(new[1]):
        return None
    if frame.old.partial or frame.new.partial:
        return None
    same_value = old[1].key == new[1].key
    if frame.both_positive:
        return None if same_value else 0.75
    return 0.8 if same_value and frame.old.negative != frame.new.negative else None


def topic(clause: Clause) -> tuple[tuple[str, ...], Token] | None:
    """What a clause is about and the one number it gives of it, when it says nothing more."""
    numbers = [at for at, word in enumerate(clause.words) if are_numbers((word,))]
    if len(numbers) != 1 or clause.verb is None or numbers[0] <= clause.verb or clause.fronted:
        return None
    about = tuple(
        word.key
        for at, word in enumerate(clause.words)
        if at != numbers[0] and word.text not in _LIGHT and word.key not in _LIGHT
    )
    verb = clause.words[clause.verb]
    if clause.is_past or verb.key == "support" or is_appointment(clause, numbers[0]):
        return None
    if len(about) < 2 or clause.words[numbers[0] - 1].key in NUMBERED:
        return None
    return about, clause.words[numbers[0]]


def other_state(frame: Frame) -> float | None:
    """What "moved to B" says against "lives in A" or "uses A"."""
    if frame.old.implied == frame.new.implied or not frame.both_positive:
        return None
    old, new = _state(frame.old), _state(frame.new)
    if old is None or new is None or old[0] != new[0] or old[1].key == new[1].key:
        return None
    return 0.75 if old[1].kind is new[1].kind else None


def _state(clause: Clause) -> tuple[tuple[str, ...], Token] | None:
    """Whom a clause speaks of, and the one thing, place or number it gives as their state."""
    if clause.verb is None or not clause.subject:
        return None
    key = clause.words[clause.verb].key
    rest = [word for word in clause.words[clause.verb + 1 :] if word.text not in PLACES]
    if len(rest) != 1 or not rest[0].is_value or key not in KEPT | {"is", "us"}:
        return None
    return tuple(word.key for word in clause.subject), rest[0]
