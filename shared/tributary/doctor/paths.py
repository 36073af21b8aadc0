"""Does the database take the intended path for each shipped query?"""

from collections.abc import Iterator, Sequence
from hashlib import sha256

from psycopg import Connection
from psycopg.rows import DictRow

from tributary.adapters.postgres.database import Connect
from tributary.doctor.catalogue import become_app
from tributary.doctor.plans import Node, Spy, explain, nodes, partitions, scans
from tributary.doctor.report import Check, check
from tributary.doctor.shipped import SHIPPED, Shipped, fill, read_all
from tributary.doctor.stored import explain_inside
from tributary.domain.roles import Actor
from tributary.domain.verdict import Comparable, Relation, Verdict
from tributary.edge.wiring import Wiring
from tributary.ports import Embedding

LESSONS = 300  # enough for the planner to have a choice
TIMES = 10  # then a plan that is kept for any values has been chosen, if one ever is


def check_plans(
    connect: Connect, actor: Actor, shipped: Sequence[Shipped] = SHIPPED, lessons: int = LESSONS
) -> list[Check]:
    """Fill the actor's tribe, execute everything, and read the plans on the same connection."""

    def as_app() -> Connection[DictRow]:
        connection = connect()
        become_app(connection)
        return connection

    spy = Spy(as_app)
    wiring = Wiring(spy.connect, SpreadEmbedder, NovelClassifier)
    try:
        fill(wiring, actor, lessons)
        for _ in range(TIMES):
            read_all(wiring, actor)
        return [_check(spy, actor.tribe, one) for one in shipped]
    finally:
        wiring.database.close()


def _check(spy: Spy, tribe: str, shipped: Shipped) -> Check:
    name, done = f"plan of {shipped.name}", f"EXPLAIN after {TIMES} executions"
    try:
        plan = _plan(spy, tribe, shipped)
    except LookupError as error:
        return check(
            name,
            done,
            "was not found",
            [f"it is not where tributary.doctor.shipped looks: {error}"],
        )
    wrong = [*_wrong(plan, shipped)]
    ways = {table: ", ".join(sorted(how)) for table, how in sorted(scans(plan).items())}
    taken = shipped.path if not wrong else f"not: {shipped.path}"
    return check(name, done, taken, wrong, {"partitions": len(partitions(plan)), **ways})


def _plan(spy: Spy, tribe: str, shipped: Shipped) -> Node:
    statement, values = spy.one(shipped.fragment)
    if shipped.inside is None:
        return explain(spy.connection, tribe, statement, values)
    return explain_inside(spy.connection, tribe, shipped.inside(values))


def _wrong(plan: Node, shipped: Shipped) -> Iterator[str]:
    found = scans(plan)
    for table, right in shipped.reads.items():
        ways = found.get(table, {"nothing at all"})
        if not ways <= right:
            yield f"{table} is read by {', '.join(sorted(ways - right))}"
    for node in nodes(plan):
        index = node.get("Index Name", "")
        if any(part in index for part in shipped.never):
            yield f"the index {index} is used"
    if len(partitions(plan)) > 1:
        yield f"{len(partitions(plan))} partitions are read instead of the tribe's own"


class SpreadEmbedder:
    """Stands in for the model, whose time is not what is looked at: texts far from each other."""

    model = "spread"

    def embed(self, text: str) -> Embedding:
        digest = sha256(text.encode()).digest()
        signs = [1.0 if byte >> bit & 1 else -1.0 for byte in digest for bit in range(8)]
        vector = (signs * 2)[:384]
        return Embedding([value / 384**0.5 for value in vector], self.model, truncated=False)


class NovelClassifier:
    """Every lesson is novel."""

    name = "novel"

    def classify(self, new: str, candidates: Sequence[Comparable]) -> Verdict:  # noqa: ARG002
        return Verdict(Relation.NOVEL)
