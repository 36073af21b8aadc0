"""The traps of Harbor, and the tasks that lead into them.

Each trap is a rule over a command and the facts left by earlier ones. No rule is random, and none
depends on the time: what helped once helps always.
"""

from collections.abc import Callable
from dataclasses import dataclass

from scripts.gauntlet.environment import Answer, Command, Handler

Facts = set[str]
MOVED_TO = "quay-7.harbor.internal"


@dataclass(frozen=True, slots=True)
class Task:
    """One job of the shift, with the commands that should do it."""

    name: str
    plan: tuple[str, ...]


TASKS = (
    Task("build", ("make build harbor",)),
    Task("configure", ("config render harbor --key=tls.ca_bundle", "service start harbor")),
    Task("deploy", ("deploy submit harbor",)),
    Task("release", ("health check harbor", "traffic shift harbor")),
    Task("migrate", ("db migrate ledger",)),
    Task("publish", ("artifact push harbor --endpoint=eu-1.harbor.internal",)),
    Task("rotate", ("keys rotate signing --activate --stage", "keys verify signing")),
    Task("report", ("report publish harbor",)),  # no trap: the shift is not all trouble
)


def _note(facts: Facts, fact: str, holds: bool) -> None:
    if holds:
        facts.add(fact)
    else:
        facts.discard(fact)


def _always(page: str) -> Callable[[Command, Facts], Answer]:
    return lambda _command, _facts: Answer(0, page)


def _clean_cache(_command: Command, facts: Facts) -> Answer:
    facts.add("cache is clean")
    return Answer(0, "make/clean-cache")


def _build(_command: Command, facts: Facts) -> Answer:
    """Trap 1: the linker is killed (137) unless the cache was cleared since the last build."""
    clean = "cache is clean" in facts
    _note(facts, "cache is clean", False)  # a build, even a failed one, fills it again
    return Answer(0, "make/build-ok") if clean else Answer(137, "make/build-137")


def _render(command: Command, facts: Facts) -> Answer:
    """Trap 2: every key but the successor renders empty, without an error."""
    anchored = command.value("--key") == "tls.trust_store"
    _note(facts, "trust anchors", anchored)
    return Answer(0, "config/rendered-ok" if anchored else "config/rendered-empty")


def _start(_command: Command, facts: Facts) -> Answer:
    """Where trap 2 is felt."""
    ready = "trust anchors" in facts
    return Answer(0, "service/start-ok") if ready else Answer(1, "service/start-fail")


def _submit(command: Command, _facts: Facts) -> Answer:
    """Trap 3: the interactive lane has no quota left; only `X-Batch: true` is accepted."""
    accepted = command.value("X-Batch") == "true"
    return Answer(0, "deploy/submit-ok") if accepted else Answer(1, "deploy/submit-429")


def _check(command: Command, facts: Facts) -> Answer:
    """Trap 4: the first probe is green while dependencies are red; deep finds and mends them."""
    deep = command.value("--deep") == "1"
    _note(facts, "pools are full", deep)
    return Answer(0, "health/check-deep" if deep else "health/check-green")


def _shift(_command: Command, facts: Facts) -> Answer:
    """Where trap 4 is felt."""
    full = "pools are full" in facts
    return Answer(0, "traffic/shift-ok") if full else Answer(1, "traffic/shift-fail")


def _migrate(command: Command, _facts: Facts) -> Answer:
    """Trap 5: the migration hangs behind a reader unless a lock timeout makes it give way."""
    bounded = command.value("lock_timeout") not in (None, "", "0", "0s", "0ms")
    return Answer(0, "db/migrate-ok") if bounded else Answer(124, "db/migrate-hang")


def _push(command: Command, _facts: Facts) -> Answer:
    """Trap 6: the registry of the region has moved to another host."""
    endpoint = command.value("--endpoint") or "(none)"
    if endpoint == MOVED_TO:
        return Answer(0, "artifact/push-ok", endpoint)
    return Answer(1, "artifact/push-gone", endpoint)


def _rotate(command: Command, facts: Facts) -> Answer:
    """Trap 7: flags are steps; activating before staging activates the old key again."""
    _note(facts, "fresh key is active", command.flags == ("--stage", "--activate"))
    if len(command.flags) != 2:
        return Answer(0, "keys/rotate-half")
    right = "fresh key is active" in facts
    return Answer(0, "keys/rotate-right" if right else "keys/rotate-wrong")


def _verify(_command: Command, facts: Facts) -> Answer:
    """Where trap 7 is felt."""
    fresh = "fresh key is active" in facts
    return Answer(0, "keys/verify-ok") if fresh else Answer(1, "keys/verify-fail")


_HARBOR = ("harbor",)
_OPTIONS = {
    "build": frozenset({"--jobs", "--mem", "--lto"}),
    "start": frozenset({"--wait", "--slot"}),
    "submit": frozenset({"--retries", "--wait", "--surge", "X-Priority", "X-Trace", "X-Batch"}),
    "check": frozenset({"--timeout", "--samples", "--deep", "--zone"}),
    "shift": frozenset({"--step", "--pause", "--drain"}),
    "migrate": frozenset(
        {"--batch", "--online", "statement_timeout", "work_mem", "lock_timeout", "idle_timeout"}
    ),
}

HANDLERS = {
    "make build": Handler(_build, _HARBOR, values=_OPTIONS["build"]),
    "make clean-cache": Handler(_clean_cache),
    "make deps": Handler(_always("make/prepare")),
    "make vendor": Handler(_always("make/prepare")),
    "make lint": Handler(_always("make/prepare")),
    "config render": Handler(_render, _HARBOR, values=frozenset({"--key"})),
    "service start": Handler(_start, _HARBOR, values=_OPTIONS["start"]),
    "deploy submit": Handler(_submit, _HARBOR, values=_OPTIONS["submit"]),
    "health check": Handler(_check, _HARBOR, values=_OPTIONS["check"]),
    "traffic shift": Handler(_shift, _HARBOR, values=_OPTIONS["shift"]),
    "db migrate": Handler(_migrate, ("ledger",), values=_OPTIONS["migrate"]),
    "artifact push": Handler(_push, _HARBOR, values=frozenset({"--endpoint"})),
    "keys rotate": Handler(_rotate, ("signing",), flags=frozenset({"--stage", "--activate"})),
    "keys verify": Handler(_verify, ("signing",)),
    "report publish": Handler(_always("report/publish-ok"), _HARBOR),
}
