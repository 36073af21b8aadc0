"""All commands, and how their errors are told."""

import sys

import typer
from rich.console import Console

from tributary.cli import doctor, lessons, operate
from tributary.domain.errors import TransientError, TributaryError

app = typer.Typer(
    help="Shared, persistent, conflict-safe memory for AI agents.",
    no_args_is_help=True,
    pretty_exceptions_enable=False,
    add_completion=False,
)
for command in (*lessons.COMMANDS, *operate.COMMANDS, *doctor.COMMANDS):
    app.command()(command)


def run() -> None:
    """Run the command that the arguments name; what went wrong is one line on standard error."""
    try:
        app(prog_name="tributary")
    except TributaryError as error:
        hint = "; nothing was stored, try again" if isinstance(error, TransientError) else ""
        Console(stderr=True, soft_wrap=True).print(
            f"tributary: {error}{hint}", style="red", markup=False, highlight=False
        )
        sys.exit(1)
