"""The checker of histories sees each way in which a memory can break its word."""

from dataclasses import dataclass, field, replace
from datetime import UTC, datetime, timedelta
from uuid import UUID

import pytest

from tributary.doctor.histories import Told, Violation, one_topic, violations
from tributary.domain.lesson import Lesson, Status
from tributary.domain.plan import Outcome
from tributary.ports import AuditEntry, Decision, Learned

START = datetime(2026, 1, 1, tzinfo=UTC)
PORTS = [f"the billing port is {port}" for port in (7001, 7002, 7003)]
FIRST, SECOND, THIRD = UUID(int=1), UUID(int=2), UUID(int=3)


def at(minute):
    return START + timedelta(minutes=minute)


def lesson(number, **changes):
    values = {
        "id": UUID(int=number), "lineage": FIRST, "status": Status.ACTIVE,
        "content": PORTS[number - 1], "situation": None, "tags": (), "revision": number,
        "confidence": 1.0, "strength": 30.0, "source_agent": "ada", "created_at": at(number),
        "activated_at": at(number), "deactivated_at": None, "valid_from": None, "valid_to": None,
        "supersedes": None, "superseded_by": None, "excepts": (), "protected": False,
        "reinforcements": 0, "flag": None,
    }  # fmt: skip
    return Lesson(**values | changes)


def line(number, lesson_id, action, minute, decision=None, agent="ada"):
    return AuditEntry(UUID(int=100 + number), lesson_id, action, agent, at(minute), decision, {})


def decided(number):
    return UUID(int=50 + number)


def learned(number, outcome, lesson_id, target=None):
    return Learned(outcome, lesson_id, target, None, decided(number))


def decision(number, outcome, lesson_id, target=None):
    return Decision(
        decided(number), lesson_id, "ada", outcome, target, None, "none", (), 1, 0, None, False,
        at(number),
    )  # fmt: skip


@dataclass
class History:
    """Port 7001, then 7002, then 7002 again: all well, until a test breaks it."""

    told: list[Told] = field(
        default_factory=lambda: [
            Told(PORTS[0], learned(1, Outcome.INSERTED, FIRST)),
            Told(PORTS[1], learned(2, Outcome.SUPERSEDED, SECOND, FIRST), idempotency_key="k"),
            Told(PORTS[1], learned(3, Outcome.REINFORCED, SECOND, SECOND)),
        ]
    )
    lessons: dict[UUID, Lesson] = field(
        default_factory=lambda: {
            FIRST: lesson(1, status=Status.SUPERSEDED, superseded_by=SECOND, deactivated_at=at(2)),
            SECOND: lesson(2, supersedes=FIRST, reinforcements=1),
        }
    )
    audit: list[AuditEntry] = field(
        default_factory=lambda: [
            line(4, FIRST, "active", 1, decided(1)),
            line(3, FIRST, "superseded", 2, decided(2)),
            line(2, SECOND, "active", 2, decided(2)),
            line(1, SECOND, "reinforced", 3, decided(3)),
        ]
    )
    decisions: dict[UUID, Decision] = field(
        default_factory=lambda: {
            decided(1): decision(1, Outcome.INSERTED, FIRST),
            decided(2): decision(2, Outcome.SUPERSEDED, SECOND, FIRST),
            decided(3): decision(3, Outcome.REINFORCED, SECOND, SECOND),
        }
    )

    def change(self, lesson_id, **changes):
        self.lessons[lesson_id] = replace(self.lessons[lesson_id], **changes)

    def stored(self, outcome, status, target=None, **changes):
        """A third learn, of port 7003, with a lesson of a lineage of its own."""
        beginning = {"activated_at": at(4)} if status is Status.ACTIVE else {"activated_at": None}
        values = {"status": status, "lineage": THIRD, **beginning, **changes}
        self.lessons[THIRD] = lesson(3, **values)
        self.audit.append(line(5, THIRD, str(status), 4, decided(4)))
        self.decisions[decided(4)] = decision(4, outcome, THIRD, target)

    def check(self, **options):
        return violations(
            self.told, list(self.lessons.values()), self.audit, self.decisions, **options
        )

    def kinds(self, **options):
        return {one.kind for one in self.check(**options)}


@pytest.fixture
def history():
    return History()


def test_a_history_without_a_fault_breaks_no_promise(history):
    assert history.check(topic=one_topic) == ()
    assert violations([], [], [], {}) == ()


def test_details_name_ids_and_never_what_a_lesson_says(history):
    history.lessons.clear()
    found = history.check()
    assert Violation("lost", f"lesson {FIRST} was told, and is missing") in found
    assert not any("billing" in one.detail for one in found)


def test_two_active_lessons_of_one_lineage_are_a_split(history):
    history.change(FIRST, status=Status.ACTIVE, superseded_by=None, deactivated_at=None)
    assert "split" in history.kinds()


def test_two_active_lessons_of_one_topic_are_a_split_where_topics_are_given(history):
    history.stored(Outcome.INSERTED, Status.ACTIVE)
    history.told.append(Told(PORTS[2], learned(4, Outcome.INSERTED, THIRD)))
    assert history.kinds(topic=one_topic) == {"split"}
    assert history.kinds(topic=lambda content: content) == set()
    assert history.kinds() == set()


