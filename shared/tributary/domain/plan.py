"""From a verdict to what is done about it: one pure function."""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from enum import StrEnum
from operator import itemgetter
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
    if verdict.relation is Relation.DUPLICATE:
        return _repeat(targets[0], targets[1:], actor, validity, now)
    return _contradict(targets, actor, validity, now)


def _repeat(
    target: Candidate,
    others: Sequence[Candidate],
    actor: Actor,
    validity: Validity,
    now: datetime | None,
) -> Plan:
    """The same statement: a use of the target, unless it says more about when it is true.

    Unless, too, an exception hides the target when the statement begins to hold: it ends that.
    """
    begins = _ahead(validity, now).start or now
    covered = target.validity.covers(validity)
    if covered and begins:
        others = [one for one in others if one.validity.holds_at(begins)]
    if others:
        mine = [target] if may_overrule(actor, target) else []
        return _contradict([*mine, *others], actor, validity, now)
    if covered:
        return Plan(Outcome.REINFORCED, None, target)
    if validity.covers(target.validity) and may_overrule(actor, target):
        return Plan(Outcome.SUPERSEDED, Status.ACTIVE, target, flag="repeated, true for longer")
    return Plan(Outcome.INSERTED, Status.ACTIVE, flag="repeated, true at other times")


def _contradict(
    targets: Sequence[Candidate], actor: Actor, validity: Validity, now: datetime | None
) -> Plan:
    stronger = next((one for one in targets if not may_overrule(actor, one)), None)
    if stronger:
        why = "contradicts a lesson this agent may not overrule"
        return Plan(Outcome.DISPUTED, Status.DISPUTED, stronger, flag=why)
    later = _began_later(targets, validity)
    until = Validity(validity.start, later) if later else None
    ahead = _ahead(until or validity, now)
    ended = [one for one in targets if ahead.covers(_ahead(one.validity, now))]
    excepts = tuple(dict.fromkeys(one.lineage for one in targets if one not in ended))
    flag = "ended by a later lesson" if later else None
    if ended:
        return Plan(
            Outcome.SUPERSEDED, Status.ACTIVE, ended[0], tuple(ended[1:]), excepts, until, flag
        )
    flag = flag or "holds for a time, beside a lesson that holds longer"
    return Plan(Outcome.INSERTED, Status.ACTIVE, excepts=excepts, validity=until, flag=flag)


def _ahead(validity: Validity, now: datetime | None) -> Validity:
    return validity.from_now_on(now) if now else validity


def _began_later(targets: Sequence[Candidate], validity: Validity) -> datetime | None:
    """When an open-ended lesson is history learnt late: the first instant of its successors.

    From that instant on they hold without a gap.
    """
    if validity.start is None or validity.end is not None:
        return None
    later = [
        (one.validity.start, one.validity.end)
        for one in targets
        if one.validity.start and one.validity.start > validity.start
    ]
    first = min((start for start, end in later if end is None), default=None)
    for start, end in sorted(later, key=itemgetter(0), reverse=True):
        if first and end and start < first <= end:
            first = start
    return first


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
