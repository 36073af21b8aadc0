"""Which lessons a new one is compared with, where many are alike."""

from uuid import uuid4

import pytest

from tests.support.sql import plant, statuses, value
from tributary.domain.lesson import MAX_CONTENT, draft
from tributary.domain.plan import Outcome, Policy
from tributary.domain.roles import Actor, Role
from tributary.ports import Attempt
from tributary.usecases.learn.prepare import CANDIDATE_BYTES

SERVICES = 60


def listens(service, port):
    return f"service svc-{service} listens on port {port}"


@pytest.fixture
def prepared(wirings, tribe):
    """What prepare makes of a content, by default as this tribe's curator."""

    def prepared(content, wiring=None):
        attempt = Attempt(Actor(tribe, "ada", Role.CURATOR), draft(content), uuid4(), uuid4())
        return (wiring or wirings()).prepare(attempt, 1)

    return prepared


def offered(prepared):
    return [one.content for one in prepared.neighbourhood.candidates]


def test_each_of_many_templated_lessons_is_replaced_by_its_own_successor(memories, tribe, admin):
    memory = memories()
    old = [memory.learn(listens(number, 8000 + number)) for number in range(SERVICES)]
    assert {one.outcome for one in old} == {Outcome.INSERTED}
    new = [memory.learn(listens(number, 9000 + number)) for number in range(SERVICES)]
    assert [one.target_id for one in new] == [one.lesson_id for one in old]
    assert {one.outcome for one in new} == {Outcome.SUPERSEDED}
    assert all(one.verdict.others == () for one in new)
    assert statuses(admin, tribe) == {
        "active": sorted(listens(number, 9000 + number) for number in range(SERVICES)),
        "superseded": sorted(listens(number, 8000 + number) for number in range(SERVICES)),
    }


def test_the_word_that_few_have_puts_its_lesson_first(prepared, tribe, admin):
    plant(admin, tribe, [listens(number, 8000 + number) for number in range(SERVICES)])
    for number in (0, 31, SERVICES - 1):
        found = offered(prepared(listens(number, 9999)))
        assert found[0] == listens(number, 8000 + number)
        assert len(found) == Policy().candidate_limit == 20


def test_the_policy_says_how_many_are_offered(prepared, wirings, tribe, admin):
    plant(admin, tribe, [listens(number, 8000 + number) for number in range(5)])
    few = wirings(policy=Policy(candidate_limit=3))
    found = offered(prepared(listens(4, 1), few))
    assert (found[0], len(found)) == (listens(4, 8004), 3)


def test_what_is_below_the_similarity_of_the_policy_is_not_offered(memories, prepared, wirings):
    memories().learn("Lisbon has seven hills")
    near = "Lisbon has seven bridges"
    assert offered(prepared(near)) == ["Lisbon has seven hills"]
    assert offered(prepared(near, wirings(policy=Policy(candidate_similarity=0.99)))) == []
    assert offered(prepared("the billing port is 7001")) == []


def test_of_long_candidates_the_best_that_fit_are_kept_in_order(memories, prepared, tribe, admin):
    memory = memories()
    # Four bytes a character: six of these are more than there is room for.
    filling = "\U00020000" * (MAX_CONTENT - 60)
    for number in range(6):
        memory.learn(f"{listens(number, 8000 + number)} {filling}")
    found = prepared(f"{listens(3, 9999)} {filling}").neighbourhood.candidates
    assert found[0].content.startswith(listens(3, 8003))
    sizes = [len(one.content.encode()) for one in found]
    assert sum(sizes) <= CANDIDATE_BYTES < sum(sizes) + sizes[0]
    known = value(admin, "SELECT count(*) FROM lessons WHERE tribe = %s AND status = 'active'",
                  tribe)  # fmt: skip
    assert known == 6 > len(found)
