"""Recall of what is active now: words and meaning together, and what it leaves behind."""

from datetime import UTC, datetime

import pytest

from tests.support.angles import AngleEmbedder
from tests.support.fakes import FixedClassifier
from tests.support.sql import dump, statuses
from tributary.domain.roles import Role
from tributary.domain.verdict import Relation, Verdict
from tributary.usecases.recall import MAX_K

QUERY = "which flange fits"
CROWD = {f"an ordinary lesson of number {n}": 40.0 + n for n in range(30)}


@pytest.fixture
def remember(memories):
    """A memory that holds these texts, all of them active, at these angles to the query."""

    def build(degrees, tags=lambda content: ()):
        memory = memories(
            embedder=AngleEmbedder({QUERY: 0.0, **degrees}),
            classifier=FixedClassifier(Verdict(Relation.NOVEL)),
        )
        for content in degrees:
            memory.learn(content, tags=tags(content))
        return memory

    return build


def contents(recalled):
    return [one.content for one in recalled.lessons]


def test_a_rare_word_finds_a_lesson_that_the_meaning_ranks_last(remember):
    memory = remember({**CROWD, "the flange is blue": 80.0})
    assert contents(memory.recall(QUERY, k=1)) == ["the flange is blue"]


def test_the_meaning_finds_a_lesson_that_shares_no_word(remember):
    memory = remember({**CROWD, "six inches of gasket": 1.0})
    assert contents(memory.recall(QUERY, k=1)) == ["six inches of gasket"]


def test_a_word_that_every_lesson_has_decides_nothing(remember):
    crowd = {f"a flange of number {n}": 30.0 + n for n in range(20)}
    memory = remember({**crowd, "six inches of gasket": 1.0})
    assert contents(memory.recall(QUERY, k=1)) == ["six inches of gasket"]


def test_words_count_among_the_tagged_lessons_only(remember):
    """The word is common in the tribe, but tells the two tagged lessons apart."""
    crowd = {f"a flange of number {n}": 60.0 for n in range(40)}
    memory = remember(
        {**crowd, "a flange for pumps": 62.0, "a bolt for pumps": 60.0},
        tags=lambda content: ["pumps"] if "pumps" in content else [],
    )
    found = memory.recall(QUERY, k=5, tags=["pumps"])
    assert contents(found) == ["a flange for pumps", "a bolt for pumps"]
    assert all(0 <= one.score <= 1 for one in found.lessons)


def test_lessons_that_ran_out_do_not_make_a_word_common(remember, admin, tribe):
    memory = remember(
        {**{f"a flange of number {n}": 60.0 for n in range(40)}, "a flange for pumps": 62.0,
         "a bolt for pumps": 61.0}
    )  # fmt: skip
    for table in ("lessons", "lesson_vectors"):
        admin.execute(
            f"UPDATE {table} SET valid_to = now() WHERE tribe = %s AND id IN"
            " (SELECT id FROM lessons WHERE content LIKE '%% of number %%')",
            (tribe,),
        )
    admin.execute("UPDATE tribe_sizes SET ending = 40 WHERE tribe = %s", (tribe,))
    found = memory.recall(QUERY, k=5)
    assert contents(found) == ["a flange for pumps", "a bolt for pumps"]
    assert all(0 <= one.score <= 1 for one in found.lessons)


@pytest.mark.parametrize("as_of", [None, datetime(9999, 1, 1, tzinfo=UTC)])
def test_every_tag_asked_for_must_be_there(memories, as_of):
    memory = memories()
    memory.learn("ash ash ash ash", tags=["tree", "wood"])
    memory.learn("elm elm elm elm", tags=["tree"])
    memory.learn("oak oak oak oak")

    def tagged(*tags):
        return sorted(contents(memory.recall("ash elm oak", tags=tags, as_of=as_of)))

    assert tagged("tree", "wood") == ["ash ash ash ash"]
    assert tagged("tree") == ["ash ash ash ash", "elm elm elm elm"]
    assert tagged("Tree") == tagged("tre") == tagged("tree,wood") == []
    assert len(tagged()) == 3


