"""What a shift came to: plain numbers, to and from JSON."""

import json
import math
from collections.abc import Iterable, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path


def tokens(text: str) -> int:
    """How many tokens a model would have read: one for every four characters, rounded up.

    A rule of thumb for English with any present tokenizer; the same for all agents.
    """
    return math.ceil(len(text) / 4)


@dataclass(frozen=True, slots=True)
class TaskResult:
    """One task of one agent.

    `recalls` counts calls, `recalled` the lessons they brought, `applied` has the ids of the
    lessons that were acted on, and `helped` of those that led to success.
    """

    task: str
    solved: bool
    steps: int
    tokens: int
    recalls: int
    recalled: int
    applied: tuple[str, ...]
    helped: tuple[str, ...]
    learnt: tuple[str, ...]
    troubles: int  # calls to Tributary that failed for good


@dataclass(frozen=True, slots=True)
class ShiftResult:
    """All tasks of one agent, in the order in which it did them."""

    agent: str
    tasks: tuple[TaskResult, ...]

    @property
    def solved(self) -> int:
        return sum(task.solved for task in self.tasks)

    @property
    def steps(self) -> int:
        return sum(task.steps for task in self.tasks)

    @property
    def tokens(self) -> int:
        return sum(task.tokens for task in self.tasks)

    @property
    def recalls(self) -> int:
        return sum(task.recalls for task in self.tasks)

    @property
    def recalled(self) -> int:
        return sum(task.recalled for task in self.tasks)

    @property
    def troubles(self) -> int:
        return sum(task.troubles for task in self.tasks)

    @property
    def applied(self) -> tuple[str, ...]:
        return _all(task.applied for task in self.tasks)

    @property
    def helped(self) -> tuple[str, ...]:
        return _all(task.helped for task in self.tasks)

    @property
    def learnt(self) -> tuple[str, ...]:
        return _all(task.learnt for task in self.tasks)


def save(results: Sequence[ShiftResult], path: Path) -> None:
    """Write the results as a JSON array, totals included."""
    rows = [
        asdict(one) | {"solved": one.solved, "steps": one.steps, "tokens": one.tokens}
        for one in results
    ]
    path.write_text(json.dumps(rows, indent=2) + "\n", encoding="utf-8")


def load(path: Path) -> tuple[ShiftResult, ...]:
    """The results that `save` wrote."""
    rows = json.loads(path.read_text(encoding="utf-8"))
    return tuple(ShiftResult(row["agent"], tuple(map(_task, row["tasks"]))) for row in rows)


def _task(row: dict[str, object]) -> TaskResult:
    lists = {name: tuple(value) for name, value in row.items() if isinstance(value, list)}
    return TaskResult(**(row | lists))  # type: ignore[arg-type]


def _all(parts: Iterable[tuple[str, ...]]) -> tuple[str, ...]:
    return tuple(one for part in parts for one in part)
