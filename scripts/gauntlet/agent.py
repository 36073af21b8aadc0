"""An agent of the Gauntlet as a process: `python -m scripts.gauntlet.agent NAME`.

It works one shift. It knows Tributary by its address and its key only (TRIBUTARY_URL and
TRIBUTARY_KEY in the environment).
"""

import argparse
import ipaddress
import os
import sys
from collections.abc import Mapping, Sequence
from pathlib import Path
from urllib.parse import urlsplit
from uuid import uuid4

from scripts.gauntlet.environment import Harbor
from scripts.gauntlet.job import Kit, work_shift
from scripts.gauntlet.journal import Journal, console
from scripts.gauntlet.memory import Memory, MemoryRefusedError
from scripts.gauntlet.personas import AGENT_B, CONTROL, PERSONAS
from scripts.gauntlet.results import ShiftResult, save
from scripts.gauntlet.table import shift_table
from scripts.gauntlet.traps import HANDLERS, TASKS

USAGE = 2  # exit status: the agent could not work at all


def main(arguments: Sequence[str] | None = None) -> int:
    """Work the shift; 0 when it was worked, however it went, and 2 when it could not be."""
    parser = argparse.ArgumentParser(prog="scripts.gauntlet.agent")
    parser.add_argument("name", choices=[*PERSONAS, CONTROL])
    parser.add_argument("--json", type=Path, metavar="FILE", help="write the result there")
    options = parser.parse_args(arguments)
    try:
        url, key = address(os.environ)
        result = work(options.name, url, key)
    except KeyboardInterrupt:
        return 130
    except (ValueError, MemoryRefusedError) as error:
        print(f"{options.name}: cannot work: {error}", file=sys.stderr)
        return USAGE
    if options.json:
        save([result], options.json)
    return 0


def work(name: str, url: str, key: str) -> ShiftResult:
    """One shift on a fresh Harbor, printed as it goes."""
    out = console()
    with Memory(url, key) as memory:
        kit = Kit(
            persona=AGENT_B if name == CONTROL else PERSONAS[name],
            memory=memory,
            harbor=Harbor(HANDLERS),
            journal=Journal(name, out),
            new_key=lambda: str(uuid4()),
        )
        result = ShiftResult(name, work_shift(kit, {task.name: task for task in TASKS}))
    out.print(shift_table(result))
    return result


def address(environment: Mapping[str, str]) -> tuple[str, str]:
    """URL and key; raises ValueError when one is missing or would carry the key in the clear."""
    url, key = environment.get("TRIBUTARY_URL", ""), environment.get("TRIBUTARY_KEY", "")
    for name, value in (("TRIBUTARY_URL", url), ("TRIBUTARY_KEY", key)):
        if not value.strip():
            raise ValueError(f"{name} is not set")
    if not key.isascii() or not key.isprintable():
        raise ValueError("TRIBUTARY_KEY is not a key")
    parts = urlsplit(url)
    if not parts.hostname:
        raise ValueError("TRIBUTARY_URL is not an address")
    if parts.scheme != "https" and not (parts.scheme == "http" and _is_here(parts.hostname)):
        raise ValueError("TRIBUTARY_URL must begin with https:// (http:// only on this machine)")
    return url, key


def _is_here(host: str) -> bool:
    try:
        return ipaddress.ip_address(host).is_loopback
    except ValueError:
        return host == "localhost" or host.endswith(".localhost")


if __name__ == "__main__":
    sys.exit(main())
