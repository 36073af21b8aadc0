"""What an examination found."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from enum import StrEnum

MAX_DETAILS = 20
Figures = Mapping[str, int | float | str]


class Held(StrEnum):
    """How it stands with the promises that a check tried."""

    OK = "ok"
    FAILED = "failed"
    NOT_CHECKABLE = "not checkable"  # from where the doctor stands


@dataclass(frozen=True, slots=True)
class Check:
    """One line of the report."""

    name: str
    done: str  # what was done
    result: str
    held: Held
    figures: Figures = field(default_factory=dict)
    details: Sequence[str] = ()  # what was wrong, and what to do about it; ids, never contents


@dataclass(frozen=True, slots=True)
class Report:
    """The whole examination."""

    target: str
    checks: tuple[Check, ...]
    seconds: float

    @property
    def healthy(self) -> bool:
        """Nothing failed, and something was checked."""
        held = [check.held for check in self.checks]
        return Held.FAILED not in held and Held.OK in held


def check(
    name: str,
    done: str,
    result: str,
    wrong: Sequence[str],
    figures: Figures | None = None,
) -> Check:
    """A check that failed when anything is wrong."""
    held = Held.FAILED if wrong else Held.OK
    shown = (*wrong[:MAX_DETAILS], f"and {len(wrong) - MAX_DETAILS} more")
    details = tuple(wrong) if len(wrong) <= MAX_DETAILS else shown
    return Check(name, done, result, held, figures or {}, details)


def not_checkable(name: str, why: str) -> Check:
    """A check that this way in does not allow: neither held nor failed."""
    return Check(name, "nothing", why, Held.NOT_CHECKABLE)
