"""LearnStore in memory, as honest as PostgreSQL: snapshots, revisions, leases and staleness."""

from collections.abc import Callable
from copy import copy
from dataclasses import dataclass, field, replace
from datetime import datetime, timedelta
from typing import TypeVar
from uuid import UUID

from tributary.domain.errors import (
    DatabaseUnavailableError,
    IdempotencyKeyReusedError,
    SerializationConflictError,
)
from tributary.domain.lesson import Draft, Status
from tributary.domain.plan import Outcome, Policy
from tributary.domain.verdict import Candidate
from tributary.ports import (
    Attempt,
    Changes,
    Clock,
    Embedding,
    GatedTransaction,
    Learned,
    Neighbourhood,
    Proposal,
    Vector,
)

Result = TypeVar("Result")


@dataclass(frozen=True, slots=True)
class Kept:
    """A stored lesson, with the vector it has while it is active."""

    id: UUID
    lineage: UUID
    status: Status
    draft: Draft
    agent: str
    revision: int
    vector: Vector | None
    flag: str | None = None
    supersedes: UUID | None = None
    reinforcements: int = 0
    protected: bool = False
    excepts: tuple[UUID, ...] = ()


@dataclass
class MemoryLearnStore:
    """One tribe for each name; `conflicts` and `outages` are how many transactions fail next."""

    clock: Clock
    policy: Policy = field(default_factory=Policy)
    kept: dict[tuple[str, UUID], Kept] = field(default_factory=dict)
    decisions: dict[tuple[str, UUID], Learned] = field(default_factory=dict)
    keys: dict[tuple[str, str, str], tuple[Draft, UUID]] = field(default_factory=dict)
    leases: dict[tuple[str, UUID], tuple[UUID, datetime]] = field(default_factory=dict)
    conflicts: int = 0
    outages: int = 0
    tries: int = 0  # gated transactions begun
    last: Proposal | None = None  # the latest one that was committed

    def of(self, tribe: str, status: Status | None = None) -> list[Kept]:
        """The tribe's lessons, oldest change first."""
        mine = [one for (name, _), one in self.kept.items() if name == tribe]
        wanted = [one for one in mine if status in (None, one.status)]
        return sorted(wanted, key=lambda one: one.revision)

    def neighbourhood(self, attempt: Attempt, embedding: Embedding) -> Neighbourhood:
        tribe = attempt.actor.tribe
        near = sorted(
            (_candidate(one, embedding.vector) for one in self._rivals(attempt, embedding.vector)),
            key=lambda one: -one.similarity,
        )[: self.policy.candidate_limit]
        return Neighbourhood(
            watermark=self.revision(tribe),
            candidates=tuple(near),
            settled=self.settled(attempt),
            leased=any(self._held(tribe, one.lineage, attempt.decision_id) for one in near),
        )

    def take_lease(self, tribe: str, lineage: UUID, holder: UUID, seconds: float) -> bool:
        if self._held(tribe, lineage, holder):
            return False
        self.leases[tribe, lineage] = (holder, self.clock.now() + timedelta(seconds=seconds))
        return True

    def in_gate(
        self, tribe: str, work: Callable[[GatedTransaction], Result], *, keep: bool = True
    ) -> Result:
        self.tries += 1
        if self.conflicts:
            self.conflicts -= 1
            raise SerializationConflictError("40001", 4)
        if self.outages:
            self.outages -= 1
            raise DatabaseUnavailableError("SQLSTATE 57P01")
        before = {name: copy(getattr(self, name)) for name in ("kept", "decisions", "keys")}
        committed = False
        try:
            result = work(Transaction(self, tribe))  # type: ignore[arg-type]
            committed = keep
        finally:
            if not committed:
                vars(self).update(before)
        return result

    def revision(self, tribe: str) -> int:
        return max((one.revision for one in self.of(tribe)), default=0)

    def settled(self, attempt: Attempt) -> Learned | None:
        tribe, agent = attempt.actor.tribe, attempt.actor.agent
        known = self.keys.get((tribe, agent, attempt.idempotency_key or ""))
        if known and known[0] != attempt.draft:
            raise IdempotencyKeyReusedError
        return self.decisions.get((tribe, known[1] if known else attempt.decision_id))

    def _rivals(self, attempt: Attempt, vector: Vector) -> list[Kept]:
        return [
            one
            for one in self.of(attempt.actor.tribe, Status.ACTIVE)
            if one.vector is not None
            and cosine(one.vector, vector) >= self.policy.candidate_similarity
            and one.draft.validity.overlaps(attempt.draft.validity)
        ]

    def _held(self, tribe: str, lineage: UUID, holder: UUID) -> bool:
        lease = self.leases.get((tribe, lineage))
        return lease is not None and lease[0] != holder and lease[1] > self.clock.now()


