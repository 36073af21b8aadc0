"""The gardener folds receipts in, batch by batch, and forgets nothing that one of them names."""

from datetime import UTC, datetime, timedelta

import pytest

from tests.support.sql import dump, statuses
from tributary.domain.scoring import Forgetting
from tributary.ports import Tended

RULES = Forgetting()
DAY = timedelta(days=1)


@pytest.fixture
def tend(wiring, tribe):
    """One step of the gardener's, which takes `batch` of each kind."""
    return lambda now, batch: wiring.store.in_gate(tribe, lambda inside: inside.tend(now, batch))


def lesson(admin, tribe, content):
    return next(row for row in dump(admin, tribe)["lessons"] if row["content"] == content)


def later(days):
    return datetime.now(UTC) + days * DAY


def test_recalls_are_folded_in_once(memory, garden, tribe, admin):
    memory.learn("the billing port is 7001")
    for _ in range(3):
        memory.recall("billing port")
    before = lesson(admin, tribe, "the billing port is 7001")
    now = later(0)
    assert garden(now).strengthened == 1
    after = lesson(admin, tribe, "the billing port is 7001")
    assert after["strength"] == pytest.approx(before["strength"] * RULES.recall_growth**3)
    assert after["last_used_at"] > before["last_used_at"]
    assert garden(later(0)).strengthened == 0
    assert lesson(admin, tribe, "the billing port is 7001")["strength"] == after["strength"]


def test_receipts_of_nothing_active_do_not_end_the_folding(memory, tend, tribe, admin):
    """All zeros means that nothing is left to do, whatever the batch."""
    memory.recall("before there was anything")
    memory.learn("the billing port is 7001")
    memory.recall("billing port")
    now = later(0)
    assert tend(now, 1) != Tended()
    assert tend(now, 1) != Tended()
    assert tend(now, 1) == Tended()
    assert {row["folded"] for row in dump(admin, tribe)["recall_receipts"]} == {True}


def test_a_lesson_is_not_forgotten_while_a_receipt_of_its_use_waits(memory, tend, tribe, admin):
    learned = memory.learn("the billing port is 7001")
    admin.execute(
        "UPDATE lessons SET last_used_at = last_used_at - interval '400 days' WHERE tribe = %s",
        (tribe,),
    )
    for query in ("an unrelated question", "billing port", "billing port"):
        memory.recall(query)
    admin.execute(
        "UPDATE recall_receipts SET lessons = '{}' WHERE tribe = %s AND id ="
        " (SELECT min(id::text)::uuid FROM recall_receipts WHERE tribe = %s)",
        (tribe, tribe),
    )
    now = later(0)
    while tend(now, 1) != Tended():
        pass
    assert statuses(admin, tribe) == {"active": ["the billing port is 7001"]}
    assert learned.lesson_id == memory.recall("billing port").lessons[0].id


def test_a_use_after_the_instant_of_the_run_keeps_a_lesson_too(memory, garden, tribe, admin):
    memory.learn("the billing port is 7001")
    admin.execute(
        "UPDATE lessons SET last_used_at = last_used_at - interval '400 days' WHERE tribe = %s",
        (tribe,),
    )
    now = later(0)
    memory.recall("billing port")
    assert garden(now).retired == ()
    assert garden(later(0)).strengthened == 1
    assert statuses(admin, tribe) == {"active": ["the billing port is 7001"]}


def test_batches_come_to_the_same_end_as_one_go(memories, tribe, wirings, admin):
    now = later(500)
    for name in ("one-by-one", "at-once"):
        memory = memories(tribe=f"{tribe[:20]}-{name}")
        for number in range(5):
            memory.learn(f"fact{number} is about subject{number}")
    store = wirings().store
    retired = {}
    for name, batch in (("one-by-one", 1), ("at-once", 100)):
        retired[name] = 0
        while (
            done := store.in_gate(
                f"{tribe[:20]}-{name}", lambda inside, batch=batch: inside.tend(now, batch)
            )
        ) != Tended():
            retired[name] += len(done.retired)
    assert retired == {"one-by-one": 5, "at-once": 5}
