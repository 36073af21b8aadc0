"""What must hold of a tribe's lessons and audit by themselves, whoever was told what."""

from collections import Counter
from collections.abc import Callable, Hashable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from datetime import datetime
from itertools import groupby, pairwise
from operator import attrgetter, itemgetter
from uuid import UUID

from tributary.domain.lesson import Lesson, Status
from tributary.ports import AuditEntry

Topic = Callable[[str], Hashable]

SPLIT, BROKEN_CHAIN, LOST = "split", "broken chain", "lost"
UNTRUE_ANSWER, AUDIT = "untrue answer", "audit"

REINFORCED = "reinforced"
STATUSES = frozenset(Status)
ENDED = frozenset({Status.SUPERSEDED, Status.RETIRED, Status.QUARANTINED})


@dataclass(frozen=True, slots=True)
class Violation:
    """A promise that was not kept; the detail names ids, never what a lesson says."""

    kind: str  # "split", "broken chain", "lost", "untrue answer" or "audit"
    detail: str


def one_topic(content: str) -> Hashable:  # noqa: ARG001
    """The topic of contents that all contradict each other."""
    return ""


def in_order(audit: Iterable[AuditEntry]) -> list[AuditEntry]:
    """Oldest first: instants are strictly later at every change of a tribe, ids need not be."""
    return sorted(audit, key=attrgetter("at", "id"))


def splits(lessons: Sequence[Lesson], topic: Topic | None = None) -> Iterator[Violation]:
    """More than one active lesson in a lineage or, of those with a topic, in a topic."""
    active = [one for one in lessons if one.status is Status.ACTIVE]
    for lineage, number in Counter(one.lineage for one in active).items():
        if number > 1:
            yield Violation(SPLIT, f"lineage {lineage} has {number} active lessons")
    if topic:
        by_topic: dict[Hashable, list[UUID]] = {}
        for one in active:
            by_topic.setdefault(topic(one.content), []).append(one.id)
        for ids in by_topic.values():
            if len(ids) > 1:
                yield Violation(SPLIT, f"one topic has the active lessons {_list(ids)}")


def broken_chains(lessons: Sequence[Lesson]) -> Iterator[Violation]:
    """Links that point one way only, and times that neither touch nor follow each other."""
    by_id = {one.id: one for one in lessons}
    for one in lessons:
        for what, right in (*_own_times(one), *_forward(one, by_id), *_backward(one, by_id)):
            if not right:
                yield Violation(BROKEN_CHAIN, f"lesson {one.id} {what}")
    yield from _overlaps(lessons)


def _own_times(one: Lesson) -> Iterator[tuple[str, bool]]:
    began, ended = one.activated_at, one.deactivated_at
    open_ended = began is not None and ended is None
    yield (
        "is active without a beginning, or with an end",
        (one.status is not Status.ACTIVE or open_ended),
    )
    yield "ended before it began", ended is None or (began is not None and began < ended)
    superseded = one.status is Status.SUPERSEDED
    yield "has a successor exactly when superseded", superseded == (one.superseded_by is not None)


def _forward(one: Lesson, by_id: dict[UUID, Lesson]) -> Iterator[tuple[str, bool]]:
    if one.superseded_by is None:
        return
    newer = by_id.get(one.superseded_by)
    if newer is None:
        yield f"was superseded by {one.superseded_by}, which does not exist", False
        return
    # One lesson may end several; it goes on with the lineage of the first.
    same_lineage = newer.lineage == one.lineage
    yield f"and its successor {newer.id} disagree", same_lineage == (newer.supersedes == one.id)
    touches = newer.activated_at == one.deactivated_at
    yield f"does not end when its successor {newer.id} begins", touches


def _backward(one: Lesson, by_id: dict[UUID, Lesson]) -> Iterator[tuple[str, bool]]:
    if one.supersedes is not None:
        older = by_id.get(one.supersedes)
        known = older is not None and older.superseded_by == one.id
        yield f"supersedes {one.supersedes}, which does not know of it", known


def _overlaps(lessons: Sequence[Lesson]) -> Iterator[Violation]:
    believed = [
        (one.lineage, one.activated_at, one.id, one.deactivated_at)
        for one in lessons
        if one.activated_at
    ]
    for lineage, links in groupby(sorted(believed, key=itemgetter(0, 1, 2)), key=itemgetter(0)):
        for (_, _, older, ended), (_, began, newer, _) in pairwise(links):
            if ended is None or ended > began:
                what = f"lessons {older} and {newer} of lineage {lineage} were believed at once"
                yield Violation(BROKEN_CHAIN, what)


@dataclass
class Replay:
    """What the audit, read from its beginning, makes of one lesson."""

    status: str | None = None
    activated_at: datetime | None = None
    deactivated_at: datetime | None = None
    reinforcements: int = 0

    def follow(self, line: AuditEntry) -> str | None:
        """Take one line in; says what is wrong with it."""
        before = self.status
        if line.action == REINFORCED:
            self.reinforcements += 1
            return None if before == Status.ACTIVE else f"was reinforced while {before}"
        if line.action not in STATUSES:
            return f"met the unknown action {line.action!r}"
        self.status = line.action
        if line.action == Status.ACTIVE:
            self.activated_at, self.deactivated_at = line.at, None
        elif self.activated_at:
            self.deactivated_at = line.at
        twice = line.action == before or (before in ENDED and line.action != Status.ACTIVE)
        return f"became {line.action} when it was {before}" if twice else None


def unexplained(lessons: Sequence[Lesson], audit: Iterable[AuditEntry]) -> Iterator[Violation]:
    """Where the audit, replayed in order, does not lead to the lessons as they are."""
    replays: dict[UUID, Replay] = {}
    for line in in_order(audit):
        if line.lesson_id is not None:
            wrong = replays.setdefault(line.lesson_id, Replay()).follow(line)
            if wrong:
                yield Violation(AUDIT, f"lesson {line.lesson_id} {wrong}")
    for one in lessons:
        is_now = Replay(one.status, one.activated_at, one.deactivated_at, one.reinforcements)
        replayed = replays.pop(one.id, Replay())
        if replayed != is_now:
            yield Violation(AUDIT, f"lesson {one.id} is {is_now}, its audit says {replayed}")
    for missing in replays:
        yield Violation(LOST, f"lesson {missing} is in the audit only")


def _list(ids: Iterable[UUID]) -> str:
    return ", ".join(sorted(map(str, ids)))
