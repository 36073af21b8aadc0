"""Harbor: an ops environment that answers commands with text, the same every time.

It knows nothing of agents or of Tributary. What a trap wants is told nowhere but in its pages:
the output of commands, the logs and the manual.
"""

import shlex
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path

PAGES = Path(__file__).parent / "pages"
USAGE = 2  # exit status of a command that Harbor does not understand


@dataclass(frozen=True, slots=True)
class Command:
    """A command line, taken apart.

    `name` is its first two words. `flags` and `values` keep the order in which they were given;
    `values` has options (`--jobs=1`), settings (`lock_timeout=5s`) and headers (`X-Batch: true`).
    """

    name: str
    arguments: tuple[str, ...] = ()
    flags: tuple[str, ...] = ()
    values: tuple[tuple[str, str], ...] = ()

    def value(self, name: str) -> str | None:
        """The last value given for an option, setting or header; None without one."""
        return dict(self.values).get(name)


@dataclass(frozen=True, slots=True)
class Observation:
    """What one command answered."""

    command: str
    exit_code: int
    output: str

    @property
    def ok(self) -> bool:
        return self.exit_code == 0


@dataclass(frozen=True, slots=True)
class Answer:
    """What a handler says: the exit status, and the page under pages/ that is printed."""

    exit_code: int
    page: str
    endpoint: str = ""  # fills `@endpoint@` in the page


@dataclass(frozen=True, slots=True)
class Handler:
    """How one command behaves.

    `run` may add facts to the set it is given, and take them away. Arguments, flags and names of
    values that are not listed are refused.
    """

    run: Callable[[Command, set[str]], Answer]
    arguments: tuple[str, ...] = ()
    flags: frozenset[str] = frozenset()
    values: frozenset[str] = frozenset()

    def misused(self, command: Command) -> str | None:
        """The first thing on the line that this command does not take."""
        if command.arguments != self.arguments:
            return " ".join(command.arguments)
        known = self.flags | self.values
        given = (*command.flags, *(name for name, _ in command.values))
        return next((name for name in given if name not in known), None)


def parse_command(line: str) -> Command:
    """The command of a line; raises ValueError when its quotes do not match."""
    words = shlex.split(line)
    arguments: list[str] = []
    flags: list[str] = []
    values: list[tuple[str, str]] = []
    rest = iter(words[2:])
    for word in rest:
        if word == "--header":
            name, _, value = next(rest, "").partition(":")
            values.append((name.strip(), value.strip()))
        elif "=" in word:
            name, _, value = word.partition("=")
            values.append((name, value))
        elif word.startswith("--"):
            flags.append(word)
        else:
            arguments.append(word)
    return Command(" ".join(words[:2]), tuple(arguments), tuple(flags), tuple(values))


class Harbor:
    """One fresh yard. Not safe for threads; every agent has its own."""

    def __init__(self, handlers: Mapping[str, Handler]) -> None:
        self._handlers = handlers
        self._facts: set[str] = set()

    def run(self, line: str) -> Observation:
        """Carry one command out. Never raises: a bad command answers as a shell would."""
        try:
            command = parse_command(line)
        except ValueError as error:
            return Observation(line, USAGE, f"harbor: error: {error}\n")
        tool, _, verb = command.name.partition(" ")
        if tool in ("man", "logs"):
            return _read(line, verb, "man" if tool == "man" else "log")
        return self._carry_out(line, command)

    def _carry_out(self, line: str, command: Command) -> Observation:
        handler = self._handlers.get(command.name)
        if handler is None:
            return Observation(line, USAGE, f"harbor: error: no command {command.name!r}\n")
        misused = handler.misused(command)
        if misused is not None:
            tool = command.name.partition(" ")[0]
            text = f"harbor: error: {command.name} does not take {misused!r}; see `man {tool}`\n"
            return Observation(line, USAGE, text)
        answer = handler.run(command, self._facts)
        return Observation(line, answer.exit_code, _page(answer.page, answer.endpoint))


def _read(line: str, tool: str, kind: str) -> Observation:
    if not (PAGES / tool).is_dir() or not tool.isalpha():
        return Observation(line, 1, f"harbor: error: nothing about {tool!r}\n")
    return Observation(line, 0, _page(f"{tool}/{kind}"))


def _page(name: str, endpoint: str = "") -> str:
    text = (PAGES / f"{name}.txt").read_text(encoding="utf-8")
    return text.replace("@endpoint@", endpoint)
