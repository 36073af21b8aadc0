"""Recall from many lessons in many tribes: every lesson compared, or by HNSW and rare words."""

from datetime import UTC, datetime
from random import Random
from statistics import mean
from uuid import uuid4

import pytest

from tests.support.fakes import words_vector
from tests.support.sql import plant, value
from tributary.adapters.postgres.recall import PostgresRecallStore
from tributary.domain.roles import Actor, Role
from tributary.ports import Embedding, RecallQuery

HUGE, SMALL, WORN = "huge", "small", "worn"
ALL = 1_000_000  # more than there are: every lesson is compared
FEW = 4  # fewer than there are in any tribe, or under any tag: HNSW and rare words
TAGGED = ("tag3",)  # every 20th lesson


def sentences(number: int, seed: int) -> list[str]:
    """Twelve words each; a few words are in many sentences, most in few (Zipf)."""
    random = Random(seed)
    return [
        " ".join(f"word{int(3_000 ** random.random())}" for _ in range(12)) for _ in range(number)
    ]


@pytest.fixture(scope="module")
def tribes(admin):
    """One huge tribe and two small ones in its partition, one of which forgot nearly everything."""
    wanted = value(admin, "SELECT gate_of(%s)", HUGE)
    names = {HUGE: HUGE}
    for kind in (SMALL, WORN):
        names[kind] = next(
            name
            for name in (f"{kind}{number}" for number in range(10_000))
            if value(admin, "SELECT gate_of(%s)", name) == wanted
        )
    plant(admin, names[HUGE], sentences(3_000, 1))
    plant(admin, names[SMALL], sentences(100, 2))
    forgotten = plant(admin, names[WORN], sentences(1_500, 3))[: 1_500 - 200]
    gone = (names[WORN], forgotten)
    admin.execute("DELETE FROM lesson_vectors WHERE tribe = %s AND id = ANY(%s)", gone)
    admin.execute("UPDATE lessons SET status = 'retired' WHERE tribe = %s AND id = ANY(%s)", gone)
    return names


@pytest.fixture
def search(wirings, tribes):
    """Recall in one of the tribes, with another limit for comparing every lesson."""
    database = wirings().database

    def found(kind, text, exact_up_to, meaning="", **parts):
        return PostgresRecallStore(database, exact_up_to).recall(
            Actor(tribes[kind], "ada", Role.READER),
            RecallQuery(text, **{"k": 10, **parts}),
            Embedding(words_vector(meaning or text), "words", truncated=False),
            uuid4(),
        )

    return found


def share_found(search, kind, **parts):
    """Of what is found by comparing every lesson, the share that is found fast."""
    shares = []
    for query in sentences(25, seed=9):
        text = " ".join(query.split()[:6])
        fast, full = search(kind, text, FEW, **parts), search(kind, text, ALL, **parts)
        assert (fast.exact, full.exact) == (False, True)
        wanted = {one.id for one in full.lessons}
        assert len(fast.lessons) == len(wanted) == parts.get("k", 10)
        shares.append(len(wanted & {one.id for one in fast.lessons}) / len(wanted))
    return mean(shares)


@pytest.mark.parametrize("kind", [HUGE, SMALL, WORN])
def test_what_is_found_fast_is_what_is_found_by_comparing_every_lesson(search, kind):
    assert share_found(search, kind) >= 0.98


@pytest.mark.parametrize("kind", [HUGE, WORN])
def test_under_a_tag_it_is_nearly_the_same(search, kind):
    """Not quite: how rare a word is, is then asked of the tribe, not of the tagged lessons."""
    assert share_found(search, kind, tags=TAGGED, k=4) >= 0.9


def test_scores_and_similarities_are_the_same_either_way(search):
    text = sentences(1, seed=5)[0]
    fast, full = search(SMALL, text, FEW).lessons[0], search(SMALL, text, ALL).lessons[0]
    assert (fast.id, fast.similarity) == (full.id, full.similarity)
    assert fast.score == pytest.approx(full.score, abs=1e-6)


@pytest.mark.parametrize("up_to", [ALL, FEW])
def test_scores_are_those_of_a_recall_as_of_now_which_is_written_without_word_sets(search, up_to):
    for text in sentences(10, seed=6):
        now, earlier = (
            search(SMALL, text, up_to, **parts).lessons
            for parts in ({}, {"as_of": datetime.now(UTC)})
        )
        assert len(now) == 10
        for one, other in zip(now, earlier, strict=True):
            assert one.similarity == pytest.approx(other.similarity, abs=1e-6)
            assert one.score == pytest.approx(other.score, abs=1e-6)


def test_a_least_similarity_is_asked_of_candidates_by_words_as_well(search):
    for text in sentences(10, seed=8):
        least = search(HUGE, text, ALL).lessons[-1].similarity
        found = search(HUGE, text, FEW, min_similarity=least)
        assert [one.id for one in found.lessons] == [
            one.id for one in search(HUGE, text, ALL, min_similarity=least).lessons
        ]
        assert all(one.similarity >= least for one in found.lessons)


def test_a_rare_word_finds_what_hnsw_does_not(search, admin, tribes):
    rarest = value(
        admin,
        "SELECT word FROM lesson_words WHERE tribe = %s GROUP BY word HAVING count(*) = 1"
        " ORDER BY word LIMIT 1",
        tribes[HUGE],
    )
    found = search(HUGE, rarest, FEW, meaning="unheard of", k=1)
    assert rarest in found.lessons[0].content.split()


def test_a_tag_of_few_lessons_has_them_all_compared(search):
    found = search(HUGE, "word1 word2", 200, tags=TAGGED)
    assert found.exact
    assert {TAGGED} == {one.tags for one in found.lessons}
    assert not search(HUGE, "word1 word2", 100, tags=TAGGED).exact


def test_it_says_when_fewer_came_back_than_there_may_be(search):
    assert search(SMALL, "word1", ALL, k=200).complete  # there are only 100
    assert search(HUGE, "word1", FEW, k=200).complete
    tagged = search(HUGE, "word1", FEW, k=200, tags=TAGGED)
    assert (len(tagged.lessons), tagged.complete) == (150, False)  # all, but it cannot know


def test_one_tribe_of_many_gets_its_own_ten_and_all_were_compared(memories, admin):
    """20,000 lessons over 200 tribes."""
    for number in range(200):
        plant(admin, f"crowd{number}", sentences(100, seed=100 + number))
    for number in (0, 77, 199):
        query = sentences(1, seed=number)[0]
        recalled = memories(tribe=f"crowd{number}").recall(query, k=10)
        assert (len(recalled.lessons), recalled.exact, recalled.truncated) == (10, True, False)
        best = admin.execute(
            "SELECT id, 1 - (embedding <=> %s::halfvec(384)) AS similarity FROM lesson_vectors"
            " WHERE tribe = %s ORDER BY 2 DESC LIMIT 1",
            (str(words_vector(query)), f"crowd{number}"),
        ).fetchone()
        by_similarity = max(recalled.lessons, key=lambda one: one.similarity)
        assert by_similarity.similarity == pytest.approx(best["similarity"])
