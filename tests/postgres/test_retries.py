"""Transactions that the database gives up, and answers that are lost on the way."""

from concurrent.futures import ThreadPoolExecutor
from threading import Barrier

import pytest

from tests.support.fakes import StoppedClock, ValueClassifier
from tests.support.sql import dump, statuses
from tests.support.steps import FailingDatabase, counted_commit
from tests.support.wire import relay
from tributary.adapters.postgres.database import connector
from tributary.domain.errors import (
    DatabaseUnavailableError,
    IdempotencyKeyReusedError,
    SerializationConflictError,
)
from tributary.domain.lesson import draft
from tributary.domain.plan import Outcome
from tributary.usecases.learn.attempt import new_attempt

SQLSTATES = ["40001", "40P01", "55P03", "23505"]


@pytest.fixture
def classifier():
    return ValueClassifier()


@pytest.fixture
def wiring(wirings, classifier):
    return wirings(classifier=classifier, clock=StoppedClock())


@pytest.fixture
def database(wiring):
    return FailingDatabase(wiring)


@pytest.fixture
def memory(memories, wiring, database):
    memories().learn("the billing port is 7001")
    return memories(wiring=wiring)


@pytest.mark.parametrize("sqlstate", SQLSTATES)
@pytest.mark.parametrize("failures", [1, 3])
def test_a_transaction_given_up_is_run_again_without_classifying_again(
    memory, wiring, database, classifier, tribe, admin, failures, sqlstate
):
    database.fail(failures, sqlstate)
    learned = memory.learn("the billing port is 7002")
    assert learned.outcome is Outcome.SUPERSEDED
    assert database.begun == failures + 1
    assert classifier.calls == 1
    assert wiring.ledger.decision(tribe, learned.decision_id).retries == failures
    assert statuses(admin, tribe) == {
        "active": ["the billing port is 7002"],
        "superseded": ["the billing port is 7001"],
    }


@pytest.mark.parametrize("sqlstate", SQLSTATES)
def test_a_transaction_given_up_too_often_stores_nothing_and_can_be_tried_again(
    memory, database, classifier, tribe, admin, sqlstate
):
    database.fail(4, sqlstate)
    before = dump(admin, tribe)
    with pytest.raises(SerializationConflictError) as raised:
        memory.learn("the billing port is 7002", idempotency_key="k")
    assert (raised.value.sqlstate, raised.value.attempts) == (sqlstate, 4)
    assert (database.begun, classifier.calls) == (4, 1)
    assert dump(admin, tribe) == before
    again = memory.learn("the billing port is 7002", idempotency_key="k")
    assert again.outcome is Outcome.SUPERSEDED


def test_the_waits_between_retries_are_random_and_grow(memory, wiring, database):
    database.fail(4, "40001")
    with pytest.raises(SerializationConflictError):
        memory.learn("the billing port is 7002")
    waits = wiring.clock.slept
    assert len(waits) == 3
    assert len(set(waits)) == 3
    assert all(0 <= wait <= 0.01 * 2**number for number, wait in enumerate(waits))


def test_another_error_of_the_database_is_not_retried(memory, database, tribe, admin):
    database.fail(1, "53100")  # disk full
    before = dump(admin, tribe)
    with pytest.raises(DatabaseUnavailableError):
        memory.learn("the billing port is 7002")
    assert database.begun == 1
    assert dump(admin, tribe) == before


@pytest.mark.parametrize("other", ["the billing port is 7001", "the cache lives in redis"])
def test_two_calls_with_one_key_held_before_commit_are_one_lesson(
    memories, wirings, tribe, admin, other
):
    barrier = Barrier(2)
    made = [wirings() for _ in range(2)]
    for one in made:
        counted_commit(one, lambda call: call == 1 and barrier.wait(timeout=60))
    learners = [memories(wiring=one) for one in made]
    with ThreadPoolExecutor(2) as pool:
        calls = [
            pool.submit(learner.learn, content, idempotency_key="k")
            for learner, content in zip(learners, ("the billing port is 7001", other), strict=True)
        ]
    errors = [type(one.exception()) for one in calls if one.exception()]
    answers = {one.result() for one in calls if not one.exception()}
    same = other == "the billing port is 7001"
    assert errors == ([] if same else [IdempotencyKeyReusedError])
    (answer,) = answers
    (stored,) = dump(admin, tribe)["lessons"]
    assert stored["id"] == answer.lesson_id


@pytest.mark.parametrize("key", [None, "k"])
def test_a_commit_that_is_called_again_gives_the_first_answer(memory, wiring, tribe, admin, key):
    """As a workflow does whose first answer was lost."""
    attempt = new_attempt(memory._actor, draft("the billing port is 7002"), wiring.ids, key)
    prepared = wiring.prepare(attempt, 1)
    classified = wiring.classify(attempt, prepared.neighbourhood.candidates)
    first = wiring.commit(prepared, classified)
    stored = dump(admin, tribe)
    assert wiring.commit(prepared, classified) == first
    assert wiring.prepare(attempt, 1).settled == first
    assert dump(admin, tribe) == stored


@pytest.fixture
def line(dsn):
    with relay(dsn) as made:
        yield made


@pytest.fixture
def wired(wirings, line, dsn):
    return wirings(connect=connector(conninfo=line.conninfo(dsn)))


def test_an_answer_lost_after_the_commit_is_given_again_for_the_same_key(
    memories, wired, line, tribe, admin
):
    memory = memories(wiring=wired)
    wired.store.in_gate(tribe, lambda transaction: None)  # so that the gate is known
    commit = counted_commit(wired, lambda call: call == 1 and line.cut_the_answer_to("COMMIT"))
    with pytest.raises(DatabaseUnavailableError):
        memory.learn("the billing port is 7001", idempotency_key="k")
    assert statuses(admin, tribe) == {"active": ["the billing port is 7001"]}
    stored = dump(admin, tribe)
    again = memory.learn("the billing port is 7001", idempotency_key="k")
    assert again.outcome is Outcome.INSERTED
    assert (commit.calls, commit.raised) == (1, {"DatabaseUnavailableError": 1})
    assert dump(admin, tribe) == stored
    assert [str(again.lesson_id)] == [str(row["id"]) for row in stored["lessons"]]


def test_a_line_cut_before_the_commit_stores_nothing(memories, wired, line, tribe, admin):
    memory = memories(wiring=wired)
    wired.store.in_gate(tribe, lambda transaction: None)  # so that the gate is known
    counted_commit(wired, lambda call: call == 1 and line.cut_the_answer_to("LOCK TABLE"))
    before = dump(admin, tribe)
    with pytest.raises(DatabaseUnavailableError):
        memory.learn("the billing port is 7001", idempotency_key="k")
    assert dump(admin, tribe) == before
    assert memory.learn("the billing port is 7001", idempotency_key="k").outcome == "inserted"
