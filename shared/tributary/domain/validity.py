"""Instants and the interval in which a lesson is true."""

import re
from dataclasses import dataclass
from datetime import UTC, datetime

from tributary.domain.errors import InvalidInputError

_NO_INSTANT = "is not an RFC 3339 instant"
# Python alone also takes any separator, a NUL at the end, and week dates.
_RFC_3339 = re.compile(
    r"\d{4}-\d\d-\d\d([Tt ]\d\d:\d\d(:\d\d(\.\d+)?)?([Zz]|[+-]\d\d:\d\d)?)?", re.ASCII
)


def parse_instant(text: str, field: str) -> datetime:
    """An RFC 3339 instant, with or without seconds, as an aware datetime in UTC.

    A bare date or a time without an offset is refused (InvalidInputError): guessing either
    would silently answer for another day.
    """
    if not _RFC_3339.fullmatch(text):
        raise InvalidInputError(field, _NO_INSTANT)
    try:
        instant = datetime.fromisoformat(text.upper())
    except ValueError:
        raise InvalidInputError(field, _NO_INSTANT) from None
    return require_offset(instant, field)


def require_offset(instant: datetime, field: str) -> datetime:
    """The instant in UTC; InvalidInputError when it is none, or has no offset."""
    if not isinstance(instant, datetime):
        raise InvalidInputError(field, "must be an instant with an offset")
    if instant.utcoffset() is None:
        raise InvalidInputError(
            field, "needs a time and an offset, such as 2026-07-10T15:42:00Z or +05:30"
        )
    try:
        return instant.astimezone(UTC).replace(fold=0)  # UTC never turns its clocks back
    except OverflowError:
        raise InvalidInputError(field, "is out of range") from None


@dataclass(frozen=True, slots=True)
class Validity:
    """When a lesson is true: `[start, end)` in UTC, either side open when None."""

    start: datetime | None = None
    end: datetime | None = None

    def __post_init__(self) -> None:
        # Equal instants look the same afterwards, whatever offset or type they came with.
        for side, field in (("start", "valid_from"), ("end", "valid_to")):
            instant = getattr(self, side)
            if instant is not None:
                object.__setattr__(self, side, require_offset(instant, field))
        if self.start and self.end and self.end <= self.start:
            raise InvalidInputError("valid_to", "must be later than valid_from")

    def overlaps(self, other: "Validity") -> bool:
        """True when some instant lies in both intervals."""
        return not (_ends_before(self, other) or _ends_before(other, self))

    def covers(self, other: "Validity") -> bool:
        """True when every instant of the other lies in this interval."""
        starts = self.start is None or (other.start is not None and self.start <= other.start)
        ends = self.end is None or (other.end is not None and other.end <= self.end)
        return starts and ends

    def holds_at(self, instant: datetime) -> bool:
        """True when the instant lies in this interval."""
        begun = self.start is None or self.start <= instant
        return begun and (self.end is None or instant < self.end)

    def from_now_on(self, now: datetime) -> "Validity":
        """What is left of the interval at `now`: the past is not ahead any more."""
        if self.start is None or self.start >= now or (self.end and self.end <= now):
            return self
        return Validity(None, self.end)


def _ends_before(first: Validity, second: Validity) -> bool:
    return first.end is not None and second.start is not None and first.end <= second.start


ALWAYS = Validity()
