"""The tables: one of each shift, and one that compares the agents."""

from collections.abc import Sequence

from rich.table import Table

from scripts.gauntlet.journal import printable
from scripts.gauntlet.results import ShiftResult, TaskResult

_NUMBERS = ("steps", "tokens", "recalled", "applied", "learnt")


def shift_table(result: ShiftResult) -> Table:
    """A row for each task, and the totals."""
    table = _table((result.agent, "outcome"))
    for task in result.tasks:
        table.add_row(task.task, _outcome(task), *_figures(task))
    table.add_section()
    table.add_row("all", _solved(result), *_figures(result))
    return table


def comparison(results: Sequence[tuple[str, ShiftResult]]) -> Table:
    """A row for each agent, labelled with what its tribe knew when it began."""
    table = _table(("agent", "its tribe", "solved"))
    for label, result in results:
        table.add_row(result.agent, label, _solved(result), *_figures(result))
    return table


def citation(result: ShiftResult) -> str:
    """Which lesson helped the agent with which task."""
    helped = [f"{task.task} by {one}" for task in result.tasks for one in task.helped]
    return printable(f"{result.agent} was helped by lessons: " + ", ".join(helped))


def _table(names: Sequence[str]) -> Table:
    table = Table()
    for name in names:
        table.add_column(name)
    for name in _NUMBERS:
        table.add_column(name, justify="right")
    return table


def _outcome(task: TaskResult) -> str:
    if not task.solved:
        return "given up"
    if task.helped:
        return "by a lesson"
    return "by trying" if task.learnt else "at once" if not task.applied else "despite a lesson"


def _solved(result: ShiftResult) -> str:
    return f"{result.solved} of {len(result.tasks)}"


def _figures(counts: TaskResult | ShiftResult) -> tuple[str, ...]:
    return (
        str(counts.steps),
        f"{counts.tokens:,}",
        str(counts.recalled),
        str(len(counts.applied)),
        str(len(counts.learnt)),
    )
