"""Instants with offsets, and intervals of them."""

from datetime import UTC, date, datetime, timedelta, timezone, tzinfo
from typing import Any

import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from tributary.domain.errors import InvalidInputError
from tributary.domain.validity import ALWAYS, Validity, parse_instant, require_offset

NOON = datetime(2026, 7, 10, 12, tzinfo=UTC)
INDIA = timezone(timedelta(hours=5, minutes=30))


@pytest.mark.parametrize(
    ("text", "instant"),
    [
        ("2026-07-10T15:42Z", datetime(2026, 7, 10, 15, 42, tzinfo=UTC)),
        ("2026-07-10T15:42:00Z", datetime(2026, 7, 10, 15, 42, tzinfo=UTC)),
        ("2026-07-10T15:42:00.25Z", datetime(2026, 7, 10, 15, 42, 0, 250_000, tzinfo=UTC)),
        ("2026-07-10T15:42+05:30", datetime(2026, 7, 10, 10, 12, tzinfo=UTC)),
        ("2026-07-10T23:42:00-05:00", datetime(2026, 7, 11, 4, 42, tzinfo=UTC)),
        ("2026-07-10 15:42:00+00:00", datetime(2026, 7, 10, 15, 42, tzinfo=UTC)),
        ("2026-07-10t15:42:00.123456789z", datetime(2026, 7, 10, 15, 42, 0, 123_456, tzinfo=UTC)),
    ],
)
def test_an_offset_is_honoured(text: str, instant: datetime) -> None:
    parsed = parse_instant(text, "as_of")
    assert parsed == instant
    assert parsed.tzinfo is UTC


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        ("2026-07-10T15:42", "needs a time and an offset"),
        ("2026-07-10", "needs a time and an offset"),
        ("2026-07-10T15:42:00.5", "needs a time and an offset"),
        ("20260710", "is not an RFC 3339 instant"),
        ("2026-W28-5T15:42Z", "is not an RFC 3339 instant"),
        ("2026-07-10?15:42Z", "is not an RFC 3339 instant"),
        ("2026-07-10\ud80015:42Z", "is not an RFC 3339 instant"),
        ("\u0662026-07-10T15:42Z", "is not an RFC 3339 instant"),
        ("2026-07-10T15:42Z\n", "is not an RFC 3339 instant"),
        ("", "is not an RFC 3339 instant"),
        (" ", "is not an RFC 3339 instant"),
        ("now", "is not an RFC 3339 instant"),
        ("yesterday", "is not an RFC 3339 instant"),
        ("infinity", "is not an RFC 3339 instant"),
        ("1783698120", "is not an RFC 3339 instant"),
        ("2026-02-30T00:00Z", "is not an RFC 3339 instant"),
        ("2026-07-10T15:42:60Z", "is not an RFC 3339 instant"),
        ("2026-07-10T15:42+25:00", "is not an RFC 3339 instant"),
        ("10000-01-01T00:00Z", "is not an RFC 3339 instant"),
        ("2026-07-10T15:42Z\0", "is not an RFC 3339 instant"),
        ("\ud800", "is not an RFC 3339 instant"),
        ("0001-01-01T00:00+05:30", "is out of range"),
        ("9999-12-31T23:59:59-05:00", "is out of range"),
    ],
    ids=ascii,
)
def test_anything_else_is_refused_by_name(text: str, reason: str) -> None:
    with pytest.raises(InvalidInputError) as caught:
        parse_instant(text, "as_of")
    assert caught.value.field == "as_of"
    assert caught.value.reason.startswith(reason)


class NoOffset(tzinfo):
    """A time zone that does not know."""

    def utcoffset(self, dt: datetime | None) -> None:
        return None


@pytest.mark.parametrize(
    "given_",
    [
        datetime(2026, 7, 10, 12),  # noqa: DTZ001
        NOON.replace(tzinfo=NoOffset()),
        date(2026, 7, 10),
        "2026-07-10T15:42Z",
        0,
        True,
    ],
    ids=lambda value: type(value).__name__,
)
def test_the_library_refuses_what_is_no_instant(given_: Any) -> None:
    with pytest.raises(InvalidInputError) as caught:
        require_offset(given_, "as_of")
    assert caught.value.field == "as_of"


def test_equal_instants_are_kept_alike_whatever_their_offset() -> None:
    here = Validity(NOON, NOON + timedelta(hours=1))
    there = Validity(NOON.astimezone(INDIA), (NOON + timedelta(hours=1)).astimezone(INDIA))
    assert repr(here) == repr(there)
    assert repr(Validity(NOON.replace(fold=1))) == repr(Validity(NOON))


@pytest.mark.parametrize("side", ["start", "end"])
def test_an_interval_needs_offsets(side: str) -> None:
    with pytest.raises(InvalidInputError) as caught:
        Validity(**{side: datetime(2026, 7, 10)})  # noqa: DTZ001
    assert caught.value.field == {"start": "valid_from", "end": "valid_to"}[side]


@pytest.mark.parametrize("length", [timedelta(0), timedelta(microseconds=-1)])
def test_an_interval_that_holds_no_instant_is_refused(length: timedelta) -> None:
    with pytest.raises(InvalidInputError) as caught:
        Validity(NOON, NOON + length)
    assert str(caught.value) == "valid_to: must be later than valid_from"


hours = st.none() | st.integers(0, 6)


@st.composite
def intervals(draw: st.DrawFn) -> Validity:
    start, end = draw(hours), draw(hours)
    assume(start is None or end is None or start < end)
    return Validity(_at(start), _at(end))


def _at(hour: int | None) -> datetime | None:
    return None if hour is None else NOON + timedelta(hours=hour)


def _holds(interval: Validity, instant: datetime) -> bool:
    after = interval.start is None or interval.start <= instant
    return after and (interval.end is None or instant < interval.end)


@given(intervals(), intervals())
def test_intervals_overlap_when_some_instant_lies_in_both(one: Validity, other: Validity) -> None:
    # Every boundary is a whole hour from 0 to 6, so these instants stand for all others.
    instants = [NOON + timedelta(minutes=30) * half for half in range(-1, 14)]
    shared = any(_holds(one, instant) and _holds(other, instant) for instant in instants)
    assert one.overlaps(other) is shared
    assert other.overlaps(one) is shared


@given(intervals())
def test_an_interval_overlaps_itself_and_always(interval: Validity) -> None:
    assert interval.overlaps(interval)
    assert ALWAYS.overlaps(interval)


def test_what_ends_when_the_other_begins_does_not_overlap() -> None:
    later = NOON + timedelta(hours=1)
    assert not Validity(None, later).overlaps(Validity(later))
    assert Validity(None, later).overlaps(Validity(later - timedelta(microseconds=1)))
