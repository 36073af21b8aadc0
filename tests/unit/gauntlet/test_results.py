"""Counting, judging and showing."""

import io
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from rich.console import Console

from scripts.gauntlet.journal import LONGEST_LINE, printable
from scripts.gauntlet.judge import shortcomings, statement
from scripts.gauntlet.results import ShiftResult, TaskResult, load, save, tokens
from scripts.gauntlet.table import citation, comparison, shift_table

TRIED = TaskResult("build", True, 5, 1200, 2, 0, (), (), ("L1",), 0)
KNOWN = TaskResult("build", True, 2, 400, 1, 3, ("L1",), ("L1",), (), 0)
A = ShiftResult("agent-a", (TRIED,))
B = ShiftResult("agent-b", (KNOWN,))
CONTROL = ShiftResult("control", (TRIED,))
C = ShiftResult("agent-c", (KNOWN,))


def one(shift: ShiftResult, **changes: Any) -> ShiftResult:
    return ShiftResult(shift.agent, (replace(shift.tasks[0], **changes),))


@pytest.mark.parametrize(("text", "number"), [("", 0), ("a", 1), ("abcd", 1), ("abcde", 2)])
def test_a_token_is_four_characters_rounded_up(text: str, number: int) -> None:
    assert tokens(text) == number


def test_results_survive_their_file(tmp_path: Path) -> None:
    save([A, B], tmp_path / "results.json")
    assert load(tmp_path / "results.json") == (A, B)


def test_totals_are_sums_over_the_tasks() -> None:
    shift = ShiftResult("agent-b", (TRIED, KNOWN, replace(TRIED, solved=False)))
    assert (shift.solved, shift.steps, shift.tokens, shift.recalled) == (2, 12, 2800, 3)
    assert (shift.applied, shift.helped, shift.learnt) == (("L1",), ("L1",), ("L1", "L1"))


def test_the_statement_says_the_steps_of_all_three() -> None:
    assert statement([A, B, CONTROL]) == "agent-b took 2 steps, agent-a 5, control 5"
    assert statement([C]) == "agent-c took 2 steps and was helped by 1 lesson"


def test_fewer_steps_by_the_others_lessons_leave_nothing_to_say() -> None:
    assert shortcomings([A, B, CONTROL]) == ()
    assert shortcomings([C]) == ()


@pytest.mark.parametrize(
    ("shifts", "fault"),
    [
        ([A, one(B, steps=5), one(CONTROL, steps=6)], "agent-b took no fewer steps than agent-a"),
        ([one(A, steps=6), one(B, steps=5), CONTROL], "agent-b took no fewer steps than control"),
        ([A, one(B, helped=()), CONTROL], "agent-b was helped by no lesson"),
        ([A, one(B, solved=False), CONTROL], "agent-b left tasks undone"),
        ([A, one(B, troubles=2), CONTROL], "agent-b had no answer from Tributary 2 times"),
        (
            [one(A, learnt=()), B, CONTROL],
            "agent-b was helped by lessons that agent-a did not learn in this run",
        ),
        ([one(C, helped=())], "agent-c was helped by no lesson"),
        ([one(C, solved=False)], "agent-c left tasks undone"),
    ],
)
def test_each_shortcoming_is_named(shifts: list[ShiftResult], fault: str) -> None:
    assert shortcomings(shifts) == (fault,)


@pytest.mark.parametrize(
    ("task", "outcome"),
    [
        (TRIED, "by trying"),
        (KNOWN, "by a lesson"),
        (replace(TRIED, learnt=()), "at once"),
        (replace(KNOWN, helped=()), "despite a lesson"),
        (replace(TRIED, solved=False), "given up"),
    ],
)
def test_the_table_of_a_shift_says_how_each_task_went(task: TaskResult, outcome: str) -> None:
    assert outcome in drawn(shift_table(ShiftResult("agent-b", (task,))))


def test_the_comparison_has_a_row_for_each_agent() -> None:
    text = drawn(comparison([("new", A), ("known", B)]))
    assert "agent-a" in text
    assert "1,200" in text
    assert "known" in text


def test_a_citation_names_task_and_lesson() -> None:
    assert citation(B) == "agent-b was helped by lessons: build by L1"


def test_a_printed_line_is_one_line_without_control_characters() -> None:
    assert printable("a\n b\t\x1b[31m\u202ec\u200b") == "a b \ufffd[31m\ufffdc\ufffd"
    assert len(printable("word " * 10_000)) == LONGEST_LINE


def drawn(table: object) -> str:
    out = io.StringIO()
    Console(file=out, width=110).print(table)
    return out.getvalue()
