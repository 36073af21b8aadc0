"""Many learners at the same instant, each on a connection of its own."""

from concurrent.futures import ThreadPoolExecutor
from itertools import pairwise
from threading import Barrier

import pytest

from tests.support.fakes import ValueClassifier
from tests.support.learner import learn_together
from tests.support.sql import value
from tributary.domain.plan import Outcome
from tributary.ports import Learned

WORDS = ["ash", "birch", "cedar", "elm", "fir", "oak", "yew"]  # unrelated, to these embeddings


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


def test_eight_processes_that_contradict_each_other_in_an_empty_tribe_leave_one_truth(
    memories, dsn, tribe
):
    contents = [f"billing API port is {7001 + number}" for number in range(8)]
    answers = learn_together(dsn, "ada", [(tribe, content) for content in contents])
    chain = memories().history(answers[0]["lesson_id"]).chain
    assert_unbroken(chain)
    assert {one.content for one in chain} == set(contents)
    by_id = {str(one.id): one for one in chain}
    for content, answer in zip(contents, answers, strict=True):
        mine = by_id[answer["lesson_id"]]
        assert mine.content == content
        assert answer["target_id"] == (mine.supersedes and str(mine.supersedes))
        assert answer["outcome"] == ("superseded" if mine.supersedes else "inserted")


def test_eight_processes_in_eight_tribes_never_meet(dsn, tribe, admin):
    tribes = [f"{tribe}-{number}" for number in range(8)]
    answers = learn_together(
        dsn, "ada", [(name, f"billing API port is {name[-1]}") for name in tribes]
    )
    assert {(one["outcome"], one["retries"], one["rounds"]) for one in answers} == {
        ("inserted", 0, 1)
    }
    for name, answer in zip(tribes, answers, strict=True):
        active = value(
            admin, "SELECT array_agg(id::text) FROM lessons WHERE tribe = %s AND status = 'active'",
            name,
        )  # fmt: skip
        assert active == [answer["lesson_id"]]


def test_learners_of_unrelated_topics_in_one_tribe_all_insert_in_one_round(
    memories, wirings, tribe
):
    answers = together(memories, [f"{word} " * 4 + word.upper() for word in WORDS])
    decisions = [wirings().ledger.decision(tribe, one.decision_id) for one in answers]
    assert {one.outcome for one in answers} == {Outcome.INSERTED}
    assert {one.rounds for one in decisions} == {1}
    assert {one.retries for one in decisions} == {0}


def test_threads_that_share_one_memory_take_turns(memories, wirings, tribe):
    memory = memories()
    with ThreadPoolExecutor(len(WORDS)) as pool:
        learned = list(pool.map(lambda word: memory.learn(f"{word} " * 4 + word.upper()), WORDS))
        found = list(pool.map(lambda word: memory.recall(word, k=1).lessons[0].id, WORDS))
    assert found == [one.lesson_id for one in learned]
    assert wirings().ledger.stats(tribe)["active"] == len(WORDS)