@pytest.mark.parametrize(
    ("which", "changes"),
    [
        (FIRST, {"superseded_by": None}),
        (FIRST, {"superseded_by": THIRD}),
        (FIRST, {"deactivated_at": at(1.5)}),
        (FIRST, {"deactivated_at": at(2.5)}),
        (FIRST, {"deactivated_at": None}),
        (FIRST, {"activated_at": at(2)}),
        (FIRST, {"activated_at": None}),
        (FIRST, {"lineage": THIRD}),
        (SECOND, {"supersedes": None}),
        (SECOND, {"supersedes": THIRD}),
        (SECOND, {"superseded_by": FIRST}),
        (SECOND, {"activated_at": None}),
        (SECOND, {"deactivated_at": at(9)}),
    ],
    ids=str,
)
def test_a_link_or_an_instant_that_does_not_fit_breaks_the_chain(history, which, changes):
    history.change(which, **changes)
    assert "broken chain" in history.kinds()


def test_lessons_of_one_lineage_believed_at_once_break_the_chain(history):
    history.lessons[THIRD] = lesson(
        3, status=Status.RETIRED, activated_at=at(1.5), deactivated_at=at(1.7)
    )
    assert "broken chain" in history.kinds()


def test_a_lesson_may_end_two_lineages_and_goes_on_with_the_first(history):
    """Port 7003 stood in a lineage of its own until port 7002 came."""
    history.told.append(Told(PORTS[2], learned(4, Outcome.INSERTED, THIRD)))
    ended = {"status": Status.SUPERSEDED, "superseded_by": SECOND, "deactivated_at": at(2)}
    history.lessons[THIRD] = lesson(3, lineage=THIRD, activated_at=at(1.5), **ended)
    history.audit += [
        line(5, THIRD, "active", 1.5, decided(4)),
        line(6, THIRD, "superseded", 2, decided(2)),
    ]
    history.decisions[decided(4)] = decision(4, Outcome.INSERTED, THIRD)
    assert history.check(topic=one_topic) == ()


@pytest.mark.parametrize("missing", range(4))
def test_a_change_without_its_line_in_the_audit_is_seen(history, missing):
    del history.audit[missing]
    assert "audit" in history.kinds()


@pytest.mark.parametrize(
    "extra",
    [
        line(9, SECOND, "retired", 5),
        line(9, FIRST, "reinforced", 5),
        line(9, FIRST, "superseded", 5),
        line(9, SECOND, "active", 5),
        line(9, SECOND, "exalted", 5),
    ],
    ids=lambda extra: extra.action,
)
def test_a_line_of_the_audit_that_leads_elsewhere_is_seen(history, extra):
    history.audit.append(extra)
    assert history.kinds() == {"audit"}


def test_an_instant_that_the_audit_does_not_know_is_seen(history):
    for which in history.lessons:
        history.change(which, activated_at=history.lessons[which].activated_at - timedelta(hours=1))
    history.change(FIRST, deactivated_at=history.lessons[SECOND].activated_at)
    assert history.kinds() == {"audit"}


def test_lines_written_by_one_transaction_may_have_ids_in_any_order(history):
    history.audit.reverse()
    assert history.check() == ()


@pytest.mark.parametrize("which", [FIRST, SECOND])
def test_an_acknowledged_lesson_that_is_not_there_is_lost(history, which):
    del history.lessons[which]
    assert "lost" in history.kinds()


@pytest.mark.parametrize("number", [1, 2, 3])
def test_an_acknowledged_decision_that_is_not_there_is_lost(history, number):
    del history.decisions[decided(number)]
    assert "lost" in history.kinds()


def test_an_acknowledged_use_that_was_not_counted_is_lost(history):
    history.audit.pop()
    history.change(SECOND, reinforcements=0)
    assert history.kinds() == {"lost"}


def test_a_second_use_within_the_hour_rests_on_the_first(history):
    history.told.append(Told(PORTS[1], learned(4, Outcome.REINFORCED, SECOND, SECOND)))
    history.decisions[decided(4)] = decision(4, Outcome.REINFORCED, SECOND, SECOND)
    assert history.check() == ()
    later = replace(history.decisions[decided(4)], decided_at=at(64))
    history.decisions[decided(4)] = later
    assert history.kinds() == {"lost"}


@pytest.mark.parametrize(
    "changes",
    [
        {"outcome": Outcome.INSERTED},
        {"lesson_id": FIRST},
        {"target_id": None},
        {"target_id": SECOND},
    ],
    ids=str,
)
def test_an_answer_that_differs_from_the_decision_is_untrue(history, changes):
    told = history.told[1]
    history.told[1] = replace(told, learned=replace(told.learned, **changes))
    assert "untrue answer" in history.kinds()


def test_a_lesson_that_says_something_else_than_its_learner_is_untrue(history):
    history.told[0] = replace(history.told[0], content=PORTS[2])
    assert history.kinds() == {"untrue answer"}


