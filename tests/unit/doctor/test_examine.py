"""The doctor finds each broken promise, says which it was, and leaves nothing behind."""

import json
import os
import signal
from contextlib import contextmanager
from datetime import timedelta
from typing import Any

import pytest
from typer.testing import CliRunner, Result

from tests.unit.doctor.installation import GoldenEmbedder, Installation
from tributary.cli import doctor
from tributary.cli.run import app
from tributary.doctor.door import Load
from tributary.doctor.examine import Part, examine
from tributary.doctor.report import Check, Held, Report
from tributary.domain.errors import ConfigurationError, ConflictingStateError

LOAD = Load(learners=4, rounds=6)
SPLIT, BROKEN, LOST, UNTRUE = (
    "split_rounds", "broken_chains", "lost_acknowledgements", "untrue_answers",
)  # fmt: skip
Door = Installation


def quietly(what: str, done: int, of: int) -> None:
    """A progress bar that nobody sees."""
    assert what
    assert 0 <= done <= of


def examined(door: Door, *parts: Part, load: Load = LOAD) -> Report:
    return examine(door, frozenset(parts or Part), load, quietly)


def contended(door: Door, load: Load = LOAD) -> tuple[Check, Check]:
    same, apart = examined(door, Part.CONTENTION, load=load).checks
    return same, apart


def run(monkeypatch: pytest.MonkeyPatch, door: Door, *arguments: str) -> Result:
    """The command, on this installation."""

    @contextmanager
    def opened(*_: object) -> Any:
        yield door

    monkeypatch.setattr(doctor, "_door", opened)
    return CliRunner().invoke(app, ["doctor", "--learners", "4", "--rounds", "3", *arguments])


def test_an_installation_that_keeps_every_promise_is_healthy() -> None:
    door = Installation(embedder=GoldenEmbedder())
    report = examined(door)
    assert report.healthy
    assert [one.details for one in report.checks if one.held is Held.FAILED] == []
    assert {one.held for one in report.checks} == {Held.OK, Held.NOT_CHECKABLE}


def test_what_cannot_be_looked_at_is_said_and_counts_as_neither() -> None:
    report = examined(Installation(), Part.PLANS)
    (plans,) = report.checks
    assert (plans.held, "HTTPS" in plans.result) == (Held.NOT_CHECKABLE, True)
    assert not report.healthy  # nothing was checked at all
    both = examined(Installation(), Part.PLANS, Part.ISOLATION)
    assert [one.held for one in both.checks] == [Held.OK, Held.NOT_CHECKABLE, Held.NOT_CHECKABLE]
    assert both.healthy


