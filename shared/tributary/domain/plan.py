"""From a verdict to what is done about it: one pure function."""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from enum import StrEnum
from uuid import UUID

from tributary.domain.lesson import Status
from tributary.domain.roles import Actor, Role
from tributary.domain.validity import ALWAYS, Validity
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

    # Many: templated lessons ("service svc-7 listens on port 80") crowd round each other.
    candidate_limit: int = 20
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
    others: tuple[Candidate, ...] = ()  # superseded besides the target
    excepts: tuple[UUID, ...] = ()  # lineages that do not hold while the new lesson does
    validity: Validity | None = None  # in place of the one that the learner gave
    flag: str | None = None  # why it was parked, disputed or quarantined, or stands beside

    @property
    def replaced(self) -> tuple[Candidate, ...]:
        """The lessons that must still be active for the plan to be right."""
        return (self.target, *self.others) if self.target else ()


def decide(
    verdict: Verdict,
    candidates: Sequence[Candidate],
    actor: Actor,
    policy: Policy,
    *,
    validity: Validity = ALWAYS,
    now: datetime | None = None,
) -> Plan:
    """What to do about a verdict over these candidates.

    A writer never overrules another agent or a protected lesson: that waits for a curator. A lesson
    that holds for a time only never ends one that holds beyond it. `validity` is the new lesson's;
    without `now` every interval counts as being ahead.
    """
    if verdict.confidence < policy.min_confidence:
        return park("the classifier was not sure enough")
    if verdict.relation is Relation.NOVEL:
        return Plan(Outcome.INSERTED, Status.ACTIVE)
    known = {candidate.id: candidate for candidate in candidates}
    named = [known.get(id_) for id_ in (verdict.target_id, *verdict.others) if id_]
    targets = [one for one in named if one is not None]
    if not targets or len(targets) < len(named):
        return park("the verdict names a lesson that was not offered")
    ahead = validity.from_now_on(now) if now else validity
    if verdict.relation is Relation.DUPLICATE:
        return _repeat(targets[0], actor, validity)
    return _contradict(targets, actor, validity, ahead, now)


def _repeat(target: Candidate, actor: Actor, validity: Validity) -> Plan:
    """The same statement: a use of the target, unless it says more about when it is true."""
    if target.validity.covers(validity):
        return Plan(Outcome.REINFORCED, None, target)
    if validity.covers(target.validity) and may_overrule(actor, target):
        return Plan(Outcome.SUPERSEDED, Status.ACTIVE, target, flag="repeated, true for longer")
    return Plan(Outcome.INSERTED, Status.ACTIVE, flag="repeated, true at other times")


def _contradict(
    targets: Sequence[Candidate],
    actor: Actor,
    validity: Validity,
    ahead: Validity,
    now: datetime | None,
) -> Plan:
    stronger = next((one for one in targets if not may_overrule(actor, one)), None)
    if stronger:
        why = "contradicts a lesson this agent may not overrule"
        return Plan(Outcome.DISPUTED, Status.DISPUTED, stronger, flag=why)
    later = _began_later(targets, validity)
    if later:
        until = Validity(validity.start, later)
        return Plan(Outcome.INSERTED, Status.ACTIVE, validity=until, flag="ended by a later lesson")
    ended = [one for one in targets if ahead.covers(_ahead(one, now))]
    excepts = tuple(dict.fromkeys(one.lineage for one in targets if one not in ended))
    if not ended:
        why = "holds for a time, beside a lesson that holds longer"
        return Plan(Outcome.INSERTED, Status.ACTIVE, excepts=excepts, flag=why)
    return Plan(Outcome.SUPERSEDED, Status.ACTIVE, ended[0], tuple(ended[1:]), excepts)


def _ahead(target: Candidate, now: datetime | None) -> Validity:
    return target.validity.from_now_on(now) if now else target.validity


def _began_later(targets: Sequence[Candidate], validity: Validity) -> datetime | None:
    """When an open-ended lesson is history learnt late: the first instant of its successor."""
    starts = [one.validity.start for one in targets]
    if validity.start is None or validity.end is not None or None in starts:
        return None
    first = min(start for start in starts if start)
    return first if validity.start < first else None


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
