"""Reinforce, retire, history: what agents and curators do to lessons that are there."""

from uuid import UUID

import pytest

from tests.support.sql import dump, statuses
from tributary.domain.errors import (
    ConflictingStateError,
    ForbiddenError,
    InvalidInputError,
    NotFoundError,
)
from tributary.domain.plan import Outcome
from tributary.domain.roles import Role

UNKNOWN = UUID("01890000-0000-7000-8000-000000000000")


@pytest.fixture
def memory(memories):
    return memories("ada")


@pytest.fixture
def lesson(memory):
    return memory.learn("the billing port is 7001").lesson_id


def row(admin, tribe, lesson_id):
    return next(one for one in dump(admin, tribe)["lessons"] if one["id"] == lesson_id)


def pass_time(admin, tribe, minutes):
    """The database's clock is the only one, so its past is moved instead."""
    admin.execute(
        "UPDATE memory_audit SET at = at - make_interval(mins => %s) WHERE tribe = %s",
        (minutes, tribe),
    )


def test_a_use_is_counted_once_per_agent_and_hour(memory, memories, lesson, tribe, admin):
    assert [memory.reinforce(lesson) for _ in range(50)] == [True] + [False] * 49
    assert memories("bob", Role.WRITER).reinforce(lesson)
    assert row(admin, tribe, lesson)["reinforcements"] == 2
    pass_time(admin, tribe, minutes=59)
    assert not memory.reinforce(lesson)
    pass_time(admin, tribe, minutes=1)
    assert [memory.reinforce(lesson) for _ in range(3)] == [True, False, False]
    actions = [one.action for one in memory.history(lesson).audit]
    assert actions == ["reinforced"] * 3 + ["active"]


def test_an_echo_of_what_was_recalled_is_counted_once_an_hour_and_is_no_new_lesson(
    memory, lesson, tribe, admin
):
    for _ in range(50):
        (heard,) = memory.recall("billing port").lessons
        echo = memory.learn(heard.content)
        assert (echo.outcome, echo.lesson_id) == (Outcome.REINFORCED, lesson)
    assert row(admin, tribe, lesson)["reinforcements"] == 1
    assert statuses(admin, tribe) == {"active": ["the billing port is 7001"]}


def test_a_use_strengthens_up_to_a_limit_and_restores_confidence(memory, lesson, tribe, admin):
    admin.execute("UPDATE lessons SET confidence = 0.2, strength = 40 WHERE id = %s", (lesson,))
    memory.reinforce(lesson)
    after = row(admin, tribe, lesson)
    assert (after["confidence"], after["strength"]) == (1, 60)
    admin.execute("UPDATE lessons SET strength = 3649 WHERE id = %s", (lesson,))
    pass_time(admin, tribe, minutes=60)
    memory.reinforce(lesson)
    assert row(admin, tribe, lesson)["strength"] == 3650


def test_a_use_that_does_not_count_changes_nothing_at_all(memory, lesson, tribe, admin):
    memory.reinforce(lesson)
    before = dump(admin, tribe)
    assert not memory.reinforce(lesson)
    assert dump(admin, tribe) == before


def test_a_retired_lesson_is_out_of_recall_and_in_the_history_with_its_reason(memory, lesson):
    memory.retire(lesson, "  the port was moved  ")
    assert memory.recall("billing port").lessons == ()
    history = memory.history(lesson)
    (kept,) = history.chain
    assert (kept.status, kept.flag) == ("retired", "the port was moved")
    assert kept.deactivated_at > kept.activated_at
    assert history.audit[0].action == "retired"
    assert history.audit[0].detail == {"reason": "the port was moved"}
    assert history.audit[0].at == kept.deactivated_at
    assert history.audit[0].agent == "ada"


@pytest.mark.parametrize("act", ["reinforce", "retire"])
@pytest.mark.parametrize("state", ["retired", "superseded", "disputed"])
def test_only_an_active_lesson_can_be_reinforced_or_retired(
    memory, memories, lesson, tribe, admin, act, state
):
    target = lesson
    if state == "retired":
        memory.retire(lesson, "wrong")
    elif state == "superseded":
        memory.learn("the billing port is 7002")
    else:
        target = memories("bob", Role.WRITER).learn("the billing port is 7002").lesson_id
    before = dump(admin, tribe)
    with pytest.raises(ConflictingStateError, match=state):
        memory.reinforce(target) if act == "reinforce" else memory.retire(target, "again")
    assert dump(admin, tribe) == before


def test_what_is_not_there_is_not_found(memory, tribe, admin):
    before = dump(admin, tribe)
    for attempt in (
        lambda: memory.reinforce(UNKNOWN),
        lambda: memory.retire(UNKNOWN, "wrong"),
        lambda: memory.history(UNKNOWN),
    ):
        with pytest.raises(NotFoundError, match=str(UNKNOWN)):
            attempt()
    assert dump(admin, tribe) == before


@pytest.mark.parametrize("reason", ["", "  ", "x" * 1_001, "nul\0", "\ud800"])
def test_a_reason_that_says_nothing_usable_is_refused(memory, lesson, tribe, admin, reason):
    before = dump(admin, tribe)
    with pytest.raises(InvalidInputError, match="reason"):
        memory.retire(lesson, reason)
    assert dump(admin, tribe) == before


def test_a_reader_may_not_reinforce_and_a_writer_may_not_retire(memories, lesson, tribe, admin):
    before = dump(admin, tribe)
    with pytest.raises(ForbiddenError):
        memories("eve", Role.READER).reinforce(lesson)
    with pytest.raises(ForbiddenError):
        memories("bob", Role.WRITER).retire(lesson, "mine")
    assert dump(admin, tribe) == before


def test_the_history_of_any_link_is_the_whole_chain_with_the_audit_of_that_link(memory):
    learned = [memory.learn(f"the billing port is {port}") for port in (7001, 7002, 7003)]
    ids = [one.lesson_id for one in learned]
    for number, one in enumerate(ids):
        history = memory.history(one)
        assert [lesson.id for lesson in history.chain] == ids
        assert {entry.lesson_id for entry in history.audit} == {one}
        expected = ["superseded", "active"] if number < 2 else ["active"]
        assert [entry.action for entry in history.audit] == expected
        assert history.audit[-1].decision_id == learned[number].decision_id
        if number < 2:
            assert history.audit[0].decision_id == learned[number + 1].decision_id
            assert history.audit[0].detail == {"superseded_by": str(ids[number + 1])}
