"""How the heuristic classifier chooses among candidates, and what it never does."""

import sys
from types import FrameType

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.unit.classify.said import Said
from tributary.adapters.classify.heuristic import HeuristicClassifier, classify
from tributary.domain.plan import Policy
from tributary.domain.verdict import Relation, check_verdict
from tributary.ports import Classifier

PORT = Said("The billing API port is 7001")
VOCABULARY = """
the a port is not 7001 7002 billing API runs on never at 02:00 , ; . Priya's Vim ' " before after
only moved from to instead of \u4f60\u597d na\u00efve \U0001f600 \u202e = : Ne pas
"""
WORDS = st.lists(st.sampled_from(VOCABULARY.split()), max_size=14)
unhurried = settings(deadline=None)


def test_without_candidates_everything_is_novel() -> None:
    assert classify("The port is 7001", []).relation is Relation.NOVEL


def test_a_statement_may_be_an_object_with_content() -> None:
    assert classify(Said("the billing api port is 7001."), [PORT]).target_id == PORT.id


def test_the_same_text_is_a_duplicate_beyond_doubt() -> None:
    verdict = classify("  the BILLING api port is 7001. ", [PORT])
    assert (verdict.relation, verdict.confidence) == (Relation.DUPLICATE, 1.0)


def test_the_same_text_is_chosen_before_a_contradiction() -> None:
    other = Said("The billing API port is 7002")
    verdict = classify("The billing API port is 7002.", [PORT, other])
    assert (verdict.relation, verdict.target_id) == (Relation.DUPLICATE, other.id)


def test_a_contradiction_is_chosen_before_a_paraphrase() -> None:
    paraphrase = Said("The port of the billing API is 7002")
    verdict = classify("The billing API listens on port 7002", [paraphrase, PORT])
    assert (verdict.relation, verdict.target_id) == (Relation.CONTRADICTS, PORT.id)


def test_of_two_contradicted_lessons_the_likest_is_the_target() -> None:
    near = Said("The billing API port in production is 7001 for all tenants")
    verdict = classify("The billing API port in production is 7002 for all tenants", [PORT, near])
    assert verdict.target_id == near.id


def test_unrelated_candidates_do_not_hide_the_right_one() -> None:
    others = [Said("Priya likes Vim"), Said("The search API port is 7009"), PORT]
    assert classify("The billing API port is 7002", others).target_id == PORT.id


def test_one_clause_of_several_is_enough_to_contradict() -> None:
    old = Said("The nightly job runs at 02:00. It takes an hour.")
    verdict = classify("The nightly job takes an hour; it runs at 04:30.", [old])
    assert (verdict.relation, verdict.target_id) == (Relation.CONTRADICTS, old.id)


def test_a_pronoun_stands_for_what_its_own_text_speaks_of() -> None:
    old = Said("The nightly job is slow. It runs at 02:00.")
    assert classify("The weekly job is slow. It runs at 04:30.", [old]).relation is Relation.NOVEL


def test_a_lesson_that_says_more_is_not_a_duplicate() -> None:
    old = Said("Rotate the keys monthly.")
    new = "Rotate the keys monthly. The script is ops/rotate.sh."
    assert classify(new, [old]).relation is Relation.NOVEL
    assert classify(old.content, [Said(new)]).relation is Relation.NOVEL


def test_verdicts_are_sure_enough_to_be_acted_on() -> None:
    for new in ("The billing API port is 7002", "The billing API listens on port 7001"):
        assert classify(new, [PORT]).confidence >= Policy().min_confidence


def test_the_classifier_is_one_in_the_sense_of_the_ports() -> None:
    classifier: Classifier = HeuristicClassifier()
    assert classifier.name == "heuristic-1"
    assert classifier.classify("The billing API port is 7002", [PORT]).target_id == PORT.id


@unhurried
@given(WORDS, WORDS)
def test_any_words_give_a_verdict_that_can_be_acted_on(old: list[str], new: list[str]) -> None:
    known = [Said(" ".join(old)), PORT]
    check_verdict(classify(" ".join(new), known), known)


@unhurried
@given(st.text(max_size=80), st.text(max_size=80))
def test_any_text_gives_a_verdict_that_can_be_acted_on(old: str, new: str) -> None:
    known = [Said(old)]
    check_verdict(classify(new, known), known)


@unhurried
@given(st.text(min_size=1, max_size=80))
def test_any_text_is_a_duplicate_of_itself(text: str) -> None:
    known = Said(text)
    assert classify(text, [known]).target_id == known.id


@pytest.mark.parametrize(
    "seed",
    [
        "a ",
        "The port is 7001. ",
        "port 7001, ",
        "x-1/",
        "1,",
        "n't ",
        "_",
        "a: ",
        "Q: a A: ",
        "[a] ",
    ],
)
def test_the_work_on_long_texts_is_bounded(seed: str) -> None:
    calls = 0

    def on_event(frame: FrameType, event: str, arg: object) -> None:
        nonlocal calls
        calls += event in {"call", "c_call"}

    old, new = (seed * 8_000)[:7_990] + "end 1", (seed * 8_000)[:7_990] + "end 2"
    sys.setprofile(on_event)
    try:
        classify(new, [Said(old)])
    finally:
        sys.setprofile(None)
    assert calls < 3_000_000
