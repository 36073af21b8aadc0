"""The runner: agent-a, agent-b and the control, one process each, and what came of it.

Takes the address from TRIBUTARY_URL and the keys from TRIBUTARY_KEY_A, _B and _CONTROL (and _C
for `--again`), or all of them from a JSON file of the same names.
"""

import argparse
import json
import os
import subprocess
import sys
import tempfile
from collections.abc import Mapping, Sequence
from pathlib import Path

from scripts.gauntlet.journal import console
from scripts.gauntlet.judge import shortcomings, statement
from scripts.gauntlet.personas import CONTROL
from scripts.gauntlet.results import ShiftResult, load, save
from scripts.gauntlet.table import citation, comparison

ROOT = Path(__file__).resolve().parents[2]
LONGEST_SHIFT = 600.0  # seconds
KEYS = {
    "agent-a": "TRIBUTARY_KEY_A",
    "agent-b": "TRIBUTARY_KEY_B",
    CONTROL: "TRIBUTARY_KEY_CONTROL",
    "agent-c": "TRIBUTARY_KEY_C",
}
FIRST_DAY = ("agent-a", "agent-b", CONTROL)
NEXT_DAY = ("agent-c",)
_TRIBES = {
    "agent-a": "shared, new",
    "agent-b": "shared, knows agent-a's lessons",
    CONTROL: "its own, empty",
    "agent-c": "shared, from an earlier run",
}


class ShiftFailedError(Exception):
    """An agent's process ended without a result."""


def main(arguments: Sequence[str] | None = None) -> int:
    """0 when shared memory showed its worth, 1 when it did not, 2 when nothing could be run."""
    options = _options(arguments)
    agents = NEXT_DAY if options.again else FIRST_DAY
    try:
        settings = read_settings(options.config, os.environ, agents)
        results = tuple(_in_a_process(agent, settings) for agent in agents)
    except KeyboardInterrupt:
        return 130
    except (ShiftFailedError, ValueError, OSError) as error:
        print(f"gauntlet: {error}", file=sys.stderr)
        return 2
    _show(results)
    if options.json:
        save(results, options.json)
    faults = shortcomings(results)
    for fault in faults:
        print(f"gauntlet: {fault}", file=sys.stderr)
    return 1 if faults else 0


def _show(results: Sequence[ShiftResult]) -> None:
    out = console()
    out.print(comparison([(_TRIBES[result.agent], result) for result in results]))
    citations = (citation(result) for result in results if result.helped)
    for line in (*citations, statement(results)):
        out.print(line, markup=False, highlight=False, soft_wrap=True)


def read_settings(
    config: Path | None, environment: Mapping[str, str], agents: Sequence[str]
) -> dict[str, str]:
    """TRIBUTARY_URL and the keys that are needed; raises ValueError naming what is missing."""
    settings = dict(environment)
    if config is not None:
        body = json.loads(config.read_text(encoding="utf-8"))
        if not isinstance(body, dict):
            raise ValueError(f"{config} does not hold a JSON object")
        settings |= {str(name): str(value) for name, value in body.items()}
    # On the next day agent-a's key opens the same tribe.
    settings.setdefault(KEYS["agent-c"], settings.get(KEYS["agent-a"], ""))
    needed = ["TRIBUTARY_URL", *(KEYS[agent] for agent in agents)]
    missing = [name for name in needed if not settings.get(name)]
    if missing:
        raise ValueError(f"not set: {', '.join(missing)}")
    return {name: settings[name] for name in needed}


def _in_a_process(agent: str, settings: Mapping[str, str]) -> ShiftResult:
    """The shift of an agent that is given its own key and no other."""
    kept = {name: text for name, text in os.environ.items() if name not in KEYS.values()}
    own = {"TRIBUTARY_URL": settings["TRIBUTARY_URL"], "TRIBUTARY_KEY": settings[KEYS[agent]]}
    with tempfile.TemporaryDirectory() as folder:
        file = Path(folder) / "result.json"
        command = [sys.executable, "-m", "scripts.gauntlet.agent", agent, "--json", str(file)]
        sys.stdout.flush()  # what was said before comes before what the agent says
        try:
            ended = subprocess.run(
                command, cwd=ROOT, env=kept | own, timeout=LONGEST_SHIFT, check=False
            )
        except subprocess.TimeoutExpired:
            raise ShiftFailedError(f"{agent} was not done in {LONGEST_SHIFT:.0f} s") from None
        if ended.returncode != 0:
            raise ShiftFailedError(f"{agent} ended with status {ended.returncode}")
        return load(file)[0]


def _options(arguments: Sequence[str] | None) -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="scripts.gauntlet", description=__doc__)
    parser.add_argument("--config", type=Path, metavar="FILE", help="a JSON file of settings")
    parser.add_argument("--json", type=Path, metavar="FILE", help="write all results there")
    parser.add_argument(
        "--again", action="store_true", help="only agent-c, in the tribe of an earlier run"
    )
    return parser.parse_args(arguments)
