"""An agent's journal: a line for everything it does, and the counts of the task at hand."""

from collections.abc import Sequence
from dataclasses import dataclass, field

from rich.console import Console
from rich.text import Text

from scripts.gauntlet.environment import Observation
from scripts.gauntlet.memory import LearnAnswer, RecalledLesson
from scripts.gauntlet.results import TaskResult, tokens

LONGEST_LINE = 500  # characters; texts by others may have thousands
WIDTH = 110  # columns when the output is not a terminal


def console() -> Console:
    """A console that also prints whole lines and tables into a file or a pipe."""
    probe = Console()
    return probe if probe.is_terminal else Console(width=WIDTH, color_system=None)


def printable(text: str) -> str:
    """The text on one line, cut, and without characters that could steer a terminal."""
    line = " ".join(text[: 2 * LONGEST_LINE].split())
    line = line if len(line) <= LONGEST_LINE else line[: LONGEST_LINE - 1] + "…"
    return "".join(char if char.isprintable() else "\N{REPLACEMENT CHARACTER}" for char in line)


def counted(number: int, noun: str) -> str:
    """The number with its noun: `1 step`, `2 steps`."""
    return f"{number} {noun}" if number == 1 else f"{number} {noun}s"


@dataclass(slots=True)
class _Counts:
    steps: int = 0
    tokens: int = 0
    recalls: int = 0
    recalled: int = 0
    troubles: int = 0
    applied: list[str] = field(default_factory=list)
    helped: list[str] = field(default_factory=list)
    learnt: list[str] = field(default_factory=list)


class Journal:
    """Prints as it goes; `close` ends a task and answers its result."""

    def __init__(self, agent: str, out: Console) -> None:
        self._agent = agent
        self._out = out
        self._task = ""
        self._counts = _Counts()

    def open(self, task: str) -> None:
        self._task = task
        self._counts = _Counts()

    def close(self, solved: bool) -> TaskResult:
        counts = self._counts
        self._say("solved" if solved else "given up", f"in {counted(counts.steps, 'step')}", "bold")
        return TaskResult(
            task=self._task,
            solved=solved,
            steps=counts.steps,
            tokens=counts.tokens,
            recalls=counts.recalls,
            recalled=counts.recalled,
            applied=tuple(counts.applied),
            helped=tuple(counts.helped),
            learnt=tuple(counts.learnt),
            troubles=counts.troubles,
        )

    def ran(self, seen: Observation) -> None:
        self._counts.steps += 1
        self._counts.tokens += tokens(seen.output)
        length = len(seen.output.splitlines())
        end = "ok" if seen.ok else f"exit {seen.exit_code}"
        self._say(
            "$", f"{seen.command}  -> {end}, {counted(length, 'line')}", "" if seen.ok else "red"
        )

    def recalled(self, query: str, lessons: Sequence[RecalledLesson]) -> None:
        self._counts.recalls += 1
        self._counts.recalled += len(lessons)
        self._counts.tokens += sum(tokens(lesson.reading) for lesson in lessons)
        self._say("recall", f'"{query}" -> {counted(len(lessons), "lesson")}', "cyan")

    def applies(self, lesson: RecalledLesson, changes: Sequence[str]) -> None:
        self._counts.applied.append(lesson.id)
        what = " and ".join(changes)
        self._say("apply", f"lesson {lesson.id} by {lesson.agent}: {what}", "green")
        self._say("", f'"{lesson.content}"', "green")

    def helped(self, lesson: RecalledLesson, *, reinforced: bool) -> None:
        self._counts.helped.append(lesson.id)
        thanks = ", reinforced" if reinforced else ""
        self._say("helped", f"lesson {lesson.id}{thanks}", "green")

    def misled(self, lesson: RecalledLesson) -> None:
        self._say("misled", f"lesson {lesson.id} did not help here", "yellow")

    def learnt(self, content: str, answer: LearnAnswer) -> None:
        self._counts.learnt.append(answer.lesson_id)
        self._say("learn", f'"{content}"', "magenta")
        self._say("", f"-> {answer.outcome}, lesson {answer.lesson_id}", "magenta")

    def trouble(self, error: Exception) -> None:
        self._counts.troubles += 1
        self._say("trouble", f"Tributary: {error}", "yellow")

    def _say(self, what: str, text: str, style: str) -> None:
        line = f"{self._agent:<8} {self._task:<10} {what:<9} {printable(text)}"
        self._out.print(Text(line, style=style), soft_wrap=True)
