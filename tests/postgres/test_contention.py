"""Many learners at the same instant, each on a connection of its own."""

from concurrent.futures import ThreadPoolExecutor
from itertools import pairwise
from threading import Barrier

import pytest

from tests.support.fakes import ValueClassifier
from tributary.domain.plan import Outcome
from tributary.ports import Learned


def together(memories, contents, **parts) -> list[Learned]:
    """Each content learnt by its own memory, all released by one barrier before they classify."""
    barrier = Barrier(len(contents))
    learners = [memories(**parts) for _ in contents]

    def learn(memory, content):
        barrier.wait(timeout=60)
        return memory.learn(content)

    with ThreadPoolExecutor(len(contents)) as pool:
        return list(pool.map(learn, learners, contents))


def chain_of(memory, learned):
    return memory.history(learned.lesson_id).chain


def assert_unbroken(chain):
    assert [one.status.value for one in chain] == ["superseded"] * (len(chain) - 1) + ["active"]
    for older, newer in pairwise(chain):
        assert (older.superseded_by, newer.supersedes) == (newer.id, older.id)
        assert older.deactivated_at == newer.activated_at
        assert older.revision == newer.revision or newer.superseded_by


def test_opposite_lessons_at_once_leave_one_truth_in_one_chain(memories):
    answers = together(memories, [f"billing API port is {7000 + n}" for n in range(8)])
    memory = memories()
    chain = chain_of(memory, answers[0])
    assert_unbroken(chain)
    assert len(chain) == 8
    assert {one.lesson_id for one in answers} == {one.id for one in chain}
    assert sorted(one.outcome for one in answers) == [Outcome.INSERTED] + [Outcome.SUPERSEDED] * 7
    by_id = {one.id: one for one in chain}
    for answer in answers:
        assert by_id[answer.lesson_id].supersedes == answer.target_id


def test_the_same_sentence_at_once_is_one_lesson(memories):
    answers = together(memories, ["the billing port is 7001"] * 8)
    assert sorted(one.outcome for one in answers) == [Outcome.INSERTED] + [Outcome.REINFORCED] * 7
    assert len({one.lesson_id for one in answers}) == 1


@pytest.mark.parametrize("writers", [16])
def test_a_hot_topic_is_classified_about_once_per_learn(memories, wirings, tribe, writers):
    classifiers = [ValueClassifier() for _ in range(writers)]
    barrier = Barrier(writers)

    def learn(number):
        memory = memories(classifier=classifiers[number])
        barrier.wait(timeout=60)
        return memory.learn(f"billing API port is {7000 + number}")

    with ThreadPoolExecutor(writers) as pool:
        answers = list(pool.map(learn, range(writers)))
    assert Outcome.PENDING not in {one.outcome for one in answers}
    decisions = [wirings().ledger.decision(tribe, one.decision_id) for one in answers]
    assert max(one.rounds for one in decisions) <= 3
    assert sum(one.calls for one in classifiers) <= 2 * writers
