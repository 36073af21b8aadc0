"""What the benchmark stores and asks."""

from uuid import UUID

import numpy as np
import pytest

from scripts.bench import locomo
from scripts.bench.contradictions import topic
from scripts.bench.corpus import Made, Question, made
from tributary.adapters.classify.heuristic import classify
from tributary.domain.verdict import Candidate, Relation

CONVERSATION = {
    "id": "conv_1",
    "turns": [
        {"id": "D1:1", "speaker": "Ann", "text": "I moved to Oslo"},
        {"id": "D1:2", "speaker": "Bo", "text": " "},
    ],
    "questions": [
        {"question": "Where does Ann live?", "evidence": ["D1:1", "D1:2"]},
        {"question": "Who is Cy?", "evidence": []},
    ],
}
VECTORS = dict.fromkeys(["Ann: I moved to Oslo", "Where does Ann live?", "Who is Cy?"], (1.0,))


def cosine(one, other):
    return float(np.dot(one, other) / np.linalg.norm(one) / np.linalg.norm(other))


def test_a_made_corpus_is_the_same_every_time_and_grows_to_the_size_asked_for():
    first, again = Made("t"), Made("t")
    for size in (10, 1_230):
        assert [*first.blocks_up_to(size)] == [*again.blocks_up_to(size)]
        assert len(set(first.texts)) == len(first.texts) == size
    assert not [*first.blocks_up_to(1_230)]


def test_made_lessons_of_one_topic_are_nearer_to_each_other_than_to_others():
    (block,) = Made("t").blocks_up_to(100)
    assert cosine(block[0].vector, block[49].vector) > 0.4
    assert abs(cosine(block[0].vector, block[50].vector)) < 0.3


def test_a_made_question_is_near_a_lesson_of_its_own_tenant():
    corpus = made(tenants=2, each=50, questions=4)
    assert corpus.tenants == ("tenant-0", "tenant-1")
    for asked in corpus.questions:
        own = [one.vector for one in corpus.lessons if one.tenant == asked.tenant]
        assert max(cosine(asked.vector, vector) for vector in own) > 0.8


def test_conversations_become_tenants_and_are_repeated_without_their_questions():
    corpus = locomo.build([CONVERSATION], VECTORS)
    assert len(corpus.tenants) == locomo.TENANTS
    assert {one.tenant for one in corpus.questions} == {"conv-1"}
    assert corpus.questions[0].evidence == {"Ann: I moved to Oslo"}


def test_questions_without_evidence_do_not_count_in_evidence_recall():
    asked = [
        Question("t", "both", [], frozenset({"a", "b"})),
        Question("t", "none", []),
        Question("t", "one", [], frozenset({"c"})),
    ]
    assert locomo.evidence_recall(asked, [["a", "x"], ["y"], ["c"]]) == pytest.approx(0.75)


def test_every_two_statements_of_a_contested_topic_contradict_each_other():
    lessons = topic(3, 8)
    for one in lessons:
        for number, other in enumerate(lessons):
            if other is one:
                continue
            candidate = Candidate(UUID(int=number), UUID(int=number), other.text, "a", 0.9)
            assert classify(one.text, [candidate]).relation is Relation.CONTRADICTS
            assert cosine(one.vector, other.vector) > 0.9
