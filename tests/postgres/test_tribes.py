"""Tribes whose names resemble each other, and tribes that hold the same things."""

import pytest

from tests.support.sql import dump
from tributary.domain.errors import IdempotencyKeyReusedError
from tributary.domain.plan import Outcome
from tributary.domain.roles import Role
from tributary.ports import LessonFilter

# Behind a beginning of the test's own, so that no other test meets these tribes.
ALIKE = ("acme", "acme-corp", "acme_corp", "a%", "acme.eu", "ACME", "acm", "acme-")


@pytest.fixture
def alike(memories, tribe):
    """A memory for each name."""
    beginning, _ = tribe.split("-", 1)
    names = [f"{beginning}.{name}" for name in ALIKE]
    made = {name: memories(tribe=name) for name in names}
    for name, memory in made.items():
        memory.learn(f"the secret of the vault is {name}", tags=["vault"])
    return made


def test_names_that_resemble_each_other_are_strangers(alike, wirings):
    ledger = wirings().ledger
    for name, memory in alike.items():
        secret = [f"the secret of the vault is {name}"]
        found = memory.recall("the secret of the vault", k=200)
        tagged = memory.recall("the secret of the vault", k=200, tags=["vault"])
        assert [one.content for one in found.lessons] == secret
        assert [one.content for one in tagged.lessons] == secret
        assert [one.content for one in ledger.lessons(name, LessonFilter(tag="vault"))] == secret
        assert ledger.stats(name)["active"] == 1
        assert {one.lesson_id for one in ledger.audit(name, None, None, 100)} == {
            found.lessons[0].id
        }


def test_the_same_key_and_text_in_two_tribes_are_two_lessons(memories, tribe, admin):
    ours, theirs = memories(tribe=f"{tribe}-1"), memories(tribe=f"{tribe}-2")
    first, second = (
        memory.learn("the billing port is 7001", idempotency_key="k") for memory in (ours, theirs)
    )
    assert first.outcome is second.outcome is Outcome.INSERTED
    assert first.decision_id != second.decision_id
    before = dump(admin, f"{tribe}-2")
    ours.retire(first.lesson_id, "wrong")
    assert dump(admin, f"{tribe}-2") == before
    assert theirs.learn("the billing port is 7001", idempotency_key="k") == second
    assert [one.id for one in theirs.recall("billing port").lessons] == [second.lesson_id]
    assert ours.recall("billing port").lessons == ()


def test_the_same_key_of_two_agents_of_one_tribe_are_two_keys(memories):
    ada, bob = memories("ada"), memories("bob", Role.WRITER)
    first = ada.learn("the billing port is 7001", idempotency_key="k")
    second = bob.learn("the cache lives in redis", idempotency_key="k")
    assert first.outcome is second.outcome is Outcome.INSERTED
    with pytest.raises(IdempotencyKeyReusedError):
        bob.learn("the billing port is 7001", idempotency_key="k")
