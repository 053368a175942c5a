"""Switches for watching a run, the environment included."""

from __future__ import annotations

import pytest

from tests.analysis.conditions.reading import condition
from trainlint.analysis.conditions.condition import ConditionKind


@pytest.mark.parametrize(
    "test",
    [
        "args.debug",
        "draw",
        'config["verbose"]',
        'config.get("profile", False)',
        "logger.isEnabledFor(10)",
        'os.environ.get("DEBUG") == "1"',
    ],
)
def test_watching(test: str) -> None:
    found = condition(test)
    assert (found.kind, found.rare) == (ConditionKind.OPTION, True)


@pytest.mark.parametrize("test", ["not args.debug", 'config.get("profile", True)', 'os.environ.get("RANK") == "0"'])
def test_what_most_runs_do(test: str) -> None:
    assert not condition(test).rare
