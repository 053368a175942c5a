"""Tests of a counter's remainder, however it is written."""

from __future__ import annotations

import pytest

from tests.analysis.conditions.reading import condition, otherwise
from trainlint.analysis.conditions.condition import ConditionKind


@pytest.mark.parametrize(
    ("test", "steps"),
    [
        ("step % 100 == 0", 100),
        ("not step % 100", 100),
        ("(step + 1) % 100 == 0", 100),
        ("0 == step % 100", 100),
        ("(rest := step % 100) == 0", 100),
        ("(step & 63) == 0", 64),
        ("not step & 63", 64),
        ("step & (args.every - 1) == 0", None),
        ("step.is_multiple_of(100)", 100),
        ("is_multiple_of(step, 100)", 100),
        ("divmod(step, 100)[1] == 0", 100),
        ("math.fmod(step, 100) == 0", 100),
        ("step % args.every == 0", None),
        ("step % EVERY == 0", 500),
    ],
)
def test_most_steps_are_skipped(test: str, steps: int | None) -> None:
    found = condition(test, top="EVERY = 500")
    assert (found.kind, found.rare, found.steps) == (ConditionKind.INTERVAL, True, steps)


@pytest.mark.parametrize(
    "test", ["step % 2 == 0", "step & 1 == 0", "step % args.accumulation_steps == 0", "step % 100"]
)
def test_many_steps_are_left(test: str) -> None:
    found = condition(test)
    assert (found.kind, found.rare, found.is_unknown) == (ConditionKind.INTERVAL, False, False)


@pytest.mark.parametrize("test", ["'%d' % step == text", "flags & 63 == 0", "x & 62 == 0"])
def test_other_arithmetic(test: str) -> None:
    assert condition(test).kind is ConditionKind.UNKNOWN


def test_the_other_branch_runs_in_all_other_steps() -> None:
    assert not otherwise("step % 100 == 0").rare
    assert otherwise("step % 100").rare


def test_names_of_divmod() -> None:
    assert condition("rest == 0", before="count, rest = divmod(step, 100)").steps == 100
    assert condition("count == 0", before="count, rest = divmod(step, 100)").steps is None
