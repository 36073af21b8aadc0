"""Every order in which actors on connections of their own can take their steps.

An actor is a thread that stops before each of its steps (tests.support.steps.StepConnection) until
the scheduler lets it go on. One step at a time is taken, but for an actor that waits for a lock:
that is seen in the database, and the others go on. A run follows a prefix of choices, and from its
end takes the first actor that can go on; the alternatives it passed become prefixes of later runs.
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from fractions import Fraction
from math import prod
from threading import Condition, Thread
from typing import Any

from tests.support.sql import Admin, value

# Seconds without a word from an actor, before the database is asked whether a lock holds it up.
LOOK_SOON, LOOK_LATE = 0.004, 0.1
PATIENCE = 5_000  # looks, before the run is given up
SLEEP = "sleep"


class AbandonedError(BaseException):
    """The run has failed elsewhere: what an actor that still waits is ended with."""


@dataclass(frozen=True)
class Choice:
    """One actor let go on, by name: what it was about to do, and who else could have gone on."""

    actor: str
    step: str
    enabled: tuple[str, ...]
    blocked: tuple[str, ...]  # who waited for a lock meanwhile


@dataclass(frozen=True)
class Run:
    """One order of steps, and what each actor came to."""

    choices: tuple[Choice, ...]
    results: Mapping[str, Any]

    @property
    def order(self) -> tuple[str, ...]:
        """The names of the actors, a step each."""
        return tuple(one.actor for one in self.choices)

    @property
    def story(self) -> str:
        """The order in words, to be replayed by."""
        return " ".join(f"{one.actor}:{one.step}" for one in self.choices)

    @property
    def blocked(self) -> bool:
        """Somebody waited for a lock."""
        return any(one.blocked for one in self.choices)

    @property
    def overlapped(self) -> bool:
        """Somebody took a step between two steps of another."""
        changes = sum(a != b for a, b in zip(self.order, self.order[1:], strict=False))
        return changes >= len(set(self.order))


@dataclass
class Actor:
    """Where one actor is: about to take `step`, or running, or done."""

    name: str
    pid: int  # of its session in the database
    step: str | None = None
    done: bool = False
    blocked: bool = False
    slept_at: int = -1  # how many steps all had taken when it began to sleep
    result: Any = None
    error: BaseException | None = None


@dataclass
class Scheduler:
    """Lets actors go on one by one, by the prefix and then as they come."""

    admin: Admin
    prefix: Sequence[str] = ()
    actors: dict[str, Actor] = field(default_factory=dict)
    choices: list[Choice] = field(default_factory=list)
    abandoned: bool = False
    _changed: Condition = field(default_factory=Condition)

    def pause(self, name: str, step: str) -> None:
        """Called in the actor's thread before a step: returns when it may be taken."""
        with self._changed:
            actor = self.actors[name]
            actor.step, actor.blocked = step, False
            actor.slept_at = len(self.choices) if step == SLEEP else -1
            self._changed.notify_all()
            self._changed.wait_for(lambda: actor.step is None or self.abandoned)
            if self.abandoned:
                raise AbandonedError

    def run(self, acts: Mapping[str, Callable[[], Any]], pids: Mapping[str, int]) -> Run:
        """All acts to their ends, each in a thread of its own; raises what one of them raises."""
        self.actors = {name: Actor(name, pids[name]) for name in acts}
        threads = [Thread(target=self._act, args=item, daemon=True) for item in acts.items()]
        try:
            for thread in threads:
                thread.start()
            self._conduct()
        finally:
            with self._changed:
                self.abandoned = True
                self._changed.notify_all()
            for thread in threads:
                thread.join()
        for one in self.actors.values():
            if one.error:
                raise one.error
        return Run(tuple(self.choices), {one.name: one.result for one in self.actors.values()})

    def _act(self, name: str, act: Callable[[], Any]) -> None:
        actor = self.actors[name]
        try:
            actor.result = act()
        except BaseException as error:  # noqa: BLE001
            actor.error = error
        with self._changed:
            actor.done = True
            self._changed.notify_all()

    def _conduct(self) -> None:
        while True:
            self._settle()
            waiting = [one for one in self.actors.values() if one.step and not one.done]
            if not waiting:
                assert all(one.done for one in self.actors.values()), "locked for ever"
                return
            self._choose(waiting)

    def _choose(self, waiting: Sequence[Actor]) -> None:
        # Who polls looks again only when another has taken a step, or nobody else can.
        enabled = [one for one in waiting if one.slept_at < len(self.choices)] or list(waiting)
        by_name = {one.name: one for one in enabled}
        number = len(self.choices)
        name = self.prefix[number] if number < len(self.prefix) else min(by_name)
        assert name in by_name, f"not the same again: {name} of {self.prefix} after {self.choices}"
        chosen = by_name[name]
        blocked = tuple(one.name for one in self.actors.values() if one.blocked)
        with self._changed:
            self.choices.append(Choice(name, str(chosen.step), tuple(sorted(by_name)), blocked))
            chosen.step = None
            self._changed.notify_all()

    def _settle(self) -> None:
        """Wait until every actor is about to take a step, done, or held up by another's lock."""
        for _ in range(PATIENCE):
            with self._changed:
                self._changed.wait_for(self._none_moves, self._patience())
                moving = self._moving()
            for one in moving:
                one.blocked = bool(value(self.admin, "SELECT pg_blocking_pids(%s)", one.pid))
            if all(one.blocked for one in moving):
                return
        raise AssertionError(f"never came to rest after {self.choices}")

    def _patience(self) -> float:
        may_block = self.choices and self.choices[-1].step in ("lock", "lease")
        return LOOK_SOON if may_block else LOOK_LATE

    def _none_moves(self) -> bool:
        return all(one.blocked for one in self._moving())

    def _moving(self) -> list[Actor]:
        return [one for one in self.actors.values() if not one.step and not one.done]


def explore(run: Callable[[Sequence[str]], Run]) -> list[Run]:
    """One run of each order that there is; `run` is given the prefix to follow."""
    prefixes: list[tuple[str, ...]] = [()]
    runs = []
    while prefixes:
        prefix = prefixes.pop()
        found = run(prefix)
        runs.append(found)
        for place in range(len(prefix), len(found.choices)):
            choice = found.choices[place]
            prefixes += [
                (*found.order[:place], other) for other in choice.enabled if other != choice.actor
            ]
    return runs


def assert_exhaustive(runs: Sequence[Run]) -> None:
    """Every order once, and none left out.

    Who tossed a fair coin at each choice would take each order with a certain chance: over all
    the orders there are, and over nothing less, the chances add up to exactly 1.
    """
    assert len({one.order for one in runs}) == len(runs)
    chances = [prod(Fraction(1, len(choice.enabled)) for choice in one.choices) for one in runs]
    assert sum(chances) == 1
