"""A text cut into parts that each state one thing, and what else each part says of now."""

from collections.abc import Iterator

from tributary.adapters.classify import lexicon
from tributary.adapters.classify.tokens import Kind, Token

Tokens = tuple[Token, ...]

_PRONOUNS = frozenset({"it", "they", "he", "she", "this"})
_ENDS = frozenset({".", ";", "!", "?", "(", ")"})
_OPENERS = frozenset({"but", "so", "and", ","})


def split(tokens: Tokens) -> Iterator[Tokens]:
    """The sentences and main clauses."""
    start = 0
    for at, token in enumerate(tokens):
        following = tokens[at + 1].text if at + 1 < len(tokens) else ""
        if token.text in _ENDS or (token.text == "," and following in {"but", "so", *_PRONOUNS}):
            if start < at:
                yield tokens[start:at]
            start = at + 1
    if start < len(tokens):
        yield tokens[start:]


def resolved(tokens: Tokens, subject: Tokens) -> Tokens:
    """The tokens, with a leading pronoun replaced by what the text spoke of first."""
    while tokens and tokens[0].text in _OPENERS:
        tokens = tokens[1:]
    if subject and tokens and tokens[0].text in _PRONOUNS:
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
