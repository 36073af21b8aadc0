"""One lesson that contradicts several."""

from dataclasses import dataclass, field
from uuid import UUID

import pytest

from tests.support.invariants import check
from tests.support.sql import statuses
from tests.support.steps import counted_commit
from tributary.domain.errors import ClassifierFailedError
from tributary.domain.plan import Outcome
from tributary.domain.roles import Actor, Role
from tributary.domain.verdict import Relation, Verdict
from tributary.ports import Resolution

TOPIC = "the billing port is"
PORTS = [f"{TOPIC} {port}" for port in (7001, 7002, 7003)]
NEW = f"{TOPIC} 7009"


@dataclass
class Tolerant:
    """Lets lessons stand beside each other that others say contradict."""

    name: str = "tolerant"

    def classify(self, new, candidates):
        return Verdict(Relation.NOVEL)


@dataclass
class FailsLater:
    """Contradicts what it is shown first, and fails when it is asked on."""

    name: str = "fails later"
    seen: list[UUID] = field(default_factory=list)

    def classify(self, new, candidates):
        if self.seen:
            raise ClassifierFailedError("throttled")
        self.seen.append(candidates[0].id)
        return Verdict(Relation.CONTRADICTS, candidates[0].id, 0.9)


@pytest.fixture
def olds(memories):
    """Three lessons of Ada's that stand beside each other."""
    ada = memories("ada", classifier=Tolerant())
    return [ada.learn(content) for content in PORTS]


@pytest.fixture
def ids(olds):
    return {one.lesson_id for one in olds}


def test_all_that_a_lesson_contradicts_end_with_it(memories, olds, ids, tribe, admin):
    ada = memories("ada")
    new = ada.learn(NEW)
    assert new.outcome is Outcome.SUPERSEDED
    assert {new.target_id, *new.verdict.others} == ids
    assert len(new.verdict.others) == 2
    assert statuses(admin, tribe) == {"active": [NEW], "superseded": PORTS}
    assert [one.content for one in ada.recall("billing port").lessons] == [NEW]
    check(admin, tribe)


def test_it_goes_on_with_the_lineage_of_the_first(memories, olds, ids, tribe):
    ada = memories("ada")
    new = ada.learn(NEW)
    chain = {one.id: one for one in ada.history(new.lesson_id).chain}
    mine = chain.pop(new.lesson_id)
    assert mine.supersedes == new.target_id
    assert mine.lineage == chain[new.target_id].lineage
    assert chain.keys() == ids
    assert {one.superseded_by for one in chain.values()} == {new.lesson_id}
    assert {one.deactivated_at for one in chain.values()} == {mine.activated_at}
    assert len({one.lineage for one in chain.values()}) == 3


def test_the_history_of_any_of_them_shows_them_all(memories, olds, ids):
    ada = memories("ada")
    new = ada.learn(NEW)
    newest = ada.learn(f"{TOPIC} 7010")
    everything = {*ids, new.lesson_id, newest.lesson_id}
    for lesson_id in everything:
        chain = ada.history(lesson_id).chain
        assert {one.id for one in chain} == everything
        assert [one.id for one in chain[-2:]] == [new.lesson_id, newest.lesson_id]


def test_the_decision_and_the_audit_name_them_all(memories, wirings, olds, ids, tribe):
    ada = memories("ada")
    new = ada.learn(NEW, idempotency_key="k")
    decision = wirings().ledger.decision(tribe, new.decision_id)
    assert {decision.verdict.target_id, *decision.verdict.others} == ids
    for lesson_id in ids:
        newest = ada.history(lesson_id).audit[0]
        assert (newest.action, newest.decision_id) == ("superseded", new.decision_id)
        assert newest.detail == {"superseded_by": str(new.lesson_id)}
    assert ada.learn(NEW, idempotency_key="k") == new


def test_a_writer_who_may_not_overrule_one_of_them_overrules_none(memories, wirings, tribe, admin):
    memories("ada", classifier=Tolerant()).learn(PORTS[0])
    bob = memories("bob", Role.WRITER, classifier=Tolerant())
    mine = [bob.learn(content).lesson_id for content in PORTS[1:]]
    new = memories("bob", Role.WRITER).learn(NEW)
    assert new.outcome is Outcome.DISPUTED
    assert new.target_id not in mine
    assert statuses(admin, tribe) == {"active": PORTS, "disputed": [NEW]}
    (dispute,) = wirings().ledger.disputes(tribe, None, 10)
    assert (dispute.lesson_id, dispute.target_id) == (new.lesson_id, new.target_id)
    wirings().curate.resolve(Actor(tribe, "carol", Role.CURATOR), dispute.id, Resolution.ACCEPT)
    assert statuses(admin, tribe) == {"active": [NEW], "superseded": PORTS}
    check(admin, tribe)


@pytest.mark.parametrize("which", [0, 1, 2])
def test_a_verdict_is_stale_when_any_of_them_changed_meanwhile(
    memories, wirings, olds, tribe, admin, which
):
    gone, curator = olds[which], memories("carol")
    wiring = wirings()
    commit = counted_commit(
        wiring, lambda call: call == 1 and curator.retire(gone.lesson_id, "wrong")
    )
    new = memories("ada", wiring=wiring).learn(NEW)
    assert commit.raised == {"StaleCandidatesError": 1}
    assert new.outcome is Outcome.SUPERSEDED
    left = [content for content in PORTS if content != PORTS[which]]
    assert statuses(admin, tribe) == {
        "active": [NEW], "superseded": left, "retired": [PORTS[which]],
    }  # fmt: skip
    check(admin, tribe)


def test_a_classifier_that_fails_at_the_second_question_parks_the_lesson(
    memories, olds, tribe, admin
):
    classifier = FailsLater()
    new = memories("ada", classifier=classifier).learn(NEW)
    assert len(classifier.seen) == 1
    assert (new.outcome, new.verdict, new.target_id) == (Outcome.PENDING, None, None)
    assert "throttled" in new.flag
    assert statuses(admin, tribe) == {"active": PORTS, "pending": [NEW]}
    check(admin, tribe)


def test_before_it_was_learnt_all_of_them_were_believed(memories, olds):
    ada = memories("ada")
    new = ada.learn(NEW)
    chain = ada.history(new.lesson_id).chain
    before = ada.recall("billing port", as_of=chain[-2].activated_at).lessons
    assert sorted(one.content for one in before) == PORTS
    at = ada.recall("billing port", true_at=chain[-1].activated_at).lessons
    assert [one.content for one in at] == [NEW]
