"""The demo: `make demo` brings the local stack up and lets agents run the Gauntlet over HTTPS.

`--again` is the next day: everything was stopped meanwhile, and a third agent, new to the job,
works from what the first two left.
"""

import json
import subprocess
import sys
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import httpx
from rich.console import Console

from scripts.local import stack
from scripts.local.__main__ import step
from scripts.local.processes import LocalStackError
from scripts.local.state import ROOT

REMEMBERED = ROOT / ".local" / "demo.json"  # holds keys of the local demo's tribes only
_console = Console(stderr=True, soft_wrap=True)


def main() -> int:
    """The gauntlet's exit status; 2 when it could not be run."""
    again = "--again" in sys.argv[1:]
    if again and not REMEMBERED.exists():
        _console.print("There is no demo to come back to: run `make demo` first.", style="red")
        return 2
    was_running = all(stack.status().values())
    try:
        running = stack.up(step)
        if not again:
            _remember(running.api_url or "", running.dsn or "")
        return _gauntlet(running.api_url or "", again)
    except (LocalStackError, httpx.HTTPError) as error:
        _console.print(f"demo: {error}", style="red", markup=False)
        return 2
    finally:
        if not was_running:
            stack.down()


def _remember(api_url: str, dsn: str) -> None:
    """Found two tribes of their own for this demo, and keep the keys for `--again`."""
    day = datetime.now(UTC).strftime("%Y%m%d-%H%M%S")
    shared = _found(dsn, f"demo-{day}")
    control = _found(dsn, f"demo-{day}-control")
    keys = {
        "TRIBUTARY_KEY_A": _add(api_url, shared, "agent-a"),
        "TRIBUTARY_KEY_B": _add(api_url, shared, "agent-b"),
        "TRIBUTARY_KEY_C": _add(api_url, shared, "agent-c"),
        "TRIBUTARY_KEY_CONTROL": _add(api_url, control, "agent-b-alone"),
    }
    REMEMBERED.touch(mode=0o600)
    REMEMBERED.write_text(json.dumps(keys), encoding="utf-8")


def _found(dsn: str, tribe: str) -> str:
    """The key of the tribe's first curator, as `tributary found` gives it."""
    answer = _json([sys.executable, "-m", "tributary.cli", "found", "--tribe", tribe,
                    "--agent", "operator", "--dsn", dsn, "--json"])  # fmt: skip
    return str(answer["key"])


def _add(api_url: str, curator: str, name: str) -> str:
    """The key of a new writer, as `POST /v1/agents` gives it."""
    answer = httpx.post(
        f"{api_url}/v1/agents",
        json={"name": name, "role": "writer"},
        headers={"authorization": f"Bearer {curator}"},
        timeout=30,
    )
    answer.raise_for_status()
    return str(answer.json()["key"])


def _json(command: list[str]) -> Any:
    done = subprocess.run(command, cwd=ROOT, stdout=subprocess.PIPE, check=True)
    return json.loads(done.stdout)


def _gauntlet(api_url: str, again: bool) -> int:
    settings = json.loads(REMEMBERED.read_text(encoding="utf-8")) | {"TRIBUTARY_URL": api_url}
    config = Path(ROOT / ".local" / "gauntlet.json")
    config.touch(mode=0o600)
    config.write_text(json.dumps(settings), encoding="utf-8")
    command = [sys.executable, "-m", "scripts.gauntlet", "--config", str(config)]
    return subprocess.run(
        [*command, *(["--again"] if again else [])], cwd=ROOT, check=False
    ).returncode


if __name__ == "__main__":
    sys.exit(main())
