"""Warnings are told at the lines at which they are told without the probe."""

from __future__ import annotations

import re

import pytest

from tests.probe.run.running import Runner, line_of, only
from trainlint.symptoms import Symptom

SCRIPT = "warns_of_callers"


def test_a_warning_of_the_caller_names_the_callers_line(runner: Runner, capfd: pytest.CaptureFixture[str]) -> None:
    run = only(runner.run(SCRIPT))
    told = re.findall(rf"{SCRIPT}\.py:(\d+): UserWarning: of the caller of the (\w+)", capfd.readouterr().err)
    meant = {
        ("model", "# model"),
        ("copy", "# first copy"),
        ("copy", "# second copy"),  # the same words, shown for each line as without the probe
        ("collection", "# collection"),
    }
    assert sorted(told) == sorted((str(line_of(SCRIPT, mark)), what) for what, mark in meant)
    seen = {item.at.line for item in run.seen if item.symptom is Symptom.WARNING}
    assert seen == {line_of(SCRIPT, mark) for _, mark in meant}
