"""A text cut into parts that each state one thing, and what else each part says of now."""

import re
from collections.abc import Iterator, Sequence, Set

from tributary.adapters.classify import lexicon, names
from tributary.adapters.classify.tokens import Kind, Token

Tokens = tuple[Token, ...]

EQUALS = Token("=", "=", Kind.WORD)
_STOP = Token(";", ";", Kind.MARK)
PRONOUNS = frozenset({"it", "they", "he", "she", "this", "that"})
_ENDS = frozenset({".", ";", "!", "?", "(", ")"})
_STARTING = {",": {"but", "so", *PRONOUNS}, "and": {"i", "we"}}  # what starts a clause
_MAX_KEY, _MAX_VALUE = 5, 3
_OPENERS = frozenset({"but", "so", "and", ","})


def split(tokens: Tokens) -> Iterator[tuple[Tokens, bool]]:
    """The sentences and main clauses, and whether each is a question."""
    start = 0
    tokens = (*_with_pairs(tokens), _STOP)
    for at, token in enumerate(tokens):
        following = tokens[at + 1].text if at + 1 < len(tokens) else ""
        if token.text in _ENDS or following in _STARTING.get(token.text, ()):
            if start < at:
                yield tokens[start:at], token.text == "?"
            start = at + 1


def _with_pairs(tokens: Tokens) -> Iterator[Token]:
    """The tokens; a colon is "is" between a key and its value, else the end of a clause."""
    start = 0
    for at, token in enumerate(tokens):
        if token.text in _ENDS:
            start = at + 1
        if token.text != ":":
            yield token
        elif is_pair(tokens[start:at], until_end(tokens[at + 1 : at + 10])):
            yield EQUALS
        elif not any(word.text in lexicon.NEGATORS for word in tokens[start:at]):
            start = at + 1
            yield _STOP


def until_end(tokens: Sequence[Token], ends: Set[str] = _ENDS) -> Sequence[Token]:
    """The tokens of the first sentence, with "!" or "?" when it ends so."""
    for at, token in enumerate(tokens):
        if token.text in ends:
            return tokens[: at + (token.text in "!?")]
    return tokens


def is_pair(key: Sequence[Token], value: Sequence[Token]) -> bool:
    """Whether "key: value" gives a thing its value: "port: 7001", but not "Ann: see you"."""
    if key and key[-1].kind is Kind.CODE:
        first = until_end(value, {","})
        return _is_setting(key[-1].text) and (len(first) == 1 or are_plain_values(first))
    if not 0 < len(key) <= _MAX_KEY or not 0 < len(value) <= _MAX_VALUE:
        return False
    if any(word.kind is Kind.MARK or _is_spoken(word) for word in (*key, *value)):
        return False
    if any(word.text in lexicon.NUMBERED | names.GENRES for word in key):
        return False
    if key[-1].text.endswith(("ed", "ions")) and key[0].text.endswith("ed"):
        return False  # "supported versions: 3.11" is a list
    return any(word.text in lexicon.ATTRIBUTES for word in key) or are_plain_values(value)


def are_plain_values(tokens: Sequence[Token]) -> bool:
    """Whether they can be nothing but a value: "7001", "30 s", "enabled"."""
    return 0 < len(tokens) <= _MAX_VALUE and all(
        word.text in lexicon.STATES or (word.kind is Kind.NUMBER and word.text[0] != "#")
        for word in tokens
    )


def _is_setting(code: str) -> bool:
    """Whether an identifier is of a setting, not of a ticket, a file or a person."""
    parts = re.split(r"[._-]", code)
    if not lexicon.ATTRIBUTES.isdisjoint(parts):
        return True
    return code.replace("_", "").replace(".", "").replace("-", "").isalpha()


def _is_spoken(word: Token) -> bool:
    """Whether it belongs in a sentence, not in a key or a value."""
    sets = (lexicon.FINITE, lexicon.NEGATORS, lexicon.PERSONAL)
    return word.kind is not Kind.NUMBER and any(word.text in words for words in sets)


def resolved(tokens: Tokens, subject: Tokens) -> Tokens:
    """The tokens, with a leading pronoun replaced by what the text spoke of first."""
    while tokens and tokens[0].text in _OPENERS:
        tokens = tokens[1:]
    if subject and tokens and tokens[0].text in PRONOUNS:
        return (*subject, *tokens[1:])
    return tokens


def readings(tokens: Tokens) -> Iterator[tuple[Tokens, bool, bool]]:
    """The tokens, whether to deny them, and whether they are implied only."""
    kept, dropped = _contrast(tokens)
    yield kept, False, False
    if dropped:
        yield (*kept[: -len(dropped)], *dropped), True, True
    yield from _change(kept)


def _contrast(tokens: Tokens) -> tuple[Tokens, Tokens]:
    """What "A, not B", "A instead of B" and "A rather than B" state and deny."""
    texts = [token.text for token in tokens]
    for first, second in ((",", "not"), ("instead", "of"), ("rather", "than")):
        for at in range(1, len(texts) - 2):
            if texts[at] == first and texts[at + 1] == second:
                kept, dropped = tokens[:at], tokens[at + 2 :]
                return (kept, dropped) if len(dropped) < len(kept) else (kept, ())
    return tokens, ()


def _change(tokens: Tokens) -> Iterator[tuple[Tokens, bool, bool]]:
    """What "S moved from A to B" says of now: S is B, and S is not A."""
    texts = [token.text for token in tokens]
    at = next((place for place, text in enumerate(texts) if text in lexicon.CHANGING), 0)
    if not at or "to" not in texts[at:] or any(text in lexicon.NEGATORS for text in texts):
        return
    to = texts.index("to", at)
    subject = tuple(token for token in tokens[:at] if token.text not in lexicon.AUXILIARIES)
    now = (*subject, Token("is", "is", Kind.WORD))
    yield (*now, *tokens[to + 1 :]), False, True
    if texts[at + 1] == "from":
        yield (*now, *tokens[at + 2 : to]), True, True
