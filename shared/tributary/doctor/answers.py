"""One answer: what a caller was told of a learn, against what is there of it."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import timedelta
from uuid import UUID

from tributary.doctor.consistency import LOST, REINFORCED, UNTRUE_ANSWER, Violation, in_order
from tributary.domain.errors import InvalidInputError
from tributary.domain.lesson import MAX_CONTENT, Lesson, Status, clean_text
from tributary.domain.plan import Outcome
from tributary.ports import AuditEntry, Decision, Learned

ONCE_AN_HOUR = timedelta(hours=1)  # an agent's further uses of a lesson are not counted
STORED = {
    Outcome.INSERTED: Status.ACTIVE,
    Outcome.SUPERSEDED: Status.ACTIVE,
    Outcome.PENDING: Status.PENDING,
    Outcome.DISPUTED: Status.DISPUTED,
    Outcome.QUARANTINED: Status.QUARANTINED,
}


@dataclass(frozen=True, slots=True)
class Told:
    """What one caller was told of one learn. An idempotency key belongs to one request only.

    `learned` is None after an error or no answer at all; `error` is the class name of the error.
    """

    content: str
    learned: Learned | None
    error: str | None = None
    idempotency_key: str | None = None


@dataclass(frozen=True, slots=True)
class Ledger:
    """Lessons, decisions and the lines of the audit, by what they are looked up by."""

    lessons: Mapping[UUID, Lesson]
    decisions: Mapping[UUID, Decision]
    lines: Mapping[UUID, Sequence[AuditEntry]]  # of a lesson, oldest first
    decided: Mapping[UUID, Sequence[AuditEntry]]  # by decision

    @classmethod
    def of(
        cls,
        lessons: Sequence[Lesson],
        audit: Sequence[AuditEntry],
        decisions: Mapping[UUID, Decision],
    ) -> "Ledger":
        lines: dict[UUID, list[AuditEntry]] = {}
        decided: dict[UUID, list[AuditEntry]] = {}
        for line in in_order(audit):
            if line.lesson_id:
                lines.setdefault(line.lesson_id, []).append(line)
            if line.decision_id:
                decided.setdefault(line.decision_id, []).append(line)
        return cls({one.id: one for one in lessons}, decisions, lines, decided)


def untrue(told: Told, learned: Learned, ledger: Ledger) -> Iterator[Violation]:
    """An acknowledged learn that is not there, or not as its caller was told."""
    decision = ledger.decisions.get(learned.decision_id)
    lesson = ledger.lessons.get(learned.lesson_id)
    if decision is None:
        yield Violation(LOST, f"decision {learned.decision_id} was told, and is missing")
    if lesson is None:
        yield Violation(LOST, f"lesson {learned.lesson_id} was told, and is missing")
    if decision is None or lesson is None:
        return
    if answer(learned) != _decided(decision):
        yield _untrue_answer(decision, f"was told as {answer(learned)}, and is otherwise")
    if learned.outcome is Outcome.REINFORCED:
        yield from _not_reinforced(decision, lesson, ledger)
    else:
        yield from _not_stored(told, decision, lesson, ledger)


def answer(learned: Learned) -> tuple[str, str, str]:
    """Outcome, lesson and target: what must be the same wherever it is told."""
    return str(learned.outcome), str(learned.lesson_id), str(learned.target_id)


def _decided(decision: Decision) -> tuple[str, str, str]:
    return str(decision.outcome), str(decision.lesson_id), str(decision.target_id)


def _not_reinforced(decision: Decision, target: Lesson, ledger: Ledger) -> Iterator[Violation]:
    at = decision.decided_at
    counted = any(
        line.action == REINFORCED
        and line.agent == decision.agent
        and timedelta(0) <= at - line.at < ONCE_AN_HOUR
        for line in ledger.lines.get(target.id, ())
    )
    if not counted:
        yield Violation(LOST, f"the use of lesson {target.id} by decision {decision.id}")
    if decision.target_id != target.id:
        yield _untrue_answer(decision, f"reinforced {target.id}, and names another target")


def _not_stored(
    told: Told, decision: Decision, lesson: Lesson, ledger: Ledger
) -> Iterator[Violation]:
    if lesson.content != cleaned(told.content):
        yield _untrue_answer(decision, f"lesson {lesson.id} says something else")
    status = STORED[decision.outcome]
    lines = [one for one in ledger.lines.get(lesson.id, ()) if one.action == status]
    # Who says again what waits for a curator is told of the dispute that is open already.
    again = decision.outcome is Outcome.DISPUTED
    if not any(
        line.decision_id == decision.id or (again and line.at <= decision.decided_at)
        for line in lines
    ):
        yield Violation(LOST, f"lesson {lesson.id} was never {status} by decision {decision.id}")
    yield from _not_beside_target(decision, lesson, ledger)


def _not_beside_target(decision: Decision, lesson: Lesson, ledger: Ledger) -> Iterator[Violation]:
    target = ledger.lessons.get(decision.target_id) if decision.target_id else None
    if (target is None) != (decision.outcome not in (Outcome.SUPERSEDED, Outcome.DISPUTED)):
        yield _untrue_answer(decision, f"the target {decision.target_id} does not fit the outcome")
    if decision.outcome is Outcome.SUPERSEDED and lesson.supersedes != decision.target_id:
        yield _untrue_answer(decision, f"{lesson.id} supersedes {lesson.supersedes}")
    if decision.outcome is Outcome.INSERTED and lesson.supersedes:
        yield _untrue_answer(decision, f"{lesson.id} supersedes {lesson.supersedes}")


def _untrue_answer(decision: Decision, why: str) -> Violation:
    return Violation(UNTRUE_ANSWER, f"decision {decision.id}: {why}")


def cleaned(content: str) -> str:
    """As it is stored."""
    try:
        return clean_text(content, "content", MAX_CONTENT)
    except InvalidInputError:  # and so it is nowhere
        return content
