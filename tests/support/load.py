"""Learners at work while something breaks: each goes on until every lesson of its is answered."""

from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from random import Random
from threading import Condition, Event, Thread

from tests.support.history import Recorder
from tributary.domain.errors import TransientError
from tributary.memory import Memory

TOPICS = 6
TYPED = frozenset(kind.__name__ for kind in TransientError.__subclasses__())
PATIENCE = 120  # seconds, for what takes a few


class Load:
    """One thread for each memory. They contradict each other, repeat, and say new things."""

    def __init__(self, memories: Sequence[Memory], recorder: Recorder, name: str = "load") -> None:
        self.recorder = recorder
        self.acknowledged = 0
        self.in_flight = 0
        self.abandoned = False  # nobody waits for the answers any more
        self.untyped: list[BaseException] = []
        self._name = name
        self._memories = memories
        self._changed = Condition()
        self._stop = Event()
        self._threads = [
            Thread(target=self._work, args=(number, memory), daemon=True)
            for number, memory in enumerate(memories)
        ]

    @property
    def errors(self) -> Counter[str]:
        """What the callers met, by name."""
        return Counter(one.error for one in list(self.recorder.told) if one.error)

    def more(self, number: int) -> None:
        """Wait until so many more learns are acknowledged."""
        with self._changed:
            goal = self.acknowledged + number
            self._wait(lambda: self.acknowledged >= goal)

    def more_errors(self, number: int = 1) -> None:
        """Wait until the callers have met so many more errors."""
        with self._changed:
            goal = self.errors.total() + number
            self._wait(lambda: self.errors.total() >= goal)

    def errors_beyond(self, total: int) -> None:
        """Wait until they have met more errors than that."""
        with self._changed:
            self._wait(lambda: self.errors.total() > total)

    def _wait(self, condition: Callable[[], bool]) -> None:
        done = self._changed.wait_for(lambda: condition() or self.untyped, PATIENCE)
        assert done, f"{self.acknowledged} acknowledged, {self.errors}"
        assert not self.untyped, self.untyped

    def start(self) -> None:
        for thread in self._threads:
            thread.start()

    def finish(self) -> None:
        """Let each learner end the lesson it is at."""
        self._stop.set()
        for thread in self._threads:
            thread.join(PATIENCE)
        assert not any(thread.is_alive() for thread in self._threads), "a learner hangs"
        assert not self.untyped, self.untyped
        assert set(self.errors) <= TYPED, self.errors

    def _work(self, number: int, memory: Memory) -> None:
        random = Random(number)
        turn = 0
        try:
            while not self._stop.is_set():
                turn += 1
                key = f"{self._name}-{number}-{turn}"
                self._learn(memory, said(random, f"{self._name}{number}x{turn}"), key, random)
        except BaseException as error:  # noqa: BLE001  whoever waits for the load is told
            with self._changed:
                self.untyped.append(error)
                self._changed.notify_all()

    def _learn(self, memory: Memory, content: str, key: str, random: Random) -> None:
        """Again with the same key, until it is answered."""
        answered = None
        while not answered and not self.abandoned:
            with self._changed:
                self.in_flight += 1
            answered = self.recorder.learn(memory, content, idempotency_key=key)
            with self._changed:
                self.in_flight -= 1
                self.acknowledged += answered is not None
                self._changed.notify_all()
            if not answered:  # as a caller who honours Retry-After, but sooner
                self._stop.wait(random.uniform(0.02, 0.1))


def said(random: Random, new: str) -> str:
    """One of a few values of one of a few topics, or something that nobody has said."""
    if random.random() < 0.3:
        return f"fact{new} holds{new} since{new} {new}"
    topic = random.randrange(TOPICS)
    return f"alpha{topic} bravo{topic} charlie{topic} delta{topic} {random.randrange(40)}"


def topic_of(content: str) -> str:
    """All but the value."""
    return content.rsplit(" ", 1)[0]


@contextmanager
def under_load(
    memories: Sequence[Memory], recorder: Recorder, name: str = "load"
) -> Iterator[Load]:
    """Learners at work, who have all begun; at the end they are through with it."""
    load = Load(memories, recorder, name)
    load.start()
    try:
        load.more(2 * len(memories))
        yield load
    except BaseException:
        load.abandoned = True
        raise
    finally:
        load.finish()
