"""From a verdict to what is done about it: one pure function."""

from collections.abc import Sequence
from dataclasses import dataclass
from enum import StrEnum

from tributary.domain.lesson import Status
from tributary.domain.roles import Actor, Role
from tributary.domain.verdict import Candidate, Relation, Verdict


class Outcome(StrEnum):
    """What a learn did."""

    INSERTED = "inserted"
    REINFORCED = "reinforced"
    SUPERSEDED = "superseded"
    PENDING = "pending"
    DISPUTED = "disputed"
    QUARANTINED = "quarantined"


@dataclass(frozen=True, slots=True)
class Policy:
    """A tribe's rules for learning."""

    candidate_limit: int = 5
    candidate_similarity: float = 0.5  # cosine; below it two lessons are about different things
    min_confidence: float = 0.5  # a verdict below it is not acted on
    max_rounds: int = 3


@dataclass(frozen=True, slots=True)
class Plan:
    """The change one learn makes.

    `status` is that of the new lesson, or None when none is stored (a duplicate).
    """

    outcome: Outcome
    status: Status | None
    target: Candidate | None = None
    flag: str | None = None  # why it was parked, disputed or quarantined


def decide(verdict: Verdict, candidates: Sequence[Candidate], actor: Actor, policy: Policy) -> Plan:
    """What to do about a verdict over these candidates.

    A writer never overrules another agent or a protected lesson: that waits for a curator.
    """
    if verdict.confidence < policy.min_confidence:
        return park("the classifier was not sure enough")
    if verdict.relation is Relation.NOVEL:
        return Plan(Outcome.INSERTED, Status.ACTIVE)
    target = next((one for one in candidates if one.id == verdict.target_id), None)
    if target is None:
        return park("the verdict names a lesson that was not offered")
    if verdict.relation is Relation.DUPLICATE:
        return Plan(Outcome.REINFORCED, None, target)
    if may_overrule(actor, target):
        return Plan(Outcome.SUPERSEDED, Status.ACTIVE, target)
    return Plan(
        Outcome.DISPUTED,
        Status.DISPUTED,
        target,
        "contradicts a lesson this agent may not overrule",
    )


def may_overrule(actor: Actor, target: Candidate) -> bool:
    """A curator may overrule anything; a writer only its own unprotected lessons."""
    if actor.role >= Role.CURATOR:
        return True
    return target.source_agent == actor.agent and not target.protected


def park(reason: str) -> Plan:
    """Keep the lesson, unrecalled, until it can be classified."""
    return Plan(Outcome.PENDING, Status.PENDING, flag=reason)


def quarantine(reason: str) -> Plan:
    """Keep the lesson for the audit only."""
    return Plan(Outcome.QUARANTINED, Status.QUARANTINED, flag=reason)
