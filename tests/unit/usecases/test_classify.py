"""What the classifier is asked, what it is not, and how its answers become one verdict."""

from collections.abc import Sequence
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from typing import Any
from uuid import UUID

import pytest

from tests.support.fakes import candidate
from tributary.domain.errors import ClassifierFailedError
from tributary.domain.lesson import draft
from tributary.domain.roles import Actor, Role
from tributary.domain.validity import Validity
from tributary.domain.verdict import Candidate, Comparable, Relation, Verdict
from tributary.ports import Attempt, Resolution, Settlement
from tributary.usecases.learn.classify import NO_MODEL, Classified, Classify

NOW = datetime(2026, 1, 1, tzinfo=UTC)
DAY = timedelta(days=1)
NEW = "the port is 7009"
ONE, TWO, THREE = (candidate(number, f"the port is 700{number}") for number in (1, 2, 3))
DUPLICATE, CONTRADICTS, NOVEL = Relation.DUPLICATE, Relation.CONTRADICTS, Relation.NOVEL


@dataclass
class Scripted:
    """Gives these answers one after the other, and remembers what it was offered."""

    answers: list[Verdict | Exception]
    name: str = "scripted"
    offered: list[list[UUID]] = field(default_factory=list)

    def classify(self, new: str, candidates: Sequence[Comparable]) -> Verdict:
        self.offered.append([one.id for one in candidates])
        answer = self.answers[len(self.offered) - 1]
        if isinstance(answer, Exception):
            raise answer
        return answer


def attempt(content: str = NEW, settles: Settlement | None = None, **parts: Any) -> Attempt:
    lesson = draft(content, **parts)
    actor = Actor("acme", "ada", Role.CURATOR)
    return Attempt(actor, lesson, UUID(int=50), UUID(int=51), settles=settles)


def contradicts(one: Candidate, confidence: float = 0.9) -> Verdict:
    return Verdict(CONTRADICTS, one.id, confidence)


def classified(
    candidates: Sequence[Candidate], *answers: Verdict | Exception, **parts: Any
) -> tuple[Classified, list[list[UUID]]]:
    """The result, and what the classifier was offered each time."""
    scripted = Scripted(list(answers))
    return Classify(scripted)(attempt(**parts), candidates), scripted.offered


def test_it_asks_on_about_the_rest_while_the_answer_is_that_it_contradicts() -> None:
    result, offered = classified(
        [ONE, TWO, THREE], contradicts(TWO), contradicts(THREE), Verdict(NOVEL)
    )
    assert result.verdict == Verdict(CONTRADICTS, TWO.id, 0.9, (THREE.id,))
    assert result.classifier == "scripted"
    assert offered == [[ONE.id, TWO.id, THREE.id], [ONE.id, THREE.id], [ONE.id]]


def test_it_stops_when_nothing_is_left_to_ask_about() -> None:
    result, offered = classified([ONE, TWO], contradicts(ONE), contradicts(TWO))
    assert result.verdict == Verdict(CONTRADICTS, ONE.id, 0.9, (TWO.id,))
    assert len(offered) == 2


def test_a_classifier_that_names_all_at_once_is_not_asked_again() -> None:
    at_once = Verdict(CONTRADICTS, ONE.id, 0.9, (TWO.id,))
    result, offered = classified([ONE, TWO], at_once)
    assert result.verdict == at_once
    assert len(offered) == 1


@pytest.mark.parametrize("last", [Verdict(NOVEL), Verdict(DUPLICATE, TWO.id)])
def test_what_the_rest_is_otherwise_changes_nothing(last: Verdict) -> None:
    result, _ = classified([ONE, TWO], contradicts(ONE), last)
    assert result.verdict == contradicts(ONE)


@pytest.mark.parametrize("answer", [Verdict(NOVEL), Verdict(DUPLICATE, ONE.id)])
def test_one_answer_is_enough_when_nothing_is_contradicted(answer: Verdict) -> None:
    result, offered = classified([ONE, TWO], answer)
    assert result.verdict == answer
    assert len(offered) == 1