@pytest.mark.parametrize("fault", ["", "splits", "is not removed", "refuses"])
def test_every_scratch_tribe_is_removed_and_every_caller_closed(
    fault: str, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    monkeypatch.setattr("tributary.doctor.race.PAUSE", 0)
    door = Installation(fault, GoldenEmbedder())
    examined(door, load=Load(2, 1))
    assert door.opened > 3
    assert door.open_callers == 0
    assert (door.tribes == {}) == (fault != "is not removed")
    assert ("removed by the gardener after" in caplog.text) == (fault == "is not removed")


def test_the_figures_of_contention_are_those_of_the_learns() -> None:
    same, apart = contended(Installation())
    assert (same.held, apart.held) == (Held.OK, Held.OK)
    assert (same.figures["learns"], same.figures["rounds"]) == (24, 6)
    assert same.figures["reclassifications"] == 18  # all but the first of each round
    assert apart.figures["reclassifications"] == 0
    assert 0 <= float(same.figures["p50_ms"]) <= float(same.figures["p95_ms"])
    for figure in (SPLIT, BROKEN, LOST, UNTRUE, "audit_gaps", "unanswered", "retries", "parked"):
        assert same.figures[figure] == apart.figures[figure] == 0, figure


@pytest.mark.parametrize(
    ("fault", "figure", "number"),
    [
        ("splits", SPLIT, 6),
        ("breaks chains", BROKEN, 18),
        ("loses", LOST, 1),
        ("lies", UNTRUE, 18),
        ("forgets the audit", "audit_gaps", 18),
    ],
)
def test_a_promise_broken_under_contention_is_counted_and_named(
    fault: str, figure: str, number: int
) -> None:
    same, apart = contended(Installation(fault))
    assert same.held is Held.FAILED
    assert int(same.figures[figure]) >= number
    assert same.details
    assert apart.held is Held.OK  # where nobody meets anybody, none of these can show


def test_every_learner_of_a_round_counts_where_rounds_end_without_a_truth() -> None:
    same, _ = contended(Installation("loses"))
    assert same.figures["rounds_without_truth"] == 6
    assert "6 rounds ended without a truth" in same.details


def test_tribes_that_retry_because_of_each_other_are_a_failure_and_one_tribe_s_are_not() -> None:
    same, apart = contended(Installation("retries"))
    assert (same.held, same.figures["retries"]) == (Held.OK, 24)
    assert (apart.held, apart.figures["retries"]) == (Held.FAILED, 24)
    assert any("block each other" in one for one in apart.details)


def test_a_learn_that_is_asked_to_come_again_comes_with_the_same_key(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr("tributary.doctor.race.PAUSE", 0)
    same, _ = contended(Installation("asks again"))
    assert (same.held, same.figures["unanswered"]) == (Held.OK, 0)
    assert int(same.figures["asked_again"]) >= 24


def test_learns_that_are_refused_to_the_end_are_a_failure(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr("tributary.doctor.race.PAUSE", 0)
    same, _ = contended(Installation("refuses"), Load(2, 1))
    assert (same.held, same.figures["unanswered"]) == (Held.FAILED, 2)
    assert "2 learns were refused to the end" in same.details


def test_when_a_scratch_tribe_runs_out_of_time_the_rest_goes_on_in_another() -> None:
    door = Installation(life=timedelta(minutes=1))  # less than what is left to check
    same, apart = contended(door, Load(3, 4))
    assert (same.held, apart.held) == (Held.OK, Held.OK)
    assert (same.figures["rounds"], same.figures["learns"]) == (4, 12)
    assert door.opened == 1 + 4 + 3 * 4


def test_no_more_tribes_are_raced_in_than_may_be_open() -> None:
    _, apart = contended(Installation(), Load(learners=11, rounds=1))
    assert apart.figures["learners"] == 8
    assert apart.done.startswith("8 learners in as many tribes")


@pytest.mark.parametrize(
    ("fault", "leak"),
    [
        ("recalls from others", "recall finds the other's lesson"),
        ("lists others", "the list has the other's lesson"),
        ("audits others", "the audit tells of the other"),
        ("finds others by id", "a lesson of the other is found by its id"),
        ("tells histories of others", "a history of the other is found by its id"),
        ("tells decisions of others", "a decision of the other is found by its id"),
        ("retires others", "the other's lesson was changed"),
        ("takes keys of others", "an idempotency key of the other is taken"),
    ],
)
def test_each_leak_between_tribes_is_named(fault: str, leak: str) -> None:
    report = examined(Installation(fault), Part.ISOLATION)
    found = report.checks[0]
    assert found.held is Held.FAILED
    assert leak in found.details
    assert not report.healthy


@pytest.mark.parametrize(
    ("spoil", "what"),
    [
        (lambda vector: [value * 2 for value in vector], "length is 2.0"),
        (lambda vector: vector[1:] + vector[:1], "cosine"),
        (lambda vector: vector[:100], "100 dimensions"),
    ],
)
def test_another_model_is_found_by_its_vectors(spoil: Any, what: str) -> None:
    (found,) = examined(Installation(embedder=GoldenEmbedder(spoil)), Part.MODEL).checks
    assert found.held is Held.FAILED
    assert any(what in one for one in found.details)
    assert "make model" in found.details[-1]


def test_another_model_behind_an_api_is_found_by_its_similarities() -> None:
    (right,) = examined(Installation(), Part.MODEL).checks
    assert right.held is Held.OK
    assert float(right.figures["max_difference"]) < 1e-3
    (wrong,) = examined(Installation("has another model"), Part.MODEL).checks
    assert wrong.held is Held.FAILED
    assert wrong.figures["max_difference"] == pytest.approx(0.05, abs=1e-3)
    assert len(wrong.details) == 4


def test_a_check_that_is_ended_by_a_passing_error_has_failed() -> None:
    report = examined(Installation("refuses"), Part.MODEL, Part.ISOLATION)
    assert [one.held for one in report.checks] == [Held.FAILED, Held.FAILED]
    assert "come again" in report.checks[0].details[0]


@pytest.mark.parametrize(
    ("fault", "arguments", "status"),
    [
        ("", (), 0),
        ("", ("--all",), 0),
        ("splits", (), 1),
        ("splits", ("--model", "--isolation"), 0),
        ("splits", ("--contention",), 1),
        ("lists others", ("--isolation",), 1),
        ("has another model", ("--model",), 1),
        ("", ("--plans",), 1),
    ],
)
def test_the_exit_status_is_0_only_when_every_promise_that_was_asked_for_held(
    monkeypatch: pytest.MonkeyPatch, fault: str, arguments: tuple[str, ...], status: int
) -> None:
    ended = run(monkeypatch, Installation(fault), *arguments)
    assert ended.exit_code == status, ended.output


def test_people_get_a_table_and_what_went_wrong_below_it(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setenv("COLUMNS", "300")
    said = run(monkeypatch, Installation("splits"), "--contention").output
    assert "3 split" in said
    assert "FAILED" in said.upper()
    assert "contention in one tribe: split: one topic has the active lessons" in said
    assert "1 checks failed" in said


def test_programs_get_json(monkeypatch: pytest.MonkeyPatch) -> None:
    ended = run(monkeypatch, Installation("splits"), "--json")
    said = json.loads(ended.stdout)
    assert (said["healthy"], said["target"], ended.exit_code) == (False, "a fake", 1)
    failed = [one for one in said["checks"] if one["held"] == "failed"]
    assert [one["figures"]["split_rounds"] for one in failed] == [3]


@pytest.mark.parametrize(
    "error", [ConfigurationError("do this"), ConflictingStateError("a", "b", "c", "do this")]
)
def test_what_cannot_be_examined_exits_with_2_and_says_what_to_do(
    monkeypatch: pytest.MonkeyPatch, error: Exception
) -> None:
    def refuse(_: object) -> Any:
        raise error

    monkeypatch.setattr(Installation, "open", refuse)
    ended = run(monkeypatch, Installation())
    assert ended.exit_code == 2
    assert "do this" in ended.stderr
    assert ended.stdout == ""


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (["--url", "http://127.0.0.1:9", "--dsn", "host=x"], "not both"),
        (["--url", "http://127.0.0.1:9"], "TRIBUTARY_KEY"),
        (["--url", "http://127.0.0.1:9", "--key", "trib_x"], "check --url"),
        (["--dsn", "this is no dsn"], "dsn"),
        (["--learners", "1"], "learners"),
        (["--unknown"], "unknown"),
    ],
)
def test_wrong_use_exits_with_2_and_names_the_option(
    monkeypatch: pytest.MonkeyPatch, arguments: list[str], said: str
) -> None:
    for name in ("TRIBUTARY_URL", "TRIBUTARY_KEY", "TRIBUTARY_DSN"):
        monkeypatch.delenv(name, raising=False)
    ended = CliRunner().invoke(app, ["doctor", *arguments])
    assert ended.exit_code == 2
    assert said in ended.stderr


def test_an_interruption_waits_for_what_is_under_way_and_removes_the_tribe(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    door = Installation()

    def interrupt() -> None:
        if door.learns == 5:
            os.kill(os.getpid(), signal.SIGINT)

    door.before_learn = interrupt
    # A shell starts what runs in the background with the signal ignored.
    earlier = signal.signal(signal.SIGINT, signal.default_int_handler)
    try:
        ended = run(monkeypatch, door, "--contention", "--rounds", "5000")
    finally:
        signal.signal(signal.SIGINT, earlier)
    assert ended.exit_code in (1, 130)  # as the command line's library has it
    assert door.tribes == {}
    assert door.open_callers == 0
    assert door.learns < 4 * 5000
