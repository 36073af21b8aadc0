"""The local stack: `python -m scripts.local up | down | status | run -- COMMAND`."""

import json
import os
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Annotated

import typer
from rich.console import Console

from scripts.local import stack
from scripts.local.processes import LocalStackError

app = typer.Typer(help=__doc__, no_args_is_help=True, add_completion=False)
# Progress goes to the error stream: `run` leaves the output to its command.
_console = Console(stderr=True, soft_wrap=True)


@app.command()
def up() -> None:
    """Start PostgreSQL and AWS, and deploy; at once when all is up to date."""
    started = time.monotonic()
    running = stack.up(step)
    _console.print(f"[green]up[/green] in {time.monotonic() - started:.1f} s")
    _console.print(f"  API         {running.api_url}")
    _console.print(f"  PostgreSQL  {running.dsn}")
    _console.print(f"  AWS         {running.endpoint_url}")


@app.command()
def down() -> None:
    """Stop both; the lessons stay in .local/."""
    stopped = stack.down()
    _console.print(f"stopped {' and '.join(stopped)}" if stopped else "nothing was running")


@app.command()
def status() -> None:
    """Say what runs, as JSON; exit code 1 when something does not."""
    told = stack.status()
    sys.stdout.write(json.dumps(told, indent=2) + "\n")
    if not all(told.values()):
        raise typer.Exit(1)


@app.command(context_settings={"ignore_unknown_options": True})
def run(command: Annotated[list[str], typer.Argument(help="after --")]) -> None:
    """Bring the stack up and run a command with its addresses in the environment."""
    running = stack.up(step)
    environment = os.environ | stack.environment(running)
    raise typer.Exit(subprocess.run(command, env=environment, check=False).returncode)


@contextmanager
def step(name: str) -> Iterator[None]:
    """Show a step while it runs, and how long it took."""
    started = time.monotonic()
    with _console.status(f"{name} ..."):
        yield
    _console.print(f"  {name:<16}{time.monotonic() - started:5.1f} s")


def main() -> None:
    try:
        app()
    except LocalStackError as error:
        _console.print(f"[red]local stack:[/red] {error}", highlight=False)
        sys.exit(1)


if __name__ == "__main__":
    main()
