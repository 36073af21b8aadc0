"""Which answers of a classifier may be acted on."""

from typing import Any
from uuid import UUID

import pytest

from tests.support.fakes import candidate
from tributary.domain.errors import ClassifierFailedError
from tributary.domain.verdict import Relation, Verdict, check_verdict

OFFERED = [candidate(1), candidate(2)]


@pytest.mark.parametrize(
    "verdict",
    [
        Verdict(Relation.NOVEL),
        Verdict(Relation.NOVEL, None, 0.0),
        Verdict(Relation.DUPLICATE, UUID(int=2), 1),
        Verdict(Relation.CONTRADICTS, UUID(int=1), 0.5),
    ],
)
def test_a_usable_verdict_passes_unchanged(verdict: Verdict) -> None:
    assert check_verdict(verdict, OFFERED) is verdict


@pytest.mark.parametrize(
    ("answer", "reason"),
    [
        (Verdict(Relation.DUPLICATE), "the target was not among the candidates"),
        (Verdict(Relation.CONTRADICTS), "the target was not among the candidates"),
        (Verdict(Relation.DUPLICATE, UUID(int=3)), "the target was not among the candidates"),
        (Verdict(Relation.NOVEL, UUID(int=1)), "a novel lesson has no target"),
        (Verdict(Relation.NOVEL, confidence=-0.1), "the confidence is outside 0 to 1"),
        (Verdict(Relation.NOVEL, confidence=1.1), "the confidence is outside 0 to 1"),
        (Verdict(Relation.NOVEL, confidence=float("nan")), "the confidence is outside 0 to 1"),
        (Verdict(Relation.NOVEL, confidence=float("inf")), "the confidence is outside 0 to 1"),
    ],
)
def test_an_unusable_verdict_is_a_failure(answer: Verdict, reason: str) -> None:
    with pytest.raises(ClassifierFailedError) as caught:
        check_verdict(answer, OFFERED)
    assert caught.value.reason == reason


MALFORMED: list[Any] = [
    None,
    "contradicts",
    {"relation": "duplicate", "target_id": str(UUID(int=1))},
    Verdict("duplicate", UUID(int=1)),  # type: ignore[arg-type]
    Verdict("supersedes", UUID(int=1)),  # type: ignore[arg-type]
    Verdict(None, UUID(int=1)),  # type: ignore[arg-type]
    Verdict(Relation.DUPLICATE, str(UUID(int=1))),  # type: ignore[arg-type]
    Verdict(Relation.DUPLICATE, UUID(int=1), "0.9"),  # type: ignore[arg-type]
    Verdict(Relation.DUPLICATE, UUID(int=1), None),  # type: ignore[arg-type]
    Verdict(Relation.DUPLICATE, UUID(int=1), True),
]


@pytest.mark.parametrize("answer", MALFORMED, ids=repr)
def test_an_answer_of_the_wrong_shape_is_a_failure(answer: Any) -> None:
    with pytest.raises(ClassifierFailedError):
        check_verdict(answer, OFFERED)