def test_the_least_similarity_is_kept_to_whatever_the_words_say(remember):
    memory = remember({"the flange is blue": 80.0, "six inches of gasket": 10.0})
    assert contents(memory.recall(QUERY, min_similarity=0.5)) == ["six inches of gasket"]
    assert len(memory.recall(QUERY, min_similarity=0.1).lessons) == 2
    assert memory.recall(QUERY, min_similarity=1).lessons == ()
    assert len(memory.recall(QUERY, min_similarity=-1).lessons) == 2


def test_scores_fall_and_similarities_are_cosines(remember):
    memory = remember({**CROWD, "the flange is blue": 80.0})
    found = memory.recall(QUERY, k=MAX_K).lessons
    assert len(found) == 31
    assert [one.score for one in found] == sorted((one.score for one in found), reverse=True)
    assert all(0 <= one.score <= 1 for one in found)
    by_content = {one.content: one.similarity for one in found}
    assert by_content["the flange is blue"] == pytest.approx(0.1736, abs=0.002)


def test_k_may_be_larger_than_the_tribe_and_is_cut_at_the_limit(remember):
    memory = remember({f"lesson {n}": 10.0 for n in range(7)})
    assert len(memory.recall(QUERY, k=3).lessons) == 3
    whole = memory.recall(QUERY, k=MAX_K)
    cut = memory.recall(QUERY, k=MAX_K + 1)
    assert len(whole.lessons) == len(cut.lessons) == 7
    assert (whole.truncated, cut.truncated) == (False, True)
    assert whole.exact


def test_only_active_lessons_are_recalled(memories, tribe, admin):
    ada, bob = memories("ada"), memories("bob", Role.WRITER)
    retired = ada.learn("the retired port is 1").lesson_id
    ada.retire(retired, "wrong")
    ada.learn("the billing port is 7001")
    ada.learn("the billing port is 7002")
    bob.learn("the billing port is 7003")
    memories(classifier=FixedClassifier(Verdict(Relation.DUPLICATE))).learn("the billing port is 4")
    assert set(statuses(admin, tribe)) == {"active", "superseded", "retired", "disputed", "pending"}
    for text in ("port", "the billing port is 7001", "the retired port is 1"):
        assert contents(ada.recall(text, k=MAX_K)) == ["the billing port is 7002"]


def test_the_receipt_holds_exactly_what_came_back_in_order(memories, tribe, admin):
    memory = memories("ada")
    for word in ("ash", "elm", "oak"):
        memory.learn(f"{word} {word} {word} {word}")
    for text, k in [("elm oak", 2), ("elm", 5), ("quartz", 1)]:
        recalled = memory.recall(text, k=k)
        (receipt,) = (
            row for row in dump(admin, tribe)["recall_receipts"] if row["id"] == recalled.receipt_id
        )
        assert receipt["lessons"] == [one.id for one in recalled.lessons]
        assert (receipt["agent"], receipt["k"], receipt["folded"]) == ("ada", k, False)
    assert len(dump(admin, tribe)["recall_receipts"]) == 3


def test_an_empty_tribe_answers_nothing_and_keeps_a_receipt_of_that(memories, tribe, admin):
    recalled = memories().recall("anything")
    assert (recalled.lessons, recalled.exact, recalled.truncated) == ((), True, False)
    (receipt,) = dump(admin, tribe)["recall_receipts"]
    assert (receipt["id"], receipt["lessons"]) == (recalled.receipt_id, [])


def test_recall_changes_nothing_but_its_receipt(memories, tribe, admin):
    memory = memories()
    memory.learn("the billing port is 7001")
    before = dump(admin, tribe)
    memory.recall("billing port")
    assert {**dump(admin, tribe), "recall_receipts": []} == before


def test_recall_does_not_wait_at_the_gate(memories, wirings, tribe):
    memory = memories()
    learned = memory.learn("the billing port is 7001")

    def work(inside):
        inside.retire("ada", learned.lesson_id, "unseen so far")
        assert inside.lesson(learned.lesson_id).status == "retired"
        return contents(memory.recall("billing port"))

    assert wirings().store.in_gate(tribe, work) == ["the billing port is 7001"]
    assert memory.recall("billing port").lessons == ()


def test_a_lesson_is_recalled_by_everyone_as_soon_as_it_is_learnt(memories):
    ada, bob = memories("ada"), memories("bob", Role.READER)
    for number in range(20):
        learned = ada.learn(f"fact{number} is about subject{number}")
        assert bob.recall(f"fact{number}", k=1).lessons[0].id == learned.lesson_id
