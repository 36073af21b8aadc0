"""The queries whose plans matter, and the path that each is meant to take.

To have another one looked at, add a line to SHIPPED; what read_all() does not execute yet, goes
there.
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import UTC, datetime
from typing import Any

from tributary.doctor.plans import ALL_ROWS
from tributary.doctor.stored import Inside
from tributary.domain.lesson import draft
from tributary.domain.roles import Actor
from tributary.edge.wiring import Wiring
from tributary.usecases.learn.attempt import new_attempt
from tributary.usecases.recall import recall_query

NARROW = frozenset({ALL_ROWS, "lesson_vectors_pkey"})
APPROXIMATE = ("hnsw", "embedding")  # what the names of approximate indexes hold
Values = Mapping[str, Any]


@dataclass(frozen=True, slots=True)
class Shipped:
    """One query: how it is found among those executed, and how it should be executed.

    `reads` are the ways (an index without its partition's number, or ALL_ROWS) that are right for
    a table; `never` are parts of the names of indexes that must not occur anywhere in the plan.
    Where the query calls a function, `inside` is the statement in there that matters, given the
    values of the call.
    """

    name: str
    fragment: str  # of its text, and of no other's
    path: str  # the intended one, for people
    reads: Mapping[str, frozenset[str]] = field(default_factory=dict)
    never: Sequence[str] = APPROXIMATE
    inside: Callable[[Values], Inside] | None = None


def _exactly(values: Values) -> Inside:
    of_the_query = {"weights": ("sparsevec", None), "total": ("float8", None)}
    return Inside("recall_everything", "fused_score(", {"of_tribe": values["tribe"]}, of_the_query)


def _nearly(values: Values) -> Inside:
    near = "ORDER BY v.embedding <=> wanted"
    return Inside("near_lessons", near, {"of_tribe": values["tribe"]})


SHIPPED = (
    Shipped(
        "recall", "recall_now(", "exact scan of the narrow rows, words included",
        {"lesson_vectors": NARROW},
        inside=_exactly,
    ),
    Shipped(
        "recall of a huge tribe", "recall_now(", "the HNSW index",
        {"lesson_vectors": frozenset({"lesson_vectors_embedding_idx"})}, never=(),
        inside=_nearly,
    ),
    Shipped(
        "recall as of", "believed AS", "exact scan of narrow rows, past ones too",
        {"lesson_vectors": NARROW,
         "lesson_vectors_past": frozenset({ALL_ROWS, "lesson_vectors_past_pkey"})},
    ),
    Shipped(
        "candidates", "AS leased", "exact scan of the narrow rows",
        {"lesson_vectors": NARROW},
    ),
    Shipped(
        "delta", "AS near", "range of revisions, then vectors by id",
        {"lesson_vectors": frozenset({"lesson_vectors_pkey"})},
    ),
    Shipped(
        "revision", "top.changed_at", "end of the index of revisions",
        {"lessons": frozenset({"lessons_tribe_revision_idx"})},
    ),
)  # fmt: skip


def fill(wiring: Wiring, actor: Actor, lessons: int) -> None:
    """Learn lessons, so that the planner has a choice."""
    for number in range(lessons):
        _learn(wiring, actor, f"service {number} uses port {7000 + number} in rack {number % 50}")


def read_all(wiring: Wiring, actor: Actor) -> None:
    """Execute each of the shipped queries."""
    now = datetime.now(UTC)
    wiring.recall(actor, recall_query("service in rack 7"))
    wiring.recall(actor, recall_query("service in rack 7", as_of=now))
    _learn(wiring, actor, f"the billing port is {now.timestamp()}")


def _learn(wiring: Wiring, actor: Actor, content: str) -> None:
    wiring.learn(new_attempt(actor, draft(content), wiring.ids))