def test_content_is_compared_as_it_is_stored(history):
    history.told[0] = replace(history.told[0], content=f"  {PORTS[0]}\n")
    assert history.check() == ()


def test_a_superseder_that_replaced_another_than_its_caller_was_told_is_untrue(history):
    history.told[1] = replace(
        history.told[1], learned=learned(2, Outcome.SUPERSEDED, SECOND, THIRD)
    )
    history.decisions[decided(2)] = decision(2, Outcome.SUPERSEDED, SECOND, THIRD)
    assert history.kinds() == {"untrue answer"}


@pytest.mark.parametrize(
    ("outcome", "status", "target"),
    [
        (Outcome.PENDING, Status.PENDING, None),
        (Outcome.DISPUTED, Status.DISPUTED, SECOND),
        (Outcome.QUARANTINED, Status.QUARANTINED, None),
    ],
)
def test_what_waits_or_is_kept_away_is_as_its_caller_was_told(history, outcome, status, target):
    history.stored(outcome, status, target)
    history.told.append(Told(PORTS[2], learned(4, outcome, THIRD, target)))
    assert history.check(topic=one_topic) == ()
    history.change(THIRD, status=Status.ACTIVE, activated_at=at(4))
    history.audit[-1] = replace(history.audit[-1], action="active")
    assert history.kinds() == {"lost"}


def test_who_says_again_what_is_disputed_is_told_of_the_same_dispute(history):
    history.stored(Outcome.DISPUTED, Status.DISPUTED, SECOND)
    history.told.append(Told(PORTS[2], learned(4, Outcome.DISPUTED, THIRD, SECOND)))
    history.told.append(Told(PORTS[2], learned(5, Outcome.DISPUTED, THIRD, SECOND)))
    history.decisions[decided(5)] = decision(5, Outcome.DISPUTED, THIRD, SECOND)
    assert history.check() == ()


def test_a_parked_lesson_may_be_settled_without_a_caller(history):
    """The gardener found that it repeats port 7002."""
    history.stored(Outcome.PENDING, Status.PENDING)
    history.told.append(Told(PORTS[2], learned(4, Outcome.PENDING, THIRD)))
    history.change(THIRD, status=Status.RETIRED)
    history.change(SECOND, reinforcements=2)
    history.audit += [
        line(6, SECOND, "reinforced", 5, decided(5)),
        line(7, THIRD, "retired", 5, decided(5)),
    ]
    history.decisions[decided(5)] = decision(5, Outcome.REINFORCED, SECOND, SECOND)
    assert history.check() == ()


def test_one_key_has_one_answer(history):
    history.told.append(history.told[1])
    assert history.check() == ()
    history.told[-1] = replace(history.told[2], idempotency_key="k")
    assert history.kinds() == {"untrue answer"}


def test_one_answer_belongs_to_one_request(history):
    history.told.append(replace(history.told[1], idempotency_key="other"))
    assert history.kinds() == {"untrue answer"}


def test_a_lesson_that_nobody_learnt_is_named(history):
    history.stored(Outcome.INSERTED, Status.ACTIVE)
    assert history.kinds() == {"untrue answer"}


@pytest.mark.parametrize("error", [None, "DatabaseUnavailableError"])
def test_a_caller_without_an_answer_may_have_been_heard_once(history, error):
    history.told.append(Told(PORTS[2], None, error))
    assert history.check() == ()
    history.stored(Outcome.INSERTED, Status.ACTIVE)
    assert history.check() == ()
    twice = replace(history.lessons[THIRD], id=UUID(int=4), lineage=UUID(int=4))
    history.lessons[twice.id] = twice
    history.audit.append(line(6, twice.id, "active", 4, decided(5)))
    history.decisions[decided(5)] = decision(5, Outcome.INSERTED, twice.id)
    assert history.kinds() == {"untrue answer"}


def test_a_caller_without_an_answer_was_not_heard_once_it_was_answered_under_its_key(history):
    history.told.append(Told(PORTS[1], None, idempotency_key="k"))
    assert history.check() == ()
    history.told.append(Told(PORTS[2], None, idempotency_key="k2"))
    history.told.append(Told(PORTS[2], learned(4, Outcome.INSERTED, THIRD), idempotency_key="k2"))
    history.stored(Outcome.INSERTED, Status.ACTIVE)
    assert history.check() == ()


def test_after_an_error_that_promises_so_nothing_is_stored(history):
    history.told.append(Told(PORTS[2], None, "SerializationConflictError"))
    assert history.check() == ()
    history.stored(Outcome.INSERTED, Status.ACTIVE)
    assert history.kinds() == {"untrue answer"}


def test_a_write_that_is_there_in_part_is_named(history):
    history.told.append(Told(PORTS[2], None))
    history.stored(Outcome.INSERTED, Status.ACTIVE)
    del history.decisions[decided(4)]
    assert history.kinds() == {"audit"}


def test_a_use_that_nobody_asked_for_is_named(history):
    history.told.pop()
    assert history.kinds() == {"untrue answer"}
    history.told.append(Told(PORTS[1], None))
    assert history.check() == ()
