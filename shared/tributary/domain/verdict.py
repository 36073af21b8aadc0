"""What the classifier says of a new lesson against its neighbours."""

from collections.abc import Sequence
from dataclasses import dataclass
from enum import StrEnum
from typing import Protocol
from uuid import UUID

from tributary.domain.errors import ClassifierFailedError
from tributary.domain.validity import ALWAYS, Validity


class Relation(StrEnum):
    """How the new lesson stands to the target."""

    DUPLICATE = "duplicate"
    CONTRADICTS = "contradicts"
    NOVEL = "novel"


class Comparable(Protocol):
    """All that a classifier may read of a candidate."""

    @property
    def id(self) -> UUID: ...
    @property
    def content(self) -> str: ...


@dataclass(frozen=True, slots=True)
class Candidate:
    """An active lesson near the new one."""

    id: UUID
    lineage: UUID
    content: str
    source_agent: str
    similarity: float  # cosine, -1 to 1
    protected: bool = False
    validity: Validity = ALWAYS
    situation: str | None = None
    excepts: tuple[UUID, ...] = ()  # lineages that do not hold while it does


@dataclass(frozen=True, slots=True)
class Verdict:
    """One classification; `target_id` is None exactly when the relation is novel."""

    relation: Relation
    target_id: UUID | None = None
    confidence: float = 1.0  # 0 to 1
    others: tuple[UUID, ...] = ()  # what it contradicts besides the target


def check_verdict(verdict: Verdict, candidates: Sequence[Comparable]) -> Verdict:
    """The verdict unchanged, or ClassifierFailedError when it cannot be acted on.

    Whatever a classifier made of a model's answer may come in here: types are checked too.
    """
    if not isinstance(verdict, Verdict):
        raise ClassifierFailedError("the answer is not a verdict")
    if not isinstance(verdict.relation, Relation):
        raise ClassifierFailedError("the relation is unknown")
    if isinstance(verdict.confidence, bool) or not isinstance(verdict.confidence, (int, float)):
        raise ClassifierFailedError("the confidence is not a number")
    offered = {candidate.id for candidate in candidates}
    if not 0.0 <= verdict.confidence <= 1.0:
        raise ClassifierFailedError("the confidence is outside 0 to 1")
    if verdict.relation is Relation.NOVEL:
        if verdict.target_id is not None:
            raise ClassifierFailedError("a novel lesson has no target")
    elif not {verdict.target_id, *verdict.others} <= offered:
        raise ClassifierFailedError("the target was not among the candidates")
    return verdict
