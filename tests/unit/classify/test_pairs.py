"""Every kind of pair that the heuristic classifier must get right."""

from pathlib import Path

import pytest

from tests.unit.classify.said import Said
from tributary.adapters.classify import heuristic, local
from tributary.domain.verdict import Relation

PAIRS = [
    tuple(line.split("\t"))
    for line in (Path(__file__).parent / "pairs.tsv").read_text(encoding="utf-8").split("\n")
    if line and not line.startswith("# ")
]


@pytest.mark.parametrize(("relation", "older", "newer"), PAIRS)
def test_the_newer_of_two_lessons_is_related_to_the_older(
    relation: str, older: str, newer: str
) -> None:
    known = Said(older)
    verdict = heuristic.classify(newer, [known])
    assert verdict.relation == relation
    assert verdict.target_id == (None if relation == "novel" else known.id)


@pytest.mark.parametrize(("relation", "older", "newer"), PAIRS)
def test_the_relation_does_not_depend_on_which_lesson_came_first(
    relation: str, older: str, newer: str
) -> None:
    assert heuristic.classify(older, [Said(newer)]).relation == relation


def test_every_relation_has_enough_pairs() -> None:
    for relation in Relation:
        assert sum(pair[0] == relation for pair in PAIRS) >= 50


def test_the_local_classifier_is_the_same_one() -> None:
    assert local.classify is heuristic.classify
