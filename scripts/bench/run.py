"""The whole benchmark: every measure of every system, into one dictionary."""

from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import asdict, dataclass
from statistics import fmean, median
from typing import Any

from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeElapsedColumn

from scripts.bench import exhibit, growth, locomo, measures
from scripts.bench.contradictions import kept
from scripts.bench.corpus import Corpus
from scripts.bench.machine import describe, supporting
from scripts.bench.server import Server, tidy
from scripts.bench.systems.base import Place, System

Makers = Mapping[str, Callable[[Place], System]]
Results = dict[str, Any]


@dataclass(frozen=True, slots=True)
class Sizes:
    """How much of everything."""

    tenants: int = 10  # of the made corpus
    each: int = 590  # lessons of each of them
    questions: int = 1_000
    writers: int = 16
    contradiction_rounds: int = 20
    growth: tuple[int, ...] = (1_000, 10_000, 100_000)
    growth_questions: int = 200
    exhibit_clients: int = exhibit.CLIENTS
    exhibit_rounds: int = exhibit.ROUNDS


QUICK = Sizes(
    tenants=3, each=60, questions=60, writers=8, contradiction_rounds=2, growth=(200, 1_000),
    growth_questions=40, exhibit_rounds=5,
)  # fmt: skip


def run(server: Server, makers: Makers, corpus: Corpus, sizes: Sizes, command: str) -> Results:
    """Measure; `corpus` is LoCoMo, or a made one when there is no file."""
    results: Results = {
        "command": command,
        "corpus": corpus.name,
        "machine": describe(),
        "versions": {**server.versions(), **supporting()},
        "sizes": {**asdict(sizes), **_counts(corpus)},
        "systems": {},
    }
    with _bars() as bars:
        results["systems"] = _searches(server, makers, corpus, bars)
        for key, make in makers.items():
            results["systems"][key] |= _contradictions(server, key, make, sizes, bars)
        for key, make in makers.items():
            results["systems"][key]["growth"] = _grown(server, key, make, sizes, bars)
        with _bar(bars, "exhibit", 2 * sizes.exhibit_rounds) as advance:
            results["exhibit"] = exhibit.run(
                server, sizes.exhibit_clients, sizes.exhibit_rounds, advance
            )
    return results


def _counts(corpus: Corpus) -> dict[str, int]:
    return {
        "tenants": len(corpus.tenants),
        "lessons": len(corpus.lessons),
        "questions": len(corpus.questions),
    }


def _searches(server: Server, makers: Makers, corpus: Corpus, bars: Progress) -> Results:
    """Ingest and search of all systems; all of them stay open until the last search."""
    found: Results = {}
    systems: dict[str, System] = {}
    for key, make in makers.items():
        place = server.place(key)
        system = systems[key] = make(place)
        system.open()
        with _bar(bars, f"storing, {system.name}", len(corpus.lessons)) as advance:
            found[key] = {"name": system.name, "version": system.version}
            found[key] |= asdict(measures.ingest(system, corpus, advance))
        tidy(place)
    with _bar(bars, "searching", len(corpus.questions) * len(systems)) as advance:
        searched = measures.search_in_turn(
            {key: (system, corpus.questions) for key, system in systems.items()}, advance
        )
    for key, done in searched.items():
        found[key]["p50_ms"] = 1_000 * median(done.seconds)
        found[key]["p95_ms"] = 1_000 * measures.quantile(done.seconds, 0.95)
        if any(question.evidence for question in corpus.questions):
            found[key]["evidence"] = locomo.evidence_recall(corpus.questions, done.found)
        systems[key].close()
    return found


def _contradictions(
    server: Server, key: str, make: Callable[[Place], System], sizes: Sizes, bars: Progress
) -> Results:
    place = server.place(key)
    system = make(place)
    system.open()
    with _bar(bars, f"contradictions, {system.name}", sizes.contradiction_rounds) as advance:
        counts = kept(system, sizes.writers, sizes.contradiction_rounds, advance)
    system.close()
    server.drop(place)
    return {"kept_mean": fmean(counts), "kept_most": max(counts)}


def _grown(
    server: Server, key: str, make: Callable[[Place], System], sizes: Sizes, bars: Progress
) -> list[Results]:
    opened: dict[int, tuple[System, Place]] = {}
    for size in sizes.growth:
        place = server.place(key)
        opened[size] = (make(place), place)
        opened[size][0].open()
    title = f"growing, {next(iter(opened.values()))[0].name}"
    with _bar(bars, title, sum(size + sizes.growth_questions for size in opened)) as advance:
        grown = growth.measure(opened, sizes.growth_questions, advance)
    for system, place in opened.values():
        system.close()
        server.drop(place)
    return [
        {
            "lessons": one.lessons,
            "p50_ms": 1_000 * median(one.seconds),
            "p95_ms": 1_000 * measures.quantile(one.seconds, 0.95),
            "recall": one.recall,
        }
        for one in grown
    ]


def _bars() -> Progress:
    return Progress(
        TextColumn("{task.description}"), BarColumn(), MofNCompleteColumn(), TimeElapsedColumn()
    )


@contextmanager
def _bar(bars: Progress, title: str, total: int) -> Iterator[Callable[[int], None]]:
    task = bars.add_task(title, total=total)
    yield lambda number: bars.advance(task, number)
    bars.update(task, completed=total)
