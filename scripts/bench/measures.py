"""Ingest and search, timed from the caller's side."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from time import perf_counter
from typing import TypeVar

from scripts.bench.corpus import Corpus, Question
from scripts.bench.systems.base import System

Key = TypeVar("Key")

K = 10
WARM_UP = 20  # searches before the first that counts
ROUNDS = 10  # in turn over the systems, so that a disturbance hits all of them alike
SINGLY = 0.2  # of the lessons are stored one by one, the others by the bulk path


@dataclass(frozen=True, slots=True)
class Ingest:
    """Lessons stored a second."""

    singly: float
    bulk: float


@dataclass(frozen=True, slots=True)
class Searches:
    """Seconds of each search, and the texts it found."""

    seconds: tuple[float, ...]
    found: tuple[tuple[str, ...], ...]


def ingest(system: System, corpus: Corpus, advance: Callable[[int], None]) -> Ingest:
    """Store the corpus, tenant by tenant: the first of each singly, the others in bulk."""
    spent = {"singly": 0.0, "bulk": 0.0}
    stored = {"singly": 0, "bulk": 0}
    for tenant in corpus.tenants:
        own = [lesson for lesson in corpus.lessons if lesson.tenant == tenant]
        first = max(1, int(SINGLY * len(own)))
        for how, batches in (("singly", [[one] for one in own[:first]]), ("bulk", [own[first:]])):
            started = perf_counter()
            for batch in batches:
                system.add(batch)
            spent[how] += perf_counter() - started
            stored[how] += sum(map(len, batches))
        advance(len(own))
    return Ingest(stored["singly"] / spent["singly"], stored["bulk"] / spent["bulk"])


def search_in_turn(
    asked: Mapping[Key, tuple[System, Sequence[Question]]], advance: Callable[[int], None]
) -> dict[Key, Searches]:
    """Every system its questions, in rounds that take turns."""
    for system, questions in asked.values():
        search(system, questions[:WARM_UP])
    parts: dict[Key, list[Searches]] = {key: [] for key in asked}
    for turn in range(ROUNDS):
        for key, (system, questions) in asked.items():
            first, last = (len(questions) * number // ROUNDS for number in (turn, turn + 1))
            parts[key].append(search(system, questions[first:last]))
            advance(last - first)
    return {key: _joined(done) for key, done in parts.items()}


def search(system: System, questions: Sequence[Question], k: int = K) -> Searches:
    seconds, found = [], []
    for one in questions:
        started = perf_counter()
        texts = system.search(one.tenant, one.text, one.vector, k)
        seconds.append(perf_counter() - started)
        found.append(tuple(texts))
    return Searches(tuple(seconds), tuple(found))


def quantile(seconds: Sequence[float], share: float) -> float:
    """By nearest rank."""
    ordered = sorted(seconds)
    return ordered[min(len(ordered) - 1, int(share * len(ordered)))]


def _joined(parts: Sequence[Searches]) -> Searches:
    return Searches(
        tuple(second for part in parts for second in part.seconds),
        tuple(texts for part in parts for texts in part.found),
    )
