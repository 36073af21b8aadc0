"""How the database executes each shipped statement, after ten executions on one connection.

2,000 lessons in the tribe, 150 in another tribe of the same partition, 50 elsewhere.
"""

from datetime import UTC, datetime, timedelta

import pytest

from tests.support.fakes import ValueClassifier, WordEmbedder
from tests.support.garden import gardener
from tests.support.sql import plant, value
from tributary.adapters.postgres.database import connector
from tributary.doctor.plans import Spy, explain, explain_generic, nodes, partitions, scans
from tributary.doctor.stored import Inside, explain_inside
from tributary.domain.roles import Actor, Role
from tributary.edge.wiring import Wiring
from tributary.memory import Memory
from tributary.ports import LessonFilter, Resolution

TRIBE = "plans"
CURATOR = Actor(TRIBE, "ada", Role.CURATOR)
RECALL_NOW, RECALL_EARLIER = "recall_now(", "believed AS"
NEIGHBOURS, DELTA, TICK = "AS leased", "AS near", "top.changed_at"
OF_TRIBE = {"of_tribe": TRIBE}
QUERY = {
    "words": ("query_word[]", None), "weights": ("sparsevec", None), "total": ("float8", None),
}  # fmt: skip
EVERYTHING = Inside("recall_everything", "fused_score(", OF_TRIBE, QUERY)
AMONG = Inside("matched_lessons", "fused_score(", OF_TRIBE)
NEARLY = Inside("near_lessons", "ORDER BY v.embedding <=> wanted", OF_TRIBE)
ANSWER = {"best": ("recall_match[]", None), "is_exact": ("boolean", None)}
# Each statement of what recall_now calls. A plan that is kept has to do for any values.
RECALLING = {
    "everything": EVERYTHING,
    "among": AMONG,
    "scope": Inside("recall_among", "v.id = ANY(scope) AND v.id <>", OF_TRIBE),
    "rarity": Inside("recall_among", "AS counted", OF_TRIBE),
    "nearly": NEARLY,
    "weights": Inside("weighed_words", "AS counted", OF_TRIBE),
    "telling": Inside("telling_lessons", "AS told", OF_TRIBE),
    "exceptions": Inside("hidden_lessons", "e.excepts", OF_TRIBE),
    "ended": Inside("ended_lessons", "v.valid_to", OF_TRIBE),
    "rarest": Inside("tagged_lessons", "ORDER BY 2", OF_TRIBE),
    "tagged": Inside("tagged_lessons", "r.word = rarest", OF_TRIBE, {"rarest": ("text", None)}),
    "sizes": Inside("recall_tribe", "known FROM", OF_TRIBE),
    "answer": Inside("recall_tribe", "AS once", OF_TRIBE, ANSWER),
}


@pytest.fixture(scope="module")
def partition(admin):
    """The number of the tribe's partition, filled and analysed."""
    plant(admin, TRIBE, [f"service {n} uses port {7000 + n} in rack{n % 50}" for n in range(2_000)])
    number = value(admin, "SELECT gate_of(%s)", TRIBE)
    neighbour = value(
        admin,
        "SELECT 'mate-' || n FROM generate_series(1, 1000) AS n WHERE gate_of('mate-' || n) = %s",
        number,
    )
    plant(admin, neighbour, [f"mate {n} eats" for n in range(150)])
    plant(admin, "plans-elsewhere", [f"other {n} eats" for n in range(50)])
    admin.execute("ANALYZE lessons, lesson_vectors, lesson_vectors_past")
    return f"{number:02}"


@pytest.fixture(scope="module")
def spy(dsn, partition):
    """What was executed: every statement there is, and those that only read ten times."""
    spy = Spy(connector(conninfo=dsn))
    wiring = Wiring(spy.connect, WordEmbedder, ValueClassifier)
    wiring.registry.found(TRIBE)
    learn_all_ways(wiring)
    for _ in range(10):
        read_all_ways(wiring)
    curate_all_ways(wiring)
    yield spy
    wiring.database.close()


def learn_all_ways(wiring):
    ada, bob = Memory(wiring, CURATOR), Memory(wiring, Actor(TRIBE, "bob", Role.WRITER))
    for content in ("7001", "7001", "7002"):
        ada.learn(f"the billing port is {content}")
    bob.learn("the billing port is 7003", idempotency_key="k")
    (dispute,) = wiring.ledger.disputes(TRIBE, None, 10)
    wiring.curate.resolve(CURATOR, dispute.id, Resolution.ACCEPT)


def read_all_ways(wiring):
    memory, ledger = Memory(wiring, CURATOR), wiring.ledger
    now = datetime.now(UTC)
    memory.recall("service rack7", tags=["tag3"])
    memory.recall("service rack7", as_of=now)
    memory.recall("service rack7", true_at=now)
    (found, *_) = memory.recall("billing port").lessons
    memory.learn(f"the billing port is {now.timestamp()}")
    memory.history(found.id)
    ledger.lesson(TRIBE, found.id)
    ledger.lessons(TRIBE, LessonFilter(tag="tag3"))
    ledger.audit(TRIBE, None, None, 100)
    ledger.decision(TRIBE, found.id)
    ledger.parked(TRIBE, None, 10)
    ledger.disputes(TRIBE, None, 10)
    ledger.stats(TRIBE)


