"""The two ways in which the three steps of a learn are run: in a loop, and as a workflow."""

from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass, field
from random import Random
from typing import Any

from tests.support.asl import Execution, StateMachine
from tests.support.fakes import CountingIds, StoppedClock, ValueClassifier, WordEmbedder
from tests.support.store import MemoryLearnStore
from tributary.domain.lesson import draft
from tributary.domain.plan import Policy
from tributary.domain.roles import Actor, Role
from tributary.edge import workflow
from tributary.edge.workflow import LearnState
from tributary.ports import Attempt, Classifier, Embedder, Learned
from tributary.usecases.learn.attempt import new_attempt
from tributary.usecases.learn.classify import Classify
from tributary.usecases.learn.commit import Commit
from tributary.usecases.learn.prepare import Prepare
from tributary.usecases.learn.run import Learn

TRIBE = "acme"


@dataclass
class Counted:
    """A step, and how often it was taken."""

    step: Callable[..., Any]
    name: str
    taken: Counter[str]

    def __call__(self, *args: Any, **named: Any) -> Any:
        self.taken[self.name] += 1
        return self.step(*args, **named)


@dataclass
class Bench:
    """One learner's steps over fakes; `with_` makes another learner on the same store."""

    runner: Callable[["Bench", Attempt], Learned]
    clock: StoppedClock = field(default_factory=StoppedClock)
    store: MemoryLearnStore = None  # type: ignore[assignment]
    ids: CountingIds = field(default_factory=CountingIds)
    embedder: Embedder = field(default_factory=WordEmbedder)
    classifier: Classifier = field(default_factory=ValueClassifier)
    policy: Policy = field(default_factory=Policy)
    taken: Counter[str] = field(default_factory=Counter)
    execution: Execution | None = None

    def __post_init__(self) -> None:
        self.store = self.store or MemoryLearnStore(self.clock, self.policy)

    def with_(self, **parts: Any) -> "Bench":
        kept = {name: getattr(self, name) for name in ("runner", "clock", "store", "ids")}
        return Bench(**(kept | parts))

    def learn(self, content: str, *, key: str | None = None, **parts: Any) -> Learned:
        return self.runner(self, self.attempt(content, key=key, **parts))

    def attempt(
        self,
        content: str,
        *,
        key: str | None = None,
        agent: str = "ada",
        role: Role = Role.WRITER,
        tribe: str = TRIBE,
        **parts: Any,
    ) -> Attempt:
        return new_attempt(Actor(tribe, agent, role), draft(content, **parts), self.ids, key)

    @property
    def prepare(self) -> Any:
        step = Prepare(self.store, self.embedder, self.clock, Random(7), self.policy)
        return Counted(step, "prepare", self.taken)

    @property
    def classify(self) -> Any:
        return Counted(Classify(self.classifier), "classify", self.taken)

    @property
    def commit(self) -> Any:
        return Counted(Commit(self.store, self.policy, self.clock), "commit", self.taken)


def library(bench: Bench, attempt: Attempt) -> Learned:
    """As `Memory.learn` runs it."""
    return Learn(bench.prepare, bench.classify, bench.commit)(attempt)


def workflow_(bench: Bench, attempt: Attempt) -> Learned:
    """As the state machine runs it, with JSON between the states."""
    functions = {
        "prepare": lambda event: workflow.prepare(bench.prepare, event),
        "classify": lambda event: workflow.classify(bench.classify, event),
        "commit": lambda event: workflow.commit(bench.commit, event),
    }
    machine = StateMachine(functions, bench.clock.sleep)
    bench.execution = machine.run(LearnState(attempt=attempt).payload())
    if bench.execution.error:
        raise bench.execution.error
    answer = LearnState.model_validate(bench.execution.output).answer
    assert answer is not None
    return answer


RUNNERS = {"library": library, "workflow": workflow_}