@dataclass
class Transaction:
    """What a learn needs of ports.GatedTransaction."""

    store: MemoryLearnStore
    tribe: str

    def changes(self, proposal: Proposal) -> Changes:
        attempt, replaced = proposal.attempt, proposal.plan.replaced
        vector = proposal.embedding.vector if proposal.embedding else None
        rivals = self.store._rivals(attempt, vector) if vector else []
        own = self.store.kept.get((self.tribe, attempt.lesson_id))
        return Changes(
            settled=self.store.settled(attempt),
            near=sum(1 for one in rivals if one.revision > proposal.watermark),
            targets_active=all(self._now(one.id).status is Status.ACTIVE for one in replaced),
            own_status=own.status if own else None,
            disputed_as=next(
                (
                    one.id
                    for one in self.store.of(self.tribe, Status.DISPUTED)
                    if one.agent == attempt.actor.agent
                    and one.draft.content == attempt.draft.content
                ),
                None,
            ),
        )

    def apply(self, proposal: Proposal) -> Learned:
        attempt, plan = proposal.attempt, proposal.plan
        target = plan.target.id if plan.target else None
        if plan.outcome is Outcome.REINFORCED and plan.target:
            now = self._now(plan.target.id)
            self._put(replace(now, reinforcements=now.reinforcements + 1))
        elif plan.status:
            self._insert(proposal)
        answer = Learned(
            outcome=plan.outcome,
            lesson_id=target
            if plan.outcome is Outcome.REINFORCED and target
            else attempt.lesson_id,
            target_id=target,
            verdict=proposal.verdict,
            decision_id=attempt.decision_id,
            flag=plan.flag,
            truncated=bool(proposal.embedding and proposal.embedding.truncated),
        )
        self._record(proposal, answer)
        return answer

    def _insert(self, proposal: Proposal) -> None:
        attempt, plan = proposal.attempt, proposal.plan
        replaced = plan.replaced if plan.outcome is Outcome.SUPERSEDED else ()
        revision = self.store.revision(self.tribe) + 1
        for one in replaced:
            old = self._now(one.id)
            assert old.status is Status.ACTIVE, "superseded what is not active"
            self._put(replace(old, status=Status.SUPERSEDED, vector=None, revision=revision))
        active = plan.status is Status.ACTIVE
        self._put(
            Kept(
                id=attempt.lesson_id,
                lineage=replaced[0].lineage if replaced else attempt.lesson_id,
                status=plan.status or Status.ACTIVE,
                draft=replace(attempt.draft, validity=plan.validity or attempt.draft.validity),
                excepts=plan.excepts,
                agent=attempt.actor.agent,
                revision=revision,
                vector=proposal.embedding.vector if active and proposal.embedding else None,
                flag=plan.flag,
                supersedes=replaced[0].id if replaced else None,
            )
        )

    def _record(self, proposal: Proposal, answer: Learned) -> None:
        attempt, store = proposal.attempt, self.store
        store.last = proposal
        store.decisions[self.tribe, attempt.decision_id] = answer
        if attempt.idempotency_key:
            key = (self.tribe, attempt.actor.agent, attempt.idempotency_key)
            store.keys[key] = (attempt.draft, attempt.decision_id)
        store.leases = {
            topic: held for topic, held in store.leases.items() if held[0] != attempt.decision_id
        }

    def _now(self, lesson_id: UUID) -> Kept:
        return self.store.kept[self.tribe, lesson_id]

    def _put(self, lesson: Kept) -> None:
        self.store.kept[self.tribe, lesson.id] = lesson


def cosine(one: Vector, other: Vector) -> float:
    """Of two unit vectors."""
    return sum(a * b for a, b in zip(one, other, strict=True))


def _candidate(one: Kept, vector: Vector) -> Candidate:
    return Candidate(
        id=one.id,
        lineage=one.lineage,
        content=one.draft.content,
        source_agent=one.agent,
        similarity=cosine(one.vector or (), vector),
        protected=one.protected,
        validity=one.draft.validity,
        situation=one.draft.situation,
        excepts=one.excepts,
    )
