"""Histories: what callers were told, against what the tables and the audit say."""

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from uuid import UUID

from tributary.doctor.answers import Ledger, Told, answer, cleaned, untrue
from tributary.doctor.consistency import (
    AUDIT,
    REINFORCED,
    UNTRUE_ANSWER,
    Topic,
    Violation,
    broken_chains,
    one_topic,
    splits,
    unexplained,
)
from tributary.domain.lesson import Lesson
from tributary.ports import AuditEntry, Decision

__all__ = ["Told", "Violation", "one_topic", "violations"]

# Errors that promise that nothing was stored; after any other, a write may be there or not.
NOTHING_STORED = frozenset({
    "InvalidInputError", "ForbiddenError", "NotFoundError", "IdempotencyKeyReusedError",
    "ConfigurationError", "StaleCandidatesError", "TopicBusyError", "SerializationConflictError",
    "EmbeddingFailedError", "ClassifierFailedError",
})  # fmt: skip


def violations(
    told: Sequence[Told],
    lessons: Sequence[Lesson],
    audit: Sequence[AuditEntry],
    decisions: Mapping[UUID, Decision],
    *,
    topic: Topic | None = None,
) -> tuple[Violation, ...]:
    """Every promise that the whole of one tribe breaks, given all that its learners were told.

    `decisions` holds at least those that `told` and `audit` name. `topic` groups contents that
    contradict each other, at most one of which may be active (`one_topic`: they all do); leave it
    out where lessons hold for a time only. Writes besides learns need not be told.
    """
    ledger = Ledger.of(lessons, audit, decisions)
    return (
        *splits(lessons, topic),
        *broken_chains(lessons),
        *unexplained(lessons, audit),
        *(found for one in told if one.learned for found in untrue(one, one.learned, ledger)),
        *_unlike_answers(told),
        *_unsaid(told, ledger),
    )


def _unlike_answers(told: Sequence[Told]) -> Iterator[Violation]:
    """A key that was answered in two ways, and an answer that was given to two requests."""
    requests: dict[UUID, set[str]] = {}
    answers: dict[str, set[tuple[object, ...]]] = {}
    for number, one in enumerate(told):
        if one.learned:
            request = one.idempotency_key or f"the learn {number}"
            requests.setdefault(one.learned.decision_id, set()).add(request)
            told_so = (one.learned.decision_id, *answer(one.learned))
            answers.setdefault(request, set()).add(told_so)
    for decision_id, keys in requests.items():
        if len(keys) > 1:
            yield Violation(UNTRUE_ANSWER, f"decision {decision_id} answers {len(keys)} requests")
    for key, different in answers.items():
        if len(different) > 1:
            yield Violation(UNTRUE_ANSWER, f"{key} was answered in {len(different)} ways")


def _unsaid(told: Sequence[Told], ledger: Ledger) -> Iterator[Violation]:
    """What nobody said, and writes that are there in part."""
    acknowledged = {one.learned.decision_id for one in told if one.learned}
    unanswered, uses = _unanswered(told), 0
    for lesson in ledger.lessons.values():
        birth = next(iter(ledger.lines.get(lesson.id, ())), None)
        if birth is None or birth.decision_id in acknowledged:
            continue  # without a line it is named already
        if unanswered[lesson.content] > 0:
            unanswered[lesson.content] -= 1
        else:
            yield Violation(UNTRUE_ANSWER, f"lesson {lesson.id} was learnt by nobody")
    for decision_id, lines in ledger.decided.items():
        if decision_id not in ledger.decisions:
            yield Violation(AUDIT, f"decision {decision_id} is in the audit only")
        # A parked or disputed lesson that turns out a repetition is retired by the same decision.
        if decision_id not in acknowledged and {line.action for line in lines} == {REINFORCED}:
            uses += 1
    if uses > unanswered.total():
        yield Violation(UNTRUE_ANSWER, f"{uses} uses were counted that nobody asked for")


def _unanswered(told: Sequence[Told]) -> Counter[str]:
    """By content, how many learns may be there though nobody was told so."""
    answered = {one.idempotency_key for one in told if one.learned}
    repeated = {
        (one.content, one.idempotency_key or number)
        for number, one in enumerate(told)
        if one.learned is None
        and one.error not in NOTHING_STORED
        and (one.idempotency_key is None or one.idempotency_key not in answered)
    }
    return Counter(cleaned(content) for content, _ in repeated)
