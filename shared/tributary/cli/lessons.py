"""Commands on lessons, each one call of the library."""

from pathlib import Path
from typing import Annotated

import typer

from tributary.cli import bulk, show
from tributary.cli.options import Agent, Dsn, Json, Tribe, instant
from tributary.memory import Memory

Id = Annotated[str, typer.Argument(help="The lesson's id.")]


def learn(
    content: Annotated[str, typer.Argument(help="One statement.")],
    situation: Annotated[str | None, typer.Option(help="Where and how it was learnt.")] = None,
    tag: Annotated[list[str] | None, typer.Option(help="Any number of them.")] = None,
    valid_from: Annotated[str | None, typer.Option(help="An instant with an offset.")] = None,
    valid_to: Annotated[str | None, typer.Option(help="An instant with an offset.")] = None,
    key: Annotated[str | None, typer.Option(help="Idempotency key.")] = None,
    dsn: Dsn = None,
    tribe: Tribe = "default",
    agent: Agent = "local",
    as_json: Json = False,
) -> None:
    """Learn a lesson."""
    with Memory.open(dsn, tribe, agent) as memory:
        learned = memory.learn(
            content,
            situation=situation,
            tags=tag or (),
            valid_from=instant(valid_from, "valid_from"),
            valid_to=instant(valid_to, "valid_to"),
            idempotency_key=key,
        )
    if as_json:
        return show.json(learned)
    return show.line(learned.outcome, learned.lesson_id, learned.flag or "")


def recall(
    query: Annotated[str, typer.Argument(help="What you want to know.")],
    k: Annotated[int, typer.Option("-k", help="How many lessons.")] = 5,
    tag: Annotated[list[str] | None, typer.Option(help="Only lessons that have all.")] = None,
    as_of: Annotated[str | None, typer.Option(help="What was believed at this instant.")] = None,
    true_at: Annotated[str | None, typer.Option(help="What is held true of it.")] = None,
    dsn: Dsn = None,
    tribe: Tribe = "default",
    agent: Agent = "local",
    as_json: Json = False,
) -> None:
    """Recall the lessons that match best."""
    with Memory.open(dsn, tribe, agent) as memory:
        found = memory.recall(
            query,
            k=k,
            tags=tag or (),
            as_of=instant(as_of, "as_of"),
            true_at=instant(true_at, "true_at"),
        )
    if as_json:
        return show.json(found)
    return show.table(
        ["similarity", "lesson"],
        [
            (one.similarity, show.noted(one.content, one.id, one.agent, one.activated_at))
            for one in found.lessons
        ],
        "Nothing is known.",
    )


def reinforce(
    lesson_id: Id, dsn: Dsn = None, tribe: Tribe = "default", agent: Agent = "local",
    as_json: Json = False,
) -> None:  # fmt: skip
    """Say that a lesson helped."""
    with Memory.open(dsn, tribe, agent) as memory:
        counted = memory.reinforce(lesson_id)
    if as_json:
        return show.json({"counted": counted})
    return show.line("counted" if counted else "counted already within the hour")


def retire(
    lesson_id: Id,
    reason: Annotated[str, typer.Option(help="Why; it stays in the audit.")],
    dsn: Dsn = None,
    tribe: Tribe = "default",
    agent: Agent = "local",
    as_json: Json = False,
) -> None:
    """Take a lesson out of recall."""
    with Memory.open(dsn, tribe, agent) as memory:
        memory.retire(lesson_id, reason)
    if as_json:
        return show.json({"id": lesson_id, "status": "retired"})
    return show.line("retired", lesson_id)


def history(
    lesson_id: Id, dsn: Dsn = None, tribe: Tribe = "default", agent: Agent = "local",
    as_json: Json = False,
) -> None:  # fmt: skip
    """Show the chain that explains a lesson, and every change of it."""
    with Memory.open(dsn, tribe, agent) as memory:
        found = memory.history(lesson_id)
    if as_json:
        return show.json(found)
    show.table(
        ["status", "lesson"],
        [
            (one.status, show.noted(one.content, one.id, one.source_agent, one.activated_at))
            for one in found.chain
        ],
        "Nothing is known.",
    )
    return show.table(
        ["at", "action", "agent", "detail"],
        [(one.at, one.action, one.agent, one.detail or None) for one in found.audit],
        "Nothing happened.",
    )


def import_(
    file: Annotated[Path, typer.Argument(help="JSON Lines; each has `content` and more.")],
    dsn: Dsn = None,
    tribe: Tribe = "default",
    agent: Agent = "local",
    as_json: Json = False,
) -> None:
    """Learn every line of a file; a bad line does not stop the others."""
    with Memory.open(dsn, tribe, agent) as memory:
        results = bulk.learn_file(memory, file, progress=not as_json)
    if as_json:
        show.json(results)
    else:
        bulk.summarise(results)
    if any(isinstance(one.result, Exception) for one in results):
        raise typer.Exit(1)


import_.__name__ = "import"
COMMANDS = (learn, recall, reinforce, retire, history, import_)
