"""From a verdict to a plan: the whole table."""

from itertools import product
from uuid import UUID

import pytest

from tests.support.fakes import candidate
from tributary.domain.lesson import Status
from tributary.domain.plan import (
    Outcome,
    Plan,
    Policy,
    decide,
    may_overrule,
    park,
    quarantine,
)
from tributary.domain.roles import Actor, Role
from tributary.domain.verdict import Relation, Verdict

POLICY = Policy(min_confidence=0.5)
INSERT = Plan(Outcome.INSERTED, Status.ACTIVE)
UNSURE = park("the classifier was not sure enough")
NOT_OFFERED = park("the verdict names a lesson that was not offered")


def actor(role: Role, agent: str = "ada") -> Actor:
    return Actor("acme", agent, role)


def expected(relation: Relation, role: Role, own: bool, protected: bool, sure: bool) -> Outcome:
    """The rule in words: unsure parks; novel inserts; duplicate reinforces; a curator, or the
    agent itself where nothing is protected, supersedes; everybody else disputes.
    """
    if not sure:
        return Outcome.PENDING
    if relation is Relation.NOVEL:
        return Outcome.INSERTED
    if relation is Relation.DUPLICATE:
        return Outcome.REINFORCED
    if role is Role.CURATOR or (own and not protected):
        return Outcome.SUPERSEDED
    return Outcome.DISPUTED


STATUS = {
    Outcome.INSERTED: Status.ACTIVE,
    Outcome.REINFORCED: None,
    Outcome.SUPERSEDED: Status.ACTIVE,
    Outcome.PENDING: Status.PENDING,
    Outcome.DISPUTED: Status.DISPUTED,
}


@pytest.mark.parametrize(
    ("relation", "role", "own", "protected", "confidence"),
    list(product(Relation, Role, [True, False], [True, False], [0.0, 0.49, 0.5, 1.0])),
)
def test_every_verdict_has_one_plan(
    relation: Relation, role: Role, own: bool, protected: bool, confidence: float
) -> None:
    other = candidate(1, agent="zoe")
    target = candidate(2, agent="ada" if own else "bob", protected=protected)
    novel = relation is Relation.NOVEL
    verdict = Verdict(relation, None if novel else target.id, confidence)
    plan = decide(verdict, [other, target], actor(role), POLICY)
    outcome = expected(relation, role, own, protected, sure=confidence >= 0.5)
    assert (plan.outcome, plan.status) == (outcome, STATUS[outcome])
    acts_on_it = outcome in (Outcome.REINFORCED, Outcome.SUPERSEDED, Outcome.DISPUTED)
    assert plan.target == (target if acts_on_it else None)
    assert (plan.flag is None) == (outcome not in (Outcome.PENDING, Outcome.DISPUTED))


@pytest.mark.parametrize("relation", [Relation.DUPLICATE, Relation.CONTRADICTS])
@pytest.mark.parametrize("target", [None, UUID(int=99)])
def test_a_target_that_was_not_offered_is_never_acted_on(
    relation: Relation, target: UUID | None
) -> None:
    verdict = Verdict(relation, target)
    assert decide(verdict, [candidate(1)], actor(Role.CURATOR), POLICY) == NOT_OFFERED
    assert decide(verdict, [], actor(Role.CURATOR), POLICY) == NOT_OFFERED


def test_an_unsure_novel_is_not_inserted_beside_its_neighbour() -> None:
    verdict = Verdict(Relation.NOVEL, confidence=0.49)
    assert decide(verdict, [candidate(1)], actor(Role.CURATOR), POLICY) == UNSURE


def test_the_policy_says_what_is_sure_enough() -> None:
    verdict = Verdict(Relation.NOVEL, confidence=0.3)
    assert decide(verdict, [], actor(Role.WRITER), Policy(min_confidence=0.3)) == INSERT


@pytest.mark.parametrize(
    ("role", "agent", "protected", "may"),
    [
        (Role.CURATOR, "bob", True, True),
        (Role.WRITER, "ada", False, True),
        (Role.WRITER, "ada", True, False),
        (Role.WRITER, "bob", False, False),
        (Role.WRITER, "Ada", False, False),
    ],
)
def test_only_a_curator_overrules_others_and_the_protected(
    role: Role, agent: str, protected: bool, may: bool
) -> None:
    assert may_overrule(actor(role, agent), candidate(1, agent="ada", protected=protected)) is may


def test_parking_and_quarantine_say_why() -> None:
    assert park("busy") == Plan(Outcome.PENDING, Status.PENDING, flag="busy")
    assert quarantine("orders") == Plan(Outcome.QUARANTINED, Status.QUARANTINED, flag="orders")
