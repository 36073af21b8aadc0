"""The runner and the agents as processes."""

import json
from pathlib import Path

import pytest

from scripts.gauntlet.agent import address
from scripts.gauntlet.agent import main as agent_main
from scripts.gauntlet.results import load
from scripts.gauntlet.run import FIRST_DAY, KEYS, NEXT_DAY, main, read_settings
from tests.unit.gauntlet.fake_tributary import FakeTributary


@pytest.fixture
def config(tributary: FakeTributary, tmp_path: Path) -> Path:
    file = tmp_path / "gauntlet.json"
    keys = {variable: f"key-{variable.rpartition('_')[2].lower()}" for variable in KEYS.values()}
    file.write_text(json.dumps({"TRIBUTARY_URL": tributary.url} | keys))
    return file


def test_the_gauntlet_runs_as_three_processes_and_a_fourth_the_next_day(
    config: Path, tributary: FakeTributary, tmp_path: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    results = tmp_path / "results.json"
    assert main(["--config", str(config), "--json", str(results)]) == 0
    first, second, control = load(results)
    printed = capfd.readouterr().out
    assert second.steps < first.steps
    assert second.steps < control.steps
    said = f"agent-b took {second.steps} steps, agent-a {first.steps}, control {control.steps}"
    assert said in printed
    assert all(f"apply     lesson {lesson}" in printed for lesson in second.helped)
    assert {call.agent for call in tributary.calls} == {"agent-a", "agent-b", "control"}

    assert main(["--config", str(config), "--again"]) == 0
    assert "agent-c took" in capfd.readouterr().out
    assert tributary.calls[-1].agent == "agent-c"


def test_the_runner_fails_when_the_tribe_does_not_share(
    config: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    settings = json.loads(config.read_text()) | {"TRIBUTARY_KEY_B": "key-other"}
    config.write_text(json.dumps(settings))
    assert main(["--config", str(config)]) == 1
    faults = capfd.readouterr().err
    assert "agent-b was helped by no lesson" in faults
    assert "agent-b took no fewer steps than agent-a" in faults


def test_the_next_day_in_an_empty_tribe_fails(
    config: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    assert main(["--config", str(config), "--again"]) == 1
    assert "agent-c was helped by no lesson" in capfd.readouterr().err


def test_a_refused_key_ends_the_run_with_one_clear_line(
    config: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    settings = json.loads(config.read_text()) | {"TRIBUTARY_KEY_A": "trib_of_nobody"}
    config.write_text(json.dumps(settings))
    assert main(["--config", str(config)]) == 2
    assert capfd.readouterr().err.splitlines() == [
        "agent-a: cannot work: HTTP 401 unauthorized: no such key",
        "gauntlet: agent-a ended with status 2",
    ]


def test_missing_settings_are_named() -> None:
    with pytest.raises(ValueError, match="not set: TRIBUTARY_KEY_B, TRIBUTARY_KEY_CONTROL"):
        read_settings(None, {"TRIBUTARY_URL": "u", "TRIBUTARY_KEY_A": "a"}, FIRST_DAY)


def test_only_what_is_needed_is_kept_of_the_settings() -> None:
    given = {"TRIBUTARY_URL": "u", "TRIBUTARY_KEY_A": "a", "TRIBUTARY_KEY_B": "b", "HOME": "/"}
    kept = read_settings(None, given, NEXT_DAY)
    assert kept == {"TRIBUTARY_URL": "u", "TRIBUTARY_KEY_C": "a"}


@pytest.mark.parametrize("text", ["[]", "{", "\xff"])
def test_a_config_file_that_is_no_object_is_refused(
    text: str, tmp_path: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    file = tmp_path / "gauntlet.json"
    file.write_bytes(text.encode("latin-1"))
    assert main(["--config", str(file)]) == 2
    assert capfd.readouterr().err.startswith("gauntlet: ")


@pytest.mark.parametrize(
    "url",
    [
        "https://abc.execute-api.eu-central-1.amazonaws.com",
        "http://127.0.0.1:8000",
        "http://[::1]:8000/base",
        "http://localhost:4566",
        "http://abc.execute-api.localhost:4566",
    ],
)
def test_an_agent_talks_https_or_to_its_own_machine(url: str) -> None:
    assert address({"TRIBUTARY_URL": url, "TRIBUTARY_KEY": "trib_x"}) == (url, "trib_x")


@pytest.mark.parametrize(
    ("url", "key"),
    [
        ("", "trib_x"),
        ("https://memory.example", ""),
        ("https://memory.example", "trib\nx"),
        ("https://memory.example", "tríb"),
        ("http://memory.example", "trib_x"),
        ("http://10.0.0.1", "trib_x"),
        ("http://localhost.evil.example", "trib_x"),
        ("ftp://localhost", "trib_x"),
        ("memory.example", "trib_x"),
        ("https://", "trib_x"),
        ("http://[::1", "trib_x"),
    ],
)
def test_an_address_that_would_not_do_is_refused(
    url: str, key: str, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setenv("TRIBUTARY_URL", url)
    monkeypatch.setenv("TRIBUTARY_KEY", key)
    assert agent_main(["agent-a"]) == 2
    assert capsys.readouterr().err.startswith("agent-a: cannot work: ")
