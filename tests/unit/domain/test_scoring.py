"""The forgetting curve."""

from datetime import timedelta
from math import exp

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tributary.domain.scoring import DAY, Forgetting, lifetime, retention

strengths = st.floats(0.1, 3_650)
spans = st.timedeltas(timedelta(0), timedelta(days=36_500))


@pytest.mark.parametrize("strength", [1.0, 30.0, 3_650.0])
def test_what_was_just_used_is_remembered_whole(strength: float) -> None:
    assert retention(strength, timedelta(0)) == 1.0


def test_after_its_strength_in_days_a_lesson_is_at_one_over_e() -> None:
    assert retention(30.0, 30 * DAY) == pytest.approx(exp(-1))


def test_a_use_in_the_future_counts_as_now() -> None:
    assert retention(30.0, -DAY) == 1.0


@given(strengths, spans, spans)
def test_retention_only_falls_with_time(strength: float, one: timedelta, other: timedelta) -> None:
    sooner, later = sorted((one, other))
    assert 0.0 <= retention(strength, later) <= retention(strength, sooner) <= 1.0


@given(strengths, strengths, spans)
def test_a_stronger_lesson_is_never_remembered_worse(
    one: float, other: float, unused: timedelta
) -> None:
    weak, strong = sorted((one, other))
    assert retention(weak, unused) <= retention(strong, unused)


@given(strengths, st.floats(0.01, 0.99))
def test_a_lifetime_ends_exactly_at_the_floor(strength: float, floor: float) -> None:
    whole = lifetime(strength, Forgetting(floor=floor))
    assert retention(strength, whole) == pytest.approx(floor, rel=1e-6)
    assert retention(strength, whole * 0.99) > floor


def test_a_fresh_lesson_that_nobody_uses_lives_for_about_three_months() -> None:
    rules = Forgetting()
    assert lifetime(rules.initial_strength, rules) == pytest.approx(
        timedelta(days=89.87), abs=timedelta(days=0.01)
    )


def test_lifetime_is_in_proportion_to_strength() -> None:
    rules = Forgetting()
    assert lifetime(60.0, rules) == pytest.approx(2 * lifetime(30.0, rules), abs=timedelta(0, 0, 5))
