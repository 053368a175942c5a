"""Numbers as people read them."""

from __future__ import annotations

import re
from math import inf

import pytest
from hypothesis import given
from hypothesis import strategies as st

from trainlint.evidence.interval import Interval
from trainlint_probe.wording.units import duration, part, size, span, unit_of


@pytest.mark.parametrize(
    ("ms", "text"),
    [
        (0.0, "0 ms"),
        (0.00004, "0.04 µs"),
        (0.0034, "3.4 µs"),
        (0.84, "840 µs"),
        (0.9996, "1 ms"),
        (1.8, "1.8 ms"),
        (12.34, "12.3 ms"),
        (305.4, "305 ms"),
        (999.6, "1 s"),
        (2351.0, "2.35 s"),
        (1_234_000.0, "1234 s"),
        (-0.02, "-20 µs"),
    ],
)
def test_a_time_has_the_unit_in_which_it_is_short(ms: float, text: str) -> None:
    assert duration(ms) == text


def test_two_times_that_are_compared_have_one_unit() -> None:
    assert part(0.3, 1.8) == "0.3 of 1.8 ms"
    assert part(0.0421, 0.31) == "42 of 310 µs"


@pytest.mark.parametrize(
    ("between", "text"),
    [
        (Interval(2.29, 2.31), "2.29 to 2.31 ms"),
        (Interval(0.0, 0.23), "0 to 230 µs"),
        (Interval(0.0, 305.2), "0 to 305 ms"),
        (Interval(1.0, 1.0001), "1 ms"),
        (Interval(0.4, inf), "400 µs or more"),
        (Interval(-inf, 3.0), "3 ms at most"),
    ],
)
def test_an_interval_names_its_unit_once(between: Interval, text: str) -> None:
    assert span(between) == text


@pytest.mark.parametrize(
    ("number", "text"), [(12, "12 bytes"), (7400, "7.4 kB"), (106_123_456, "106 MB"), (1_250_000_000, "1.25 GB")]
)
def test_a_size_has_three_digits_and_its_unit(number: int, text: str) -> None:
    assert size(number) == text


def test_a_table_has_the_unit_of_its_largest() -> None:
    assert unit_of(54.6) == (1.0, "ms")
    assert unit_of(0.31) == (1e-3, "µs")


@given(st.floats(min_value=1e-3, max_value=1e9))
def test_what_is_told_is_the_time_but_for_rounding(ms: float) -> None:
    number, unit = duration(ms).split()
    assert re.fullmatch(r"\d+(\.\d+)?", number)
    assert float(number) * {"s": 1e3, "ms": 1.0, "µs": 1e-3}[unit] == pytest.approx(ms, rel=0.006)
