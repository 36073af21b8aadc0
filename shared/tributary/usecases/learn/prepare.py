"""Prepare: screen, embed, and read what the lesson must be compared with."""

from collections.abc import Iterable
from contextlib import suppress
from dataclasses import dataclass, replace
from itertools import accumulate
from random import Random
from uuid import UUID

from tributary.domain.errors import TopicBusyError, TransientError
from tributary.domain.guard import screen
from tributary.domain.lesson import Draft
from tributary.domain.plan import Plan, Policy, park, quarantine
from tributary.domain.verdict import Candidate
from tributary.ports import (
    Attempt,
    Clock,
    Embedder,
    Embedding,
    Learned,
    LearnStore,
    Neighbourhood,
)

LEASE_SECONDS = 10.0  # longer than a classification takes; it ends at commit, or by itself
LEASE_PATIENCE = 40  # polls, about 2 s in all; then the caller waits by its own means
LEASE_POLL = 0.1  # seconds at the most, drawn evenly from 0
# Candidates travel through the workflow, whose payload is limited to 256 KiB.
CANDIDATE_BYTES = 120_000
UNSETTLED = "others kept changing this topic"
UNSEEN = Neighbourhood(watermark=0, candidates=(), settled=None)


@dataclass(frozen=True, slots=True)
class Prepared:
    """What classify and commit go on with. Exactly one of the three ways on is open:

    `settled` (this learn was committed before), `plan` (nothing to classify), or neither:
    classify against the neighbourhood's candidates.
    """

    attempt: Attempt
    round: int  # 1 for the first
    embedding: Embedding | None = None
    neighbourhood: Neighbourhood = UNSEEN
    plan: Plan | None = None
    lease: UUID | None = None  # the topic that this attempt has to itself for now

    @property
    def settled(self) -> Learned | None:
        """The answer of the earlier commit."""
        return self.neighbourhood.settled


@dataclass(frozen=True, slots=True)
class Prepare:
    """The first step. Raises TopicBusyError, EmbeddingFailedError, DatabaseUnavailableError."""

    store: LearnStore
    embedder: Embedder
    clock: Clock
    random: Random
    policy: Policy

    def __call__(self, attempt: Attempt, round_: int, *, give_up: bool = False) -> Prepared:
        """Prepare round `round_` of an attempt; after the last round it plans to park."""
        screening = screen(_all_text(attempt.draft))
        if screening.quarantined:
            rules = ", ".join(sorted({finding.rule for finding in screening.findings}))
            return Prepared(attempt, round_, plan=quarantine(f"the guard found: {rules}"))
        embedding = self.embedder.embed(attempt.draft.content)
        if give_up or round_ > self.policy.max_rounds:
            return Prepared(attempt, round_, embedding, plan=park(UNSETTLED))
        neighbourhood = self._neighbourhood(attempt, embedding)
        contended = round_ > 1 or neighbourhood.leased
        topic = None
        if contended and neighbourhood.candidates and not neighbourhood.settled:
            topic = neighbourhood.candidates[0].lineage
            neighbourhood = self._lease(attempt, embedding, topic)
        return Prepared(attempt, round_, embedding, neighbourhood, lease=topic)

    def release(self, attempt: Attempt, topics: Iterable[UUID]) -> None:
        """Let others have these topics at once: the attempt ended, and no commit freed them."""
        for topic in topics:
            with suppress(TransientError):  # then the lease ends by itself
                self.store.take_lease(attempt.actor.tribe, topic, attempt.decision_id, 0)

    def _neighbourhood(self, attempt: Attempt, embedding: Embedding) -> Neighbourhood:
        found = self.store.neighbourhood(attempt, embedding)
        return replace(found, candidates=_within_budget(found.candidates))

    def _lease(self, attempt: Attempt, embedding: Embedding, lineage: UUID) -> Neighbourhood:
        """Have the topic to ourselves, so that a second classification does not go stale too."""
        for _ in range(LEASE_PATIENCE):
            if self.store.take_lease(
                attempt.actor.tribe, lineage, attempt.decision_id, LEASE_SECONDS
            ):
                return self._neighbourhood(attempt, embedding)
            self.clock.sleep(self.random.uniform(0, LEASE_POLL))
        raise TopicBusyError(str(lineage))


def _within_budget(candidates: tuple[Candidate, ...]) -> tuple[Candidate, ...]:
    """The best candidates, as many as their texts leave room for."""
    texts = (candidate.content + (candidate.situation or "") for candidate in candidates)
    sizes = accumulate(len(text.encode()) for text in texts)
    return tuple(
        candidate
        for candidate, size in zip(candidates, sizes, strict=True)
        if size <= CANDIDATE_BYTES
    )


def _all_text(draft: Draft) -> str:
    return "\n".join([draft.content, draft.situation or "", *draft.tags])
