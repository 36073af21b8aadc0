"""What the use cases need from the outside world."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from datetime import datetime
from enum import StrEnum
from typing import Protocol, TypeVar
from uuid import UUID

from tributary.domain.lesson import Draft, Lesson, Status
from tributary.domain.plan import Outcome, Plan
from tributary.domain.roles import Actor, Role
from tributary.domain.verdict import Candidate, Comparable, Verdict

Result = TypeVar("Result")
Vector = Sequence[float]


@dataclass(frozen=True, slots=True)
class Embedding:
    """A unit vector, the model that made it, and whether the text was cut to the model's limit."""

    vector: Vector
    model: str
    truncated: bool


class Embedder(Protocol):
    """Text to a unit vector of 384 dimensions; raises EmbeddingFailedError."""

    @property
    def model(self) -> str: ...

    def embed(self, text: str) -> Embedding: ...


class Classifier(Protocol):
    """Compares a new statement with its neighbours; raises ClassifierFailedError."""

    @property
    def name(self) -> str: ...

    def classify(self, new: str, candidates: Sequence[Comparable]) -> Verdict: ...


class Clock(Protocol):
    def now(self) -> datetime:
        """The present, in UTC."""

    def sleep(self, seconds: float) -> None: ...


class Ids(Protocol):
    def new(self) -> UUID:
        """A fresh UUIDv7."""


@dataclass(frozen=True, slots=True)
class Learned:
    """The answer to one learn.

    `lesson_id` is the lesson that now holds the statement: for `reinforced`, the older one.
    """

    outcome: Outcome
    lesson_id: UUID
    target_id: UUID | None
    verdict: Verdict | None
    decision_id: UUID
    flag: str | None = None
    truncated: bool = False  # the embedding saw only the beginning of the content


class Resolution(StrEnum):
    """What a curator makes of a dispute."""

    ACCEPT = "accept"  # the new lesson supersedes the old one
    REJECT = "reject"  # the new lesson is retired
    KEEP_BOTH = "keep_both"  # they do not contradict each other after all


@dataclass(frozen=True, slots=True)
class Settlement:
    """How a curator ends a dispute by letting the disputed lesson hold after all."""

    dispute_id: UUID
    resolution: Resolution
    reason: str | None


@dataclass(frozen=True, slots=True)
class Attempt:
    """One learn on its way: made once by its caller, the same in every round.

    `lesson_id` is fresh, or that of a parked lesson that is classified again.
    """

    actor: Actor
    draft: Draft
    decision_id: UUID
    lesson_id: UUID
    idempotency_key: str | None = None
    parked: bool = False
    settles: Settlement | None = None  # the lesson is disputed, and a curator's word is given

    @property
    def stored_as(self) -> Status | None:
        """The status that the lesson has in the database already."""
        if self.settles:
            return Status.DISPUTED
        return Status.PENDING if self.parked else None


@dataclass(frozen=True, slots=True)
class Neighbourhood:
    """What prepare saw, all in one snapshot."""

    watermark: int  # the tribe's revision
    candidates: tuple[Candidate, ...]  # nearest first
    settled: Learned | None  # this very learn was committed before
    leased: bool = False  # another learner holds the lease of a candidate's topic


@dataclass(frozen=True, slots=True)
class Proposal:
    """What commit is asked to do, and what that rests on."""

    attempt: Attempt
    embedding: Embedding | None  # None only for lessons that are stored without being recalled
    watermark: int
    candidates: tuple[Candidate, ...]
    verdict: Verdict | None
    classifier: str
    round: int
    plan: Plan


@dataclass(frozen=True, slots=True)
class Changes:
    """What the gated transaction sees before it writes."""

    settled: Learned | None
    near: int  # active lessons near the new one that changed since the watermark
    targets_active: bool  # all that the plan replaces; true when it replaces nothing
    own_status: Status | None  # of the lesson itself, when it is stored already
    disputed_as: UUID | None = None  # this agent's same statement that waits for a curator


@dataclass(frozen=True, slots=True)
class Dispute:
    """A lesson that contradicts one its learner may not overrule."""

    id: UUID
    lesson_id: UUID
    target_id: UUID
    opened_by: str
    opened_at: datetime
    resolution: Resolution | None
    resolved_by: str | None
    resolved_at: datetime | None
    reason: str | None


@dataclass(frozen=True, slots=True)
class Tended:
    """What the gardener did, or would do, to one tribe. Counts are of lessons but for `folded`."""

    strengthened: int = 0
    weakened: int = 0
    retired: tuple[UUID, ...] = ()
    folded: int = 0  # receipts, also those of lessons that are active no more


class GatedTransaction(Protocol):
    """A SERIALIZABLE transaction that holds the gate of its tribe's partition."""

    def changes(self, proposal: Proposal) -> Changes: ...

    def apply(self, proposal: Proposal) -> Learned:
        """Write lesson, vector, audit, decision and idempotency key, and end the lease."""

    def lesson(self, lesson_id: UUID) -> Lesson | None: ...

    def reinforce(self, agent: str, lesson_id: UUID) -> bool:
        """Count a use; False when this agent's last one is less than an hour old."""

    def retire(self, agent: str, lesson_id: UUID, reason: str) -> None: ...

    def tend(self, now: datetime, batch: int) -> Tended:
        """Fold in uses, decay, and retire what is forgotten at `now`: up to `batch` of each.

        At the same `now`, once a call has answered all zeros, every further one does.
        """

    def dispute(self, dispute_id: UUID) -> Dispute | None: ...

    def reject(self, agent: str, dispute: Dispute, reason: str | None) -> None:
        """Retire the disputed lesson."""


