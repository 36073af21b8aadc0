"""How the benchmark measures."""

import numpy as np

from scripts.bench.contradictions import kept
from scripts.bench.corpus import made
from scripts.bench.growth import near_exact
from scripts.bench.measures import Searches, ingest, quantile, search_in_turn
from scripts.bench.systems.base import Given, Lesson


class Listing:
    """Keeps everything in a list; the nearest are found by a scan."""

    name = version = "listing"

    def __init__(self, lessons=None):
        self.lessons = [] if lessons is None else lessons
        self.calls = []

    def add(self, lessons):
        self.calls.append(len(lessons))
        self.lessons += lessons

    def search(self, tenant, text, vector, k):
        own = [one for one in self.lessons if one.tenant == tenant]
        own.sort(key=lambda one: -np.dot(one.vector, vector))
        return [one.text for one in own[:k]]

    def another(self):
        return type(self)(self.lessons)

    def close(self):
        pass


class LastWins(Listing):
    """Keeps one lesson only."""

    def add(self, lessons):
        self.lessons[:] = lessons[-1:]


def ignore(number):
    pass


def test_a_part_of_each_tenant_is_stored_one_by_one_and_the_rest_in_bulk():
    system, corpus = Listing(), made(tenants=2, each=50, questions=2)
    rates = ingest(system, corpus, ignore)
    assert system.calls == [*[1] * 10, 40] * 2
    assert rates.singly > 0
    assert rates.bulk > 0


def test_systems_take_turns_and_answer_every_question_in_order():
    corpus = made(tenants=1, each=50, questions=10)
    systems = {"one": Listing([*corpus.lessons]), "two": Listing([*corpus.lessons])}
    searched = search_in_turn(
        {key: (system, corpus.questions) for key, system in systems.items()}, ignore
    )
    assert searched["one"].found == searched["two"].found
    assert len(searched["one"].seconds) == 10
    for asked, found in zip(corpus.questions, searched["one"].found, strict=True):
        assert list(found) == systems["one"].search(asked.tenant, "", asked.vector, 10)


def test_a_system_that_stores_only_keeps_every_contradicting_value():
    assert kept(Listing(), writers=6, rounds=2, advance=ignore) == [6, 6]


def test_a_system_that_settles_contradictions_keeps_one_value():
    assert kept(LastWins(), writers=6, rounds=2, advance=ignore) == [1, 1]


def test_recall_counts_the_ten_nearest_that_were_found_and_takes_ties_for_each_other():
    vectors = np.zeros((12, 384), np.float32)
    vectors[:, 0] = [1, 0.9, 0.8, 0.7, 0.6, 0.5, 0.4, 0.3, 0.2, 0.1, 0.1, 0]
    texts = [str(number) for number in range(12)]
    asked = made(tenants=1, each=1, questions=1).questions
    asked = [type(asked[0])("t", "", [1.0, *[0.0] * 383])]

    def recall(found):
        return near_exact(vectors, texts, asked, Searches((0.1,), (tuple(found),)))

    assert recall(texts[:10]) == 1.0
    assert recall([*texts[:9], "10"]) == 1.0
    assert recall([*texts[:9], "11"]) == 0.9
    assert recall(texts[:5]) == 0.5


def test_a_quantile_is_one_of_the_times_measured():
    assert quantile([3.0, 1.0, 2.0], 0.95) == 3.0
    assert quantile([5.0], 0.5) == 5.0


def test_vectors_given_for_one_call_are_forgotten_at_the_next():
    given = Given()
    given.know([Lesson("t", "one", [1.0])])
    given.know([Lesson("t", "two", [2.0])])
    assert given.embed_documents(["two"]) == [[2.0]]
    assert "one" not in vars(given)["_vectors"]
