"""Word endings evened out, just enough to compare."""

from collections.abc import Iterable

_KEPT = frozenset({"is", "was", "has", "does", "this", "us", "yes", "less", "always", "news"})


def stem(word: str) -> str:
    """The word without a plural, third-person or -ing ending. Past tenses are kept apart."""
    if not word.isascii() or not word.isalpha() or len(word) < 3 or word in _KEPT:
        return word
    if word.endswith("ies") and len(word) > 4:
        return word[:-3] + "y"
    if word.endswith("ing") and len(word) > 5:
        base = word[:-3]
        doubled = base[-1] == base[-2] and base[-1] not in "lsz"
        return _without_e(base[:-1] if doubled else base)
    if word.endswith(("sses", "shes", "ches", "xes")):
        return word[:-2]
    if word.endswith("s") and not word.endswith(("ss", "us", "is")) and len(word) > 3:
        return _without_e(word[:-1])
    return _without_e(word)


def stems(words: Iterable[str]) -> frozenset[str]:
    """The stems of all words."""
    return frozenset(map(stem, words))


def _without_e(word: str) -> str:
    return word[:-1] if word.endswith("e") and len(word) > 2 else word