class LearnStore(Protocol):
    """Reading the neighbourhood, and the only way to change lessons."""

    def neighbourhood(self, attempt: Attempt, embedding: Embedding) -> Neighbourhood: ...

    def take_lease(self, tribe: str, lineage: UUID, holder: UUID, seconds: float) -> bool:
        """True when `holder` now has the topic; it ends by itself after `seconds`."""

    def in_gate(
        self, tribe: str, work: Callable[[GatedTransaction], Result], *, keep: bool = True
    ) -> Result:
        """Run `work` in a gated transaction, again when the database gives it up.

        Raises SerializationConflictError after a few attempts. `work` must not have side
        effects outside the transaction.
        """


@dataclass(frozen=True, slots=True)
class RecallQuery:
    """One recall, checked."""

    text: str
    k: int
    tags: tuple[str, ...] = ()
    as_of: datetime | None = None
    true_at: datetime | None = None
    min_similarity: float | None = None


@dataclass(frozen=True, slots=True)
class RecalledLesson:
    """A lesson as recall answers it, best first."""

    id: UUID
    content: str
    situation: str | None
    tags: tuple[str, ...]
    score: float  # of meaning and words fused, at most 1; comparable within one answer only
    similarity: float  # cosine to the query, -1 to 1
    status: Status
    confidence: float
    agent: str
    lineage: UUID
    supersedes: UUID | None
    activated_at: datetime
    valid_from: datetime | None
    valid_to: datetime | None


@dataclass(frozen=True, slots=True)
class Recalled:
    """The answer to one recall."""

    lessons: tuple[RecalledLesson, ...]
    exact: bool  # every lesson that could come back was compared
    truncated: bool  # there may be more: k was above the limit, or the search gave up before k
    receipt_id: UUID


@dataclass(frozen=True, slots=True)
class Found:
    """What a search of the lessons gave, best first."""

    lessons: tuple[RecalledLesson, ...]
    exact: bool  # every lesson that could come back was compared
    complete: bool  # there are k of them, or there are no more


class RecallStore(Protocol):
    def recall(
        self, actor: Actor, query: RecallQuery, embedding: Embedding, receipt_id: UUID
    ) -> Found:
        """The lessons that match best, and a receipt of them, in one round trip."""


@dataclass(frozen=True, slots=True)
class AuditEntry:
    """One line of the append-only log."""

    id: UUID
    lesson_id: UUID | None
    action: str
    agent: str
    at: datetime
    decision_id: UUID | None
    detail: dict[str, object]


@dataclass(frozen=True, slots=True)
class Decision:
    """The ledger row of one learn."""

    id: UUID
    lesson_id: UUID
    agent: str
    outcome: Outcome
    target_id: UUID | None
    verdict: Verdict | None
    classifier: str
    candidates: tuple[tuple[UUID, float], ...]  # id and cosine similarity
    rounds: int
    retries: int
    flag: str | None
    truncated: bool
    decided_at: datetime


@dataclass(frozen=True, slots=True)
class LessonFilter:
    """What a listing is narrowed to; `after` is the id that the last page ended with."""

    status: Status | None = None
    tag: str | None = None
    agent: str | None = None
    after: UUID | None = None
    limit: int = 50
    quarantined: bool = True  # include them


class Ledger(Protocol):
    """Everything that may be read about a tribe."""

    def lesson(self, tribe: str, lesson_id: UUID) -> Lesson | None: ...
    def lessons(self, tribe: str, wanted: LessonFilter) -> tuple[Lesson, ...]:
        """Newest first, at most `limit`."""

    def chain(self, tribe: str, lesson_id: UUID) -> tuple[Lesson, ...]:
        """Every lesson of the same lineage, oldest first; empty when the id is unknown."""

    def audit(
        self, tribe: str, lesson_id: UUID | None, after: UUID | None, limit: int
    ) -> tuple[AuditEntry, ...]:
        """Newest first; `after` is the id that the last page ended with."""

    def decision(self, tribe: str, decision_id: UUID) -> Decision | None: ...
    def parked(self, tribe: str, after: UUID | None, limit: int) -> tuple[Lesson, ...]:
        """The pending lessons, oldest first; `after` is the id that the last page ended with."""

    def disputes(self, tribe: str, after: UUID | None, limit: int) -> tuple[Dispute, ...]:
        """The open ones, oldest first."""

    def stats(self, tribe: str) -> dict[str, int]:
        """Counts: lessons by status, `recalls`, `decisions`, `revision`."""


@dataclass(frozen=True, slots=True)
class Agent:
    """A named caller."""

    name: str
    role: Role
    created_at: datetime
    revoked_at: datetime | None


class Registry(Protocol):
    """Tribes, agents and the hashes of their keys."""

    def found(self, tribe: str) -> None:
        """Make the tribe exist."""

    def tribes(self) -> tuple[str, ...]: ...

    def add_agent(self, tribe: str, name: str, role: Role, key_hash: bytes) -> bool:
        """False when the name is taken in this tribe."""

    def agents(self, tribe: str) -> tuple[Agent, ...]: ...
    def revoke(self, tribe: str, name: str) -> bool:
        """False when there is no such agent."""

    def identify(self, key_hash: bytes) -> Actor | None: ...
