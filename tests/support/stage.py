"""Where two actors of one tribe meet: each on a connection that stops before its steps."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import partial
from itertools import count, permutations
from typing import Any

from psycopg.rows import dict_row

from tests.support.history import Recorder, check_history
from tests.support.invariants import Rows
from tests.support.scheduler import SLEEP, Run, Scheduler, assert_exhaustive, explore
from tests.support.sql import Admin, dump
from tests.support.steps import StepConnection, go_on
from tributary.adapters.system import SystemClock
from tributary.doctor.consistency import Topic
from tributary.domain.errors import TributaryError
from tributary.domain.roles import Actor, Role
from tributary.edge.wiring import Wiring
from tributary.memory import Memory
from tributary.ports import Learned

NAMES = ("a", "b")


class SteppedClock(SystemClock):
    """Sleeping is a step, which is over when somebody else has taken one."""

    def __init__(self, connection: StepConnection) -> None:
        self._connection = connection

    def sleep(self, seconds: float) -> None:
        self._connection.stop(SLEEP)

    def step(self) -> None:
        """A step of a test's own, which touches no database."""
        self._connection.stop("step")


@dataclass
class Scene:
    """One run's tribe; what the setup leaves for the acts is in `props`."""

    tribe: str
    admin: Admin
    recorder: Recorder = field(default_factory=Recorder)
    props: dict[str, Any] = field(default_factory=dict)

    def actor(self, agent: str = "ada", role: Role = Role.CURATOR) -> Actor:
        return Actor(self.tribe, agent, role)

    def memory(self, wiring: Wiring, *who: Any) -> Memory:
        return Memory(wiring, self.actor(*who))


Act = Callable[[Scene, Wiring], Any]


@dataclass(frozen=True)
class Meeting:
    """Two actors, each with acts to do one after the other, and what is done before."""

    a: Sequence[Act]
    b: Sequence[Act]
    setup: Sequence[Act] = ()
    topic: Topic | None = None
    fine: bool = False  # see StepConnection


@dataclass(frozen=True)
class Ending:
    """What came of a meeting, comparable between runs: contents are in the place of ids."""

    results: tuple[Any, ...]  # of each act
    lessons: tuple[Any, ...]  # as they are in the end


class Stage:
    """Plays two acts in every order, each time in a new tribe."""

    def __init__(self, wirings: Callable[..., Wiring], dsn: str, admin: Admin, tribe: str) -> None:
        self.admin, self.tribe = admin, tribe
        self._numbers = count(1)
        self._plain = wirings()
        self._connections = {
            name: StepConnection.connect(
                dsn, autocommit=True, prepare_threshold=None, row_factory=dict_row
            )
            for name in NAMES
        }
        self._wirings = {
            name: wirings(connect=lambda one=one: one, clock=SteppedClock(one))
            for name, one in self._connections.items()
        }

    def close(self) -> None:
        for one in self._connections.values():
            one.close()

    def all_orders(self, meeting: Meeting) -> list[tuple[Run, Ending]]:
        """How each order of steps ends; the history of each is checked."""
        endings: list[tuple[Run, Ending]] = []

        def play(prefix: Sequence[str]) -> Run:
            endings.append(self._play(meeting, prefix))
            return endings[-1][0]

        assert_exhaustive(explore(play))
        return endings

    def in_turn(self, meeting: Meeting) -> set[Ending]:
        """How it may end when whole acts follow each other, in every order of them."""
        return {
            self._in_turn(meeting, order)
            for order in set(permutations("a" * len(meeting.a) + "b" * len(meeting.b)))
        }

    def _in_turn(self, meeting: Meeting, order: Sequence[str]) -> Ending:
        scene = self._scene(meeting)
        left = {"a": list(meeting.a), "b": list(meeting.b)}
        results: dict[str, list[Any]] = {"a": [], "b": []}
        for name in order:
            results[name] += _done([left[name].pop(0)], scene, self._wirings[name])
        return _ending(dump(self.admin, scene.tribe)["lessons"], results)

    def _play(self, meeting: Meeting, prefix: Sequence[str]) -> tuple[Run, Ending]:
        scene = self._scene(meeting)
        run = self._run(meeting, scene, prefix)
        told = scene.recorder.told
        try:
            found = check_history(self.admin, scene.tribe, told, topic=meeting.topic)
        except AssertionError as error:
            raise AssertionError(f"after {run.story}") from error
        return run, _ending(found["lessons"], run.results)

    def _scene(self, meeting: Meeting) -> Scene:
        scene = Scene(f"{self.tribe}-{next(self._numbers)}", self.admin)
        for act in meeting.setup:
            act(scene, self._plain)
        return scene

    def _run(self, meeting: Meeting, scene: Scene, prefix: Sequence[str]) -> Run:
        scheduler = Scheduler(self.admin, prefix)
        for name, one in self._connections.items():
            one.fine = meeting.fine
            one.stop = partial(scheduler.pause, name)
        try:
            return scheduler.run(
                {
                    name: partial(_done, acts, scene, self._wirings[name])
                    for name, acts in (("a", meeting.a), ("b", meeting.b))
                },
                {name: one.info.backend_pid for name, one in self._connections.items()},
            )
        finally:
            for one in self._connections.values():
                one.stop = go_on


def _done(acts: Sequence[Act], scene: Scene, wiring: Wiring) -> list[Any]:
    """What each act gives, or the domain's error that it ends with."""
    results: list[Any] = []
    for act in acts:
        try:
            results.append(act(scene, wiring))
        except TributaryError as error:
            results.append(error)
    return results


def _told(result: Any, content: Mapping[Any, str | None]) -> Any:
    if isinstance(result, Learned):
        return str(result.outcome), content[result.lesson_id], content[result.target_id]
    return type(result).__name__ if isinstance(result, TributaryError) else result


def _ending(rows: Rows, results: Mapping[str, Any]) -> Ending:
    content = {row["id"]: row["content"] for row in rows} | {None: None}
    lessons = [
        (
            row["content"], row["status"], content[row["supersedes"]],
            content[row["superseded_by"]], row["source_agent"], row["reinforcements"],
        )
        for row in rows
    ]  # fmt: skip
    told = (_told(result, content) for name in NAMES for result in results[name])
    return Ending(tuple(told), tuple(sorted(lessons, key=str)))
