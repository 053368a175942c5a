"""Tests that hold at powers of a number."""

from __future__ import annotations

import pytest

from tests.analysis.conditions.reading import condition, otherwise
from trainlint.analysis.conditions.condition import ConditionKind

TESTS = [
    "step.bit_count() == 1",
    'bin(step).count("1") == 1',
    "math.log2(step).is_integer()",
    "math.log10(step).is_integer()",
    "is_power_of_two(step)",
]


@pytest.mark.parametrize("test", TESTS)
def test_most_steps_are_skipped(test: str) -> None:
    found = condition(test)
    assert (found.kind, found.rare, found.is_unknown) == (ConditionKind.INTERVAL, True, False)
    assert not otherwise(test).rare


@pytest.mark.parametrize("test", ["step.bit_count() != 1", "not math.log2(step).is_integer()"])
def test_the_contrary_holds_in_most_steps(test: str) -> None:
    found = condition(test)
    assert (found.kind, found.rare) == (ConditionKind.INTERVAL, False)


@pytest.mark.parametrize(
    "test",
    [
        "size.bit_count() == 1",
        "loss.is_integer()",
        "step.bit_count() == 3",
        'bin(step).count("0") == 1',
        "bin(step).count(1) == 1",
        "bin(step).count() == 1",
        'bin(step).count("1", 3) == 1',
    ],
)
def test_other_tests_are_not_taken_for_it(test: str) -> None:
    assert condition(test).kind is not ConditionKind.INTERVAL