def test_the_whole_is_as_sure_as_its_least_sure_contradiction() -> None:
    result, _ = classified([ONE, TWO, THREE], contradicts(ONE), contradicts(TWO, 0.2),
                           Verdict(NOVEL, confidence=0.1))  # fmt: skip
    assert result.verdict == Verdict(CONTRADICTS, ONE.id, 0.2, (TWO.id,))


@pytest.mark.parametrize(
    ("second", "why"),
    [
        (ClassifierFailedError("throttled"), "throttled"),
        (contradicts(ONE), "not among the candidates"),
        (Verdict(NOVEL, TWO.id), "no target"),
    ],
)
def test_a_second_question_that_fails_leaves_no_verdict(
    second: Verdict | Exception, why: str
) -> None:
    result, offered = classified([ONE, TWO], contradicts(ONE), second)
    assert result.verdict is None
    assert why in (result.flag or "")
    assert len(offered) == 2


@pytest.mark.parametrize(
    ("ours", "theirs", "compared"),
    [
        ("staging", "production", False),
        ("eu west", "eu east", False),
        ("staging", "Staging", True),
        ("staging", None, True),
        (None, "production", True),
        ("staging", "while the cluster was moved", True),
        ("after the first outage", "after the second outage", True),
    ],
)
def test_labels_that_differ_keep_lessons_apart(
    ours: str | None, theirs: str | None, compared: bool
) -> None:
    labelled = candidate(1, "the port is 7001", situation=theirs)
    result, offered = classified([labelled], contradicts(labelled), situation=ours)
    assert result.verdict == (contradicts(labelled) if compared else Verdict(NOVEL))
    assert result.classifier == ("scripted" if compared else NO_MODEL)
    assert len(offered) == compared


def test_the_same_sentence_under_another_label_is_no_duplicate() -> None:
    result, _ = classified([candidate(1, NEW, situation="production")], situation="staging")
    assert result.verdict == Verdict(NOVEL)


def test_the_same_sentence_is_a_duplicate_without_a_model() -> None:
    same = candidate(3, NEW)
    result, offered = classified([ONE, same])
    assert result == Classified(Verdict(DUPLICATE, same.id), NO_MODEL)
    assert offered == []


def test_of_the_same_sentence_twice_the_one_that_holds_all_the_while_is_repeated() -> None:
    shorter = candidate(1, NEW, validity=Validity(NOW, NOW + DAY))
    longer = candidate(2, NEW, validity=Validity(NOW, NOW + 9 * DAY))
    result, _ = classified([shorter, longer], valid_from=NOW, valid_to=NOW + 2 * DAY)
    assert result.verdict == Verdict(DUPLICATE, longer.id)


@pytest.mark.parametrize("model", [True, False])
def test_what_repeats_a_lesson_contradicts_the_exceptions_to_it(model: bool) -> None:
    usual = candidate(1, "the port is seven" if model else NEW)
    exception = candidate(2, "the port is 7002", excepts=(usual.lineage,))
    said = [Verdict(DUPLICATE, usual.id)] if model else []
    result, _ = classified([usual, exception, THREE], *said)
    assert result.verdict == Verdict(DUPLICATE, usual.id, 1.0, (exception.id,))


def test_what_repeats_an_exception_for_longer_contradicts_what_it_excepts() -> None:
    soon = Validity(NOW, NOW + DAY)
    exception = candidate(1, NEW, validity=soon, excepts=(TWO.lineage,))
    result, _ = classified([exception, TWO, THREE])
    assert result.verdict == Verdict(DUPLICATE, exception.id, 1.0, (TWO.id,))
    result, _ = classified([exception, TWO, THREE], valid_from=NOW, valid_to=NOW + DAY)
    assert result.verdict == Verdict(DUPLICATE, exception.id)


def test_a_curator_who_keeps_both_is_contradicted_by_nothing() -> None:
    keeps = Settlement(UUID(int=9), Resolution.KEEP_BOTH, None)
    result, offered = classified([ONE, TWO], settles=keeps)
    assert result.verdict == Verdict(NOVEL)
    usual = candidate(4, NEW)
    exception = candidate(5, "the port is 7005", excepts=(usual.lineage,))
    result, offered = classified([usual, exception], settles=keeps)
    assert result.verdict == Verdict(DUPLICATE, usual.id)
    assert offered == []