def curate_all_ways(wiring):
    memory = Memory(wiring, CURATOR)
    (found, *_) = memory.recall("billing port").lessons
    wiring.store.take_lease(TRIBE, found.lineage, found.id, 0)
    memory.reinforce(found.id)
    memory.retire(found.id, "no more")
    gardener(wiring, TRIBE)(datetime.now(UTC), timedelta(minutes=1))


@pytest.fixture
def plan(spy):
    """The plan of the last statement that holds a fragment, on the connection that ran them."""

    def ask(fragment, how=explain):
        return how(spy.connection, TRIBE, *spy.one(fragment))

    return ask


@pytest.fixture
def inside(spy):
    """The plan of a statement within a stored function."""
    return lambda one: explain_inside(spy.connection, TRIBE, one)


def statements(spy):
    """Each statement once, with the values of its last execution.

    But for recall's call of a function, which looks like nothing from outside.
    """
    return {
        text: values
        for text, values in spy.seen
        if isinstance(values, dict) and RECALL_NOW not in text
    }.items()


@pytest.mark.parametrize("how", [explain, explain_generic])
def test_every_statement_touches_the_partition_of_its_tribe_and_no_other(spy, partition, how):
    assert len(statements(spy)) > 25
    for text, values in statements(spy):
        found = how(spy.connection, TRIBE, text, values)
        assert partitions(found) <= {partition}, text
        inserted = [one["Relation Name"] for one in nodes(found) if one.get("Operation")]
        assert partitions(found) or inserted, text


@pytest.mark.parametrize("how", [explain, explain_generic])
def test_no_statement_uses_the_approximate_index(spy, how):
    for text, values in statements(spy):
        indexes = [
            one.get("Index Name", "") for one in nodes(how(spy.connection, TRIBE, text, values))
        ]
        assert not any("embedding" in name or "hnsw" in name for name in indexes), text


@pytest.mark.parametrize("fragment", [RECALL_EARLIER, NEIGHBOURS])
def test_nearest_lessons_come_from_one_scan_of_the_narrow_rows(plan, fragment):
    found = plan(fragment)
    narrow = [
        one for one in nodes(found) if "lesson_vectors_" in one.get("Relation Name", "")
        and "past" not in one["Relation Name"]
    ]  # fmt: skip
    assert len(narrow) == 1
    assert narrow[0]["Plan Rows"] >= 500
    assert scans(found)["lesson_vectors"] <= {"all rows", "lesson_vectors_pkey"}


@pytest.mark.parametrize("name", RECALLING)
def test_a_recall_touches_the_partition_of_its_tribe_and_finds_words_by_their_index(
    inside, partition, name
):
    found = inside(RECALLING[name])
    assert partitions(found) == {partition}
    for table in ("lesson_words", "word_counts", "lessons"):
        assert "all rows" not in scans(found).get(table, set())


def test_only_a_search_of_many_lessons_uses_the_approximate_index(inside):
    for one in RECALLING.values():
        approximate = [
            node for node in nodes(inside(one)) if "embedding" in str(node.get("Index Name"))
        ]
        assert bool(approximate) == (one is NEARLY)


@pytest.mark.parametrize("one", [EVERYTHING, AMONG], ids=lambda one: one.function)
def test_an_exact_recall_reads_the_narrow_rows_in_order_or_by_id(inside, one):
    assert scans(inside(one))["lesson_vectors"] <= {"all rows", "lesson_vectors_pkey"}


def test_exceptions_are_found_by_their_own_index(inside):
    found = scans(inside(RECALLING["exceptions"]))["lessons"]
    assert found == {"lessons_tribe_idx", "lessons_tribe_lineage_idx"}


def test_exceptions_of_earlier_are_looked_up_once_and_not_for_every_lesson(plan):
    for one in nodes(plan(RECALL_EARLIER)):
        assert "excepts" not in one.get("Join Filter", "") or one["Plan Rows"] <= 10


@pytest.mark.parametrize("how", [explain, explain_generic])
def test_what_changed_since_the_watermark_is_a_range_of_revisions(plan, how):
    ranges = [
        one for one in nodes(plan(DELTA, how)) if "revision" in one.get("Index Cond", "")
    ]  # fmt: skip
    assert len(ranges) == 1
    assert "revision >" in ranges[0]["Index Cond"]
    assert "tribe" in ranges[0]["Index Cond"]


def test_the_vectors_of_what_changed_are_looked_up_one_by_one(plan):
    assert scans(plan(DELTA))["lesson_vectors"] == {"lesson_vectors_pkey"}


@pytest.mark.parametrize("how", [explain, explain_generic])
def test_the_revision_is_read_off_the_end_of_its_index(plan, how):
    found = plan(TICK, how)
    assert scans(found) == {"lessons": {"lessons_tribe_revision_idx"}}
    (read,) = [one for one in nodes(found) if "Index Name" in one]
    assert read["Scan Direction"] == "Backward"


@pytest.mark.parametrize("how", [explain, explain_generic])
def test_a_literal_status_finds_its_partial_index_whatever_the_values(plan, how):
    assert scans(plan("status = 'pending'", how))["lessons"] == {"lessons_tribe_id_idx"}


@pytest.mark.parametrize(
    "fragment", ["SELECT lineage FROM lessons", "SET status", "reinforcements + 1"]
)
def test_a_lesson_is_found_by_its_id(plan, fragment):
    assert "lessons_pkey" in scans(plan(fragment))["lessons"]
