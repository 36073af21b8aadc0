"""How search changes with the number of lessons in one tenant, and how near it is to exact."""

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import islice

import numpy as np

from scripts.bench import server
from scripts.bench.corpus import Made, Question, Vectors
from scripts.bench.measures import K, Searches, search, search_in_turn
from scripts.bench.systems.base import Lesson, Place, System

TENANT = "growing"
TIE = 1e-3  # cosines closer than that are the same: one system stores half-precision numbers
NO_WORD = "zyxqv"  # in no lesson: a search for it is by meaning alone, in hybrid systems as well
COMMIT = 10_000  # lessons in one call of `fill`


@dataclass(frozen=True, slots=True)
class Grown:
    """At one size: the times with words in the question, and recall@10 against an exact scan."""

    lessons: int
    seconds: tuple[float, ...]
    recall: float


def measure(
    systems: Mapping[int, tuple[System, Place]], questions: int, advance: Callable[[int], None]
) -> list[Grown]:
    """Fill each up to its size, then search them in turn, so that a disturbance hits all sizes.

    The same lessons and questions for everybody. Questions are first asked without their words,
    which reads into memory what the timed ones need.
    """
    filled = {
        size: _filled(system, place, size, advance) for size, (system, place) in systems.items()
    }
    asked = {size: made.questions(questions) for size, made in filled.items()}
    recall = {size: _recall(systems[size][0], made, asked[size]) for size, made in filled.items()}
    timed = search_in_turn(
        {size: (system, asked[size]) for size, (system, _) in systems.items()}, advance
    )
    return [Grown(size, timed[size].seconds, recall[size]) for size in systems]


def _filled(system: System, place: Place, size: int, advance: Callable[[int], None]) -> Made:
    made = Made(TENANT)
    # Before the load, so that tables, and the indexes that a load drops, are there.
    system.fill(next(made.blocks_up_to(1)))
    with server.loading(place):
        for batch in _batches(made, size):
            system.fill(batch)
            advance(len(batch))
    server.tidy(place)
    return made


def _batches(made: Made, size: int) -> Iterator[list[Lesson]]:
    blocks = made.blocks_up_to(size)
    while batch := [lesson for block in islice(blocks, COMMIT // 1_000) for lesson in block]:
        yield batch


def _recall(system: System, made: Made, questions: Sequence[Question]) -> float:
    wordless = [Question(one.tenant, NO_WORD, one.vector) for one in questions]
    return near_exact(np.concatenate(made.blocks), made.texts, wordless, search(system, wordless))


def near_exact(
    vectors: Vectors, texts: Sequence[str], questions: Sequence[Question], searches: Searches
) -> float:
    """recall@10: the share of the ten nearest that were found; of equally near ones, any."""
    numbers = {text: number for number, text in enumerate(texts)}
    shares = []
    for one, found in zip(questions, searches.found, strict=True):
        similarity = vectors @ np.asarray(one.vector, np.float32)
        k = min(K, len(texts))
        least = np.partition(similarity, -k)[-k] - TIE
        hits = sum(similarity[numbers[text]] >= least for text in set(found))
        shares.append(min(int(hits), k) / k)
    return float(np.mean(shares))
