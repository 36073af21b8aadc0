"""Options that many commands share."""

from datetime import datetime
from typing import Annotated

import typer

from tributary.domain.validity import parse_instant

Json = Annotated[bool, typer.Option("--json", help="Print JSON, for programs.")]
Dsn = Annotated[
    str | None,
    typer.Option(envvar="TRIBUTARY_DSN", help="A database; without one, that under .local/."),
]
Tribe = Annotated[str, typer.Option(envvar="TRIBUTARY_TRIBE", help="Whose memory.")]
Agent = Annotated[str, typer.Option(envvar="TRIBUTARY_AGENT", help="Who calls.")]


def instant(text: str | None, field: str) -> datetime | None:
    """An RFC 3339 instant of an option; raises InvalidInputError naming the field."""
    return None if text is None else parse_instant(text, field)
