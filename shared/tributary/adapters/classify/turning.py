"""Sentences turned round to one form, so that the same statement has the same order of words."""

from dataclasses import replace

from tributary.adapters.classify import lexicon
from tributary.adapters.classify.stems import stem
from tributary.adapters.classify.tokens import Token

Tokens = tuple[Token, ...]

_DEFINITE = frozenset({"the", "der", "die", "das", "le", "la", "el", "il", "l"})
_POINTING = frozenset(
    {"it", "this", "that", "he", "she", "they", "i", "we", "you", "what", "there"}
)
_OURS = frozenset({"our", "my", "their", "his", "her", "your"})
_IRREGULAR = {
    "written": "write",
    "built": "build",
    "run": "run",
    "kept": "keep",
    "held": "hold",
    "made": "make",
    "sent": "send",
    "read": "read",
    "led": "lead",
    "given": "give",
    "taken": "take",
    "paid": "pay",
    "shown": "show",
}


def turned(words: Tokens, fronted: int, verb: int | None) -> tuple[Tokens, bool]:
    """The words in their plain order, and whether they name the one thing that something is."""
    if verb is None or verb == fronted:
        return words, False
    active = _active(words, fronted, verb)
    if active:
        return active, False
    front, subject, rest = words[:fronted], words[fronted:verb], words[verb + 1 :]
    unique = _names_the_one(subject, words[verb], rest)
    if unique:
        subject, rest = rest, subject
    return (*front, *_owner_first(subject), words[verb], *rest), unique


def _names_the_one(subject: Tokens, verb: Token, rest: Tokens) -> bool:
    """Whether "subject is rest" says which one the rest is: "Vim is Priya's favourite editor"."""
    if verb.text not in {"is", "are", "was"} or not rest or not 0 < len(subject) <= 2:
        return False
    if any(word.article or word.owner or word.text in _POINTING for word in subject):
        return False
    if rest[0].text in _OURS and len(rest) > 1:
        return True
    return rest[0].article in _DEFINITE or any(word.owner for word in rest[:-1])


def _owner_first(subject: Tokens) -> Tokens:
    """ "port of the billing API" as "billing API port"."""
    at = next((index for index, word in enumerate(subject) if word.text in {"of", "de", "von"}), 0)
    owner = subject[at + 1 :]
    return (*owner, *subject[:at]) if at and 0 < len(owner) <= 4 else subject


def _active(words: Tokens, fronted: int, verb: int) -> Tokens | None:
    """ "X was reviewed by Y" as "Y reviewed X"; None when it is not passive."""
    if words[verb].text not in lexicon.BE or verb + 3 >= len(words):
        return None
    done, by = words[verb + 1], words[verb + 2]
    if by.text != "by" or not (done.text.endswith("ed") or done.text in _IRREGULAR):
        return None
    rest = words[verb + 3 :]
    end = next(
        (at for at, word in enumerate(rest) if at and word.text in lexicon.ADJUNCTS), len(rest)
    )
    if words[verb].text in {"is", "are"}:  # "is owned by" is "owns"; "was owned by" is "owned"
        base = _IRREGULAR.get(done.text) or done.text.removesuffix("ed")
        done = replace(done, text=f"{base}s", key=stem(base))
    return (*words[:fronted], *rest[:end], done, *words[fronted:verb], *rest[end:])
