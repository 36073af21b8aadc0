"""Learners released by a barrier, round after round."""

from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field
from threading import Barrier, BrokenBarrierError
from time import perf_counter, sleep
from uuid import UUID, uuid4

from tributary.doctor.door import Caller
from tributary.doctor.histories import Told
from tributary.doctor.topics import content
from tributary.domain.errors import NotFoundError, TransientError, TributaryError
from tributary.ports import Decision

TRIES = 10  # of one learn, always with the same key
PAUSE = 0.1  # seconds; doubled after each try, up to two seconds


@dataclass
class Run:
    """What one learner was told, in the order of its rounds."""

    told: list[Told] = field(default_factory=list)
    seconds: list[float] = field(default_factory=list)  # from release to answer, tries included
    asked_again: int = 0
    decisions: dict[UUID, Decision] = field(default_factory=dict)


@dataclass
class Race:
    """`runs` has one entry for each caller, in their order.

    `between` is called before every round, and its False ends the race.
    """

    callers: Sequence[Caller]
    rounds: int
    between: Callable[[int], bool]
    pause: Callable[[float], None] = sleep
    runs: list[Run] = field(init=False)
    finished: int = 0  # rounds
    _going: bool = True

    def __post_init__(self) -> None:
        self.runs = [Run() for _ in self.callers]
        self._barrier = Barrier(len(self.callers), action=self._release)

    def run(self) -> None:
        """Race to the end. An interruption waits for the learns that are under way."""
        self._each(self._learn_all)

    def read_decisions(self, progress: Callable[[], None]) -> None:
        """Fetch the decision of every answer."""
        self._each(lambda number: self._decisions(number, progress))

    def _each(self, work: Callable[[int], None]) -> None:
        with ThreadPoolExecutor(len(self.callers)) as pool:
            working = [pool.submit(work, number) for number in range(len(self.callers))]
            try:
                for one in working:
                    one.result()
            finally:
                self._going = False
                self._barrier.abort()
        self._going = True

    def _release(self) -> None:
        """In one thread, while all others wait at the barrier."""
        self._going = self._going and self.between(self.finished)
        self.finished += self._going

    def _learn_all(self, number: int) -> None:
        try:
            for round_ in range(self.rounds):
                self._barrier.wait()
                if not self._going:
                    return
                self._learn(number, content(round_, number))
        except BrokenBarrierError:
            return  # another learner failed, or somebody interrupted
        except BaseException:
            self._barrier.abort()
            raise

    def _learn(self, number: int, said: str) -> None:
        run, key = self.runs[number], str(uuid4())
        began = perf_counter()
        told = self._answered(run, self.callers[number], said, key)
        run.seconds.append(perf_counter() - began)
        run.told.append(told)

    def _answered(self, run: Run, caller: Caller, said: str, key: str) -> Told:
        for attempt in range(TRIES):
            try:
                return Told(said, caller.learn(said, key), idempotency_key=key)
            except TransientError as error:
                failed: TributaryError = error
                run.asked_again += 1
                if not self._going:
                    break
                self.pause(min(2.0, PAUSE * 2**attempt))
            except TributaryError as error:
                failed = error
                break
        return Told(said, None, type(failed).__name__, key)

    def _decisions(self, number: int, progress: Callable[[], None]) -> None:
        run = self.runs[number]
        for told in run.told:
            if told.learned and self._going:
                try:
                    found = self.callers[number].decision(told.learned.decision_id)
                    run.decisions[found.id] = found
                except NotFoundError:
                    pass  # the check of the history says so
            progress()
