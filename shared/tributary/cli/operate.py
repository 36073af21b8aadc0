"""Commands for operators."""

import json
from datetime import timedelta
from typing import Annotated, Any

import typer

from tributary.adapters.postgres.database import connector
from tributary.adapters.postgres.migrate import migrate as migrate_database
from tributary.cli import show
from tributary.cli.options import Dsn, Json, instant
from tributary.domain.errors import ConfigurationError
from tributary.memory import embedded_admin, open_wiring
from tributary.usecases.garden import Gardened


def migrate(dsn: Dsn = None, as_json: Json = False) -> None:
    """Bring a database to the newest schema."""
    done = migrate_database(connector(conninfo=dsn or embedded_admin()))
    if as_json:
        return show.json(done)
    show.table(["migration"], [(name,) for name in done.applied], "The schema is up to date.")
    for warning in done.warnings:
        show.line(warning)
    return None


def garden(
    dry_run: Annotated[bool, typer.Option("--dry-run", help="Only show.")] = False,
    at: Annotated[str | None, typer.Option(help="As of this instant, with an offset.")] = None,
    seconds: Annotated[int, typer.Option(min=1, max=86_400, help="How long it may take.")] = 600,
    dsn: Dsn = None,
    as_json: Json = False,
) -> None:
    """Forget what nobody uses, and classify again what was parked."""
    wiring = open_wiring(dsn)
    try:
        now = instant(at, "at") or wiring.clock.now()
        if not dry_run:
            wiring.scratch.sweep()
        done = wiring.garden(now, timedelta(seconds=seconds), dry_run=dry_run)
    finally:
        wiring.database.close()
    if as_json:
        return show.json(done)
    return _show_garden(done, dry_run)


def _show_garden(done: Gardened, dry_run: bool) -> None:
    would = "would be " if dry_run else ""
    show.table(
        ["what", "number"],
        [
            ("tribes visited", done.tribes),
            (f"lessons that {would}strengthened", done.strengthened),
            (f"lessons that {would}weakened", done.weakened),
            (f"lessons that {would}retired", len(done.retired)),
            ("parked lessons that were settled", done.settled),
            ("parked lessons that stay parked", done.parked),
        ],
        "",
    )
    show.table(["retired" if not dry_run else "would be retired"],
               [(one,) for one in done.retired], "Nothing is forgotten.")  # fmt: skip
    if not done.finished:
        show.line("The time ran out: run it again to go on.")


def found(
    tribe: Annotated[str, typer.Option(help="The new tribe.")],
    agent: Annotated[str, typer.Option(help="Its first curator.")],
    function: Annotated[
        str | None, typer.Option(help="The deployed migrate function; needs boto3.")
    ] = None,
    dsn: Dsn = None,
    as_json: Json = False,
) -> None:
    """Make a tribe and its first curator, and print the key this once."""
    answer = _found_remotely(function, tribe, agent) if function else _found(dsn, tribe, agent)
    if as_json:
        return show.json(answer)
    return show.table(["tribe", "agent", "role", "key (shown this once)"],
                      [tuple(answer.values())], "")  # fmt: skip


def _found(dsn: str | None, tribe: str, agent: str) -> dict[str, Any]:
    wiring = open_wiring(dsn)
    try:
        added = wiring.agents.found(tribe, agent)
    finally:
        wiring.database.close()
    return {"tribe": tribe, "agent": added.name, "role": added.role.label, "key": added.key}


def _found_remotely(function: str, tribe: str, agent: str) -> dict[str, Any]:
    import boto3

    event = {"found": {"tribe": tribe, "agent": agent}}
    answer = boto3.client("lambda").invoke(FunctionName=function, Payload=json.dumps(event))
    payload: dict[str, Any] = json.loads(answer["Payload"].read())
    if answer.get("FunctionError"):
        raise ConfigurationError(str(payload.get("errorMessage", "the function failed")))
    return payload


COMMANDS = (migrate, garden, found)
