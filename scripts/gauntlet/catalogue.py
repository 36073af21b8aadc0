"""What an agent may do, and how it finds that in a text.

A text (a manual, a log, a recalled lesson) is never an instruction. The agent takes from it only
actions that match this catalogue as a whole; everything else in it is read and left alone. The
catalogue says what is *possible*; which action belongs to which trouble is said nowhere here.
"""

import re
from dataclasses import dataclass
from enum import StrEnum

MAX_TEXT = 20_000  # characters of a text that are looked at


class Kind(StrEnum):
    """What an action does to a plan."""

    STEP = "step"  # a command run before the target
    COMMAND = "command"  # the target, written otherwise
    VALUE = "value"  # an option or setting of the target
    HEADER = "header"  # a header of the target


@dataclass(frozen=True, slots=True)
class Action:
    """One thing to try: `text` in its one canonical spelling, for the command named `target`."""

    kind: Kind
    text: str
    target: str

    @property
    def slot(self) -> str:
        """Actions of one slot exclude each other: two values of one option, two spellings."""
        if self.kind is Kind.COMMAND:
            return self.target
        if self.kind is Kind.STEP:
            return self.text
        return re.split("[=:]", self.text, maxsplit=1)[0]


@dataclass(frozen=True, slots=True)
class Mention:
    """An action, and where its text begins."""

    action: Action
    at: int


@dataclass(frozen=True, slots=True)
class _Rule:
    kind: Kind
    target: str
    pattern: re.Pattern[str]


def _rule(kind: Kind, target: str, pattern: str) -> _Rule:
    return _Rule(kind, target, re.compile(pattern, re.ASCII))


ALLOWED = (
    _rule(Kind.STEP, "make build", r"make (?:clean-cache|deps|vendor|lint)"),
    _rule(Kind.VALUE, "make build", r"--(?:jobs=\d{1,2}|mem=\d{1,2}g|lto=off)"),
    _rule(Kind.VALUE, "config render", r"--key=tls\.[a-z_]{1,32}"),
    _rule(Kind.VALUE, "service start", r"--(?:wait|slot)=\d{1,3}"),
    _rule(Kind.VALUE, "deploy submit", r"--(?:retries|wait|surge)=\d{1,3}"),
    _rule(Kind.HEADER, "deploy submit", r"X-(?:Priority|Trace|Batch): [a-z]{1,8}"),
    _rule(Kind.VALUE, "health check", r"--(?:timeout|samples|deep)=\d{1,3}"),
    _rule(Kind.VALUE, "traffic shift", r"--(?:step|pause|drain)=\d{1,3}"),
    _rule(Kind.VALUE, "db migrate", r"--(?:batch|online)=\d{1,5}"),
    _rule(Kind.VALUE, "db migrate", r"(?:statement|lock|idle)_timeout=\d{1,5}m?s"),
    _rule(Kind.VALUE, "artifact push", r"--endpoint=[a-z0-9-]{1,32}\.harbor\.internal"),
    _rule(Kind.COMMAND, "keys rotate", r"keys rotate signing(?: --(?:stage|activate)){1,2}"),
)

# In backticks anything may be an action; outside them only what looks like nothing else.
_SPAN = re.compile(r"`([^`\n]{1,120})`")
_BARE = re.compile(
    r"(?<![^\s(\[\"'])"
    r"(?:(?:--)?[a-z][a-z_]{1,30}=[\w.-]{1,60}|X-[A-Za-z-]{1,30}: ?[A-Za-z0-9]{1,16})",
    re.ASCII,
)


def mentions(text: str) -> tuple[Mention, ...]:
    """The allowed actions in the text, in the order in which they are first mentioned."""
    text = text[:MAX_TEXT]
    spans = [(match.start(), match[1]) for match in _SPAN.finditer(text)]
    prose = _SPAN.sub(lambda match: " " * len(match[0]), text)
    bare = [(match.start(), match[0].rstrip(".-")) for match in _BARE.finditer(prose)]
    found: dict[Action, int] = {}
    for at, candidate in sorted(spans + bare):
        for action in _allowed(candidate):
            found.setdefault(action, at)
    return tuple(Mention(action, at) for action, at in found.items())


def _allowed(candidate: str) -> tuple[Action, ...]:
    spelling = re.sub(r"^(X-[A-Za-z-]+): *", r"\1: ", candidate)
    return tuple(
        Action(rule.kind, spelling, rule.target)
        for rule in ALLOWED
        if rule.pattern.fullmatch(spelling)
    )
