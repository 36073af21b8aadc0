"""Contradictory learners at the same instant: nothing is lost, nothing is split."""

from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime, timedelta
from itertools import count
from statistics import quantiles

from tributary.doctor.consistency import AUDIT, BROKEN_CHAIN, LOST, SPLIT, UNTRUE_ANSWER
from tributary.doctor.door import Caller, Door, Load, Room, Tick
from tributary.doctor.histories import violations
from tributary.doctor.race import Race, Run
from tributary.doctor.report import Check, Figures, check
from tributary.doctor.rooms import callers, rooms
from tributary.doctor.topics import TOPICS, topic_of
from tributary.domain.lesson import Lesson, Status
from tributary.domain.plan import Outcome
from tributary.usecases.scratch import MOST

MARGIN = timedelta(minutes=20)  # of a scratch tribe's hour, left to check and to remove it


@dataclass
class Tally:
    """What has come of the rounds so far."""

    rounds: int = 0
    learns: int = 0
    splits: int = 0  # rounds that ended with more than one truth
    untold: int = 0  # rounds that ended with none, and with nothing parked
    found: Counter[str] = field(default_factory=Counter)  # violations by kind
    unanswered: int = 0  # learns that were refused to the end
    asked_again: int = 0  # answers that asked the learner to come again
    retries: int = 0
    reclassified: int = 0
    parked: int = 0
    replaced: int = 0  # learns that met another lesson
    seconds: list[float] = field(default_factory=list)
    wrong: list[str] = field(default_factory=list)


def same_tribe(door: Door, load: Load, tick: Tick) -> Check:
    """All learners contradict each other in one tribe."""
    tally = _contend(door, load, tick, tribes=1)
    wrong = [*_broken(tally)]
    return _check("contention in one tribe", f"{load.learners} learners", load, tally, wrong)


def different_tribes(door: Door, load: Load, tick: Tick) -> Check:
    """The same learners, each in a tribe of its own: they never meet."""
    apart = replace(load, learners=min(load.learners, MOST))
    tally = _contend(door, apart, tick, tribes=apart.learners)
    apart_only = (
        (tally.retries, "transactions were retried: tribes block each other"),
        (tally.replaced, "learns met a lesson, where their tribe had none"),
    )
    wrong = [*(f"{number} {what}" for number, what in apart_only if number), *_broken(tally)]
    done = f"{apart.learners} learners in as many tribes"
    return _check("contention across tribes", done, apart, tally, wrong)


def _contend(door: Door, load: Load, tick: Tick, tribes: int) -> Tally:
    tally = Tally()
    while tally.rounds < load.rounds:
        with rooms(door, tribes) as places:
            _one_stretch(places, load, tally, tick)
    return tally


def _one_stretch(places: Sequence[Room], load: Load, tally: Tally, tick: Tick) -> None:
    """As many rounds as there are topics, and as a scratch tribe has time for."""
    what = "learning in one tribe" if len(places) == 1 else f"learning in {len(places)} tribes"
    ends = min(room.expires_at for room in places) - MARGIN
    before = tally.rounds

    def between(finished: int) -> bool:
        tick(what, before + finished, load.rounds)
        return finished == 0 or datetime.now(UTC) < ends

    each_ones = [places[number % len(places)] for number in range(load.learners)]
    with callers(*each_ones) as learners:
        race = Race(learners, min(load.rounds - before, TOPICS), between)
        race.run()
        tick(what, before + race.finished, load.rounds)
        read, learns = count(1), race.finished * load.learners
        race.read_decisions(lambda: tick("reading the decisions", next(read), learns))
        tally.rounds += race.finished
        for number in range(len(places)):
            tick("checking the history", number, len(places))
            _judge(learners[number], race.runs[number :: len(places)], tally)


def _judge(caller: Caller, runs: Sequence[Run], tally: Tally) -> None:
    """What the learners of one tribe were told, against what is there."""
    lessons = list(caller.lessons())
    told = [one for run in runs for one in run.told]
    decisions = {id_: one for run in runs for id_, one in run.decisions.items()}
    for broken in violations(told, lessons, list(caller.audit()), decisions, topic=topic_of):
        tally.found[broken.kind] += 1
        tally.wrong.append(f"{broken.kind}: {broken.detail}")
    tally.learns += len(told)
    tally.unanswered += sum(1 for one in told if one.learned is None)
    tally.asked_again += sum(run.asked_again for run in runs)
    tally.seconds += [second for run in runs for second in run.seconds]
    tally.retries += sum(one.retries for one in decisions.values())
    tally.reclassified += sum(max(0, one.rounds - 1) for one in decisions.values())
    tally.parked += sum(1 for one in decisions.values() if one.outcome is Outcome.PENDING)
    tally.replaced += sum(1 for one in decisions.values() if one.target_id)
    topics = {topic_of(one.content) for one in told}
    tally.splits += sum(1 for number in _truths(lessons, topics) if number > 1)
    tally.untold += sum(1 for number in _truths(lessons, topics) if number < 1)


def _truths(lessons: Sequence[Lesson], topics: set[str]) -> Iterator[int]:
    """How many active lessons each topic has; one, where its only ones are parked."""
    number = Counter(topic_of(one.content) for one in lessons if one.status is Status.ACTIVE)
    parked = {topic_of(one.content) for one in lessons if one.status is Status.PENDING}
    return (number[topic] or int(topic in parked) for topic in topics)


def _broken(tally: Tally) -> Iterator[str]:
    """What is wrong: the numbers first, then each thing by itself."""
    if tally.splits and not tally.found[SPLIT]:
        yield f"{tally.splits} rounds ended with more than one truth"
    if tally.untold:
        yield f"{tally.untold} rounds ended without a truth"
    if tally.unanswered:
        yield f"{tally.unanswered} learns were refused to the end"
    yield from tally.wrong


def _check(name: str, done: str, load: Load, tally: Tally, wrong: Sequence[str]) -> Check:
    p50, p95 = _percentiles(tally.seconds)
    figures: Figures = {
        "learners": load.learners,
        "rounds": tally.rounds,
        "learns": tally.learns,
        "split_rounds": max(tally.splits, tally.found[SPLIT]),
        "rounds_without_truth": tally.untold,
        "broken_chains": tally.found[BROKEN_CHAIN],
        "lost_acknowledgements": tally.found[LOST],
        "untrue_answers": tally.found[UNTRUE_ANSWER],
        "audit_gaps": tally.found[AUDIT],
        "unanswered": tally.unanswered,
        "asked_again": tally.asked_again,
        "retries": tally.retries,
        "reclassifications": tally.reclassified,
        "parked": tally.parked,
        "p50_ms": round(p50 * 1000, 1),
        "p95_ms": round(p95 * 1000, 1),
    }
    result = (
        "{split_rounds} split, {broken_chains} broken, {lost_acknowledgements} lost,"
        " {untrue_answers} untrue; {retries} retries, {reclassifications} reclassified,"
        " {parked} parked; p50 {p50_ms} ms, p95 {p95_ms} ms"
    ).format_map(figures)
    told = f"{done}, {tally.rounds} rounds: {tally.learns} learns"
    return check(name, told, result, wrong, figures)


def _percentiles(seconds: Sequence[float]) -> tuple[float, float]:
    """The 50th and the 95th."""
    if len(seconds) < 2:
        return (seconds[0], seconds[0]) if seconds else (0.0, 0.0)
    cuts = quantiles(seconds, n=100, method="inclusive")
    return cuts[49], cuts[94]
