"""`tributary doctor`: does an installation keep its promises?"""

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Annotated

import typer
from rich.console import Console
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeElapsedColumn

from tributary.cli import show
from tributary.cli.options import Dsn, Json
from tributary.doctor.door import Door, Load, Tick
from tributary.doctor.examine import Part, examine
from tributary.doctor.report import Held, Report
from tributary.domain.errors import (
    ConfigurationError,
    ConflictingStateError,
    DatabaseUnavailableError,
    ForbiddenError,
    TributaryError,
)
from tributary.memory import open_wiring

WRONG_USE = 2
COLOURS = {Held.OK: "green", Held.FAILED: "bold red", Held.NOT_CHECKABLE: "yellow"}
CANNOT_START = (
    ConfigurationError, ConflictingStateError, DatabaseUnavailableError, ForbiddenError,
)  # fmt: skip


def doctor(
    contention: Annotated[bool, typer.Option("--contention", help="Learners race.")] = False,
    plans: Annotated[bool, typer.Option("--plans", help="How queries are executed.")] = False,
    isolation: Annotated[bool, typer.Option("--isolation", help="Tribes are apart.")] = False,
    model: Annotated[bool, typer.Option("--model", help="The vectors are right.")] = False,
    everything: Annotated[bool, typer.Option("--all", help="All of these; the default.")] = False,
    learners: Annotated[int, typer.Option(min=2, max=64, help="At the same instant.")] = 16,
    rounds: Annotated[int, typer.Option(min=1, max=100_000, help="Each on a fresh topic.")] = 40,
    url: Annotated[
        str | None, typer.Option(envvar="TRIBUTARY_URL", help="A deployed API instead.")
    ] = None,
    key: Annotated[
        str | None, typer.Option(envvar="TRIBUTARY_KEY", help="A curator's, for --url.")
    ] = None,
    dsn: Dsn = None,
    as_json: Json = False,
) -> None:
    """Check that this installation keeps its promises, in scratch tribes that are removed."""
    asked = {Part.CONTENTION: contention, Part.PLANS: plans, Part.ISOLATION: isolation,
             Part.MODEL: model}  # fmt: skip
    parts = frozenset(part for part, wanted in asked.items() if wanted or everything)
    try:
        with _door(dsn, url, key) as door, _progress() as tick:
            report = examine(door, parts or frozenset(Part), Load(learners, rounds), tick)
    except CANNOT_START as error:
        _complain(error)
        raise typer.Exit(WRONG_USE) from None
    if as_json:
        show.json({"healthy": report.healthy, **_plain(report)})
    else:
        _show(report)
    if not report.healthy:
        raise typer.Exit(1)


@contextmanager
def _door(dsn: str | None, url: str | None, key: str | None) -> Iterator[Door]:
    """The way in that the options name. Raises ConfigurationError."""
    if url and dsn:
        raise ConfigurationError("give --dsn or --url, not both (TRIBUTARY_DSN, TRIBUTARY_URL)")
    if url:
        if not key:
            raise ConfigurationError("an API needs a curator's key: --key or TRIBUTARY_KEY")
        from tributary.doctor.api import ApiDoor

        yield ApiDoor(url.rstrip("/"), key)
        return
    from tributary.doctor.library import LibraryDoor

    wiring = open_wiring(dsn)
    try:
        yield LibraryDoor(wiring)
    finally:
        wiring.database.close()


@contextmanager
def _progress() -> Iterator[Tick]:
    """A bar on standard error, which leaves the output to the report."""
    console = Console(stderr=True)
    bar = Progress(
        TextColumn("{task.description}"), BarColumn(), MofNCompleteColumn(), TimeElapsedColumn(),
        console=console, transient=True, disable=not console.is_terminal,
    )  # fmt: skip
    with bar:
        task = bar.add_task("starting", total=None)

        def tick(what: str, done: int, of: int) -> None:
            bar.update(task, description=what, completed=done, total=of)

        yield tick


def _plain(report: Report) -> dict[str, object]:
    return {"target": report.target, "seconds": report.seconds, "checks": report.checks}


def _show(report: Report) -> None:
    show.line(f"{report.target}, in {report.seconds:.1f} s")
    show.table(
        ["check", "what was done", "result", ""],
        [(one.name, one.done, one.result, _mark(one.held)) for one in report.checks],
        "",
    )
    for one in report.checks:
        for detail in one.details:
            show.line(f"{one.name}: {detail}")
    failed = sum(one.held is Held.FAILED for one in report.checks)
    show.line("every promise was kept" if report.healthy else f"{failed} checks failed")


def _mark(held: Held) -> object:
    from rich.text import Text

    return Text(held.value, style=COLOURS[held])


def _complain(error: TributaryError) -> None:
    Console(stderr=True, soft_wrap=True).print(
        f"tributary doctor: {error}", style="red", markup=False, highlight=False
    )


COMMANDS = (doctor,)
