"""Texts of the same words that differ in a symbol."""

from types import SimpleNamespace
from uuid import UUID

import pytest

from tributary.adapters.classify.heuristic import classify
from tributary.domain.verdict import Relation

OLD = UUID(int=1)


def relation(old: str, new: str) -> Relation:
    return classify(new, [SimpleNamespace(id=OLD, content=old)]).relation


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("The operator is >=.", "The operator is <=."),
        ("The threshold is < 5.", "The threshold is > 5."),
        ("The offset is +5.", "The offset is -5."),
        ("The temperature limit is -5.", "The temperature limit is 5."),
        ("Set x=1.", "Set x=-1."),
        ("The language is C.", "The language is C++."),
        ("The key is C#.", "The key is C++."),
        ("The pattern is ^a+$", "The pattern is ^a*$"),
    ],
)
def test_a_symbol_that_differs_makes_the_same_words_contradict(old: str, new: str) -> None:
    assert relation(old, new) is relation(new, old) is Relation.CONTRADICTS


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("The build is green \U0001f389", "The build is green"),
        ("Route a -> b.", "Route a \u2192 b."),
        ("Clear the cache.", "Clear the cache!"),
        ("**Clear** the cache", "Clear the cache"),
        ("Use `make build`.", "Use make build."),
    ],
)
def test_decoration_makes_no_difference(old: str, new: str) -> None:
    assert relation(old, new) is relation(new, old) is Relation.DUPLICATE
