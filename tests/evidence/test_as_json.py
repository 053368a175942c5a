"""Evidence is written as JSON and comes back as it went, for whoever reads it."""

from __future__ import annotations

import json
from dataclasses import replace
from math import inf
from typing import Any

import pytest
from hypothesis import given, settings

from tests.probe.any_run import anything, runs
from trainlint.evidence.as_json import Damaged, from_json, to_json
from trainlint.evidence.interval import Interval
from trainlint.evidence.places import Line
from trainlint.evidence.run import Run
from trainlint.evidence.verdicts import Reference, State, Verdict

VERDICT = Verdict("TRN101", "loader-without-workers", Line("train.py", 3), State.CONFIRMED, "it waits")


def through_text(value: object) -> Any:
    """A value as it stands in a file: `allow_nan=False` refuses what is no JSON."""
    return json.loads(json.dumps(to_json(value), allow_nan=False))


@settings(max_examples=60, deadline=None)
@given(runs())
def test_any_run_comes_back_as_it_went(run: Run) -> None:
    assert from_json(through_text(run), Run) == run


@settings(max_examples=100, deadline=None)
@given(anything(Verdict))
def test_any_verdict_comes_back_as_it_went(verdict: Verdict) -> None:
    assert from_json(through_text(verdict), Verdict) == verdict
    assert from_json(through_text(verdict), Verdict, newer=True) == verdict


@pytest.mark.parametrize(
    ("interval", "written"),
    [
        (Interval(1.0, inf), {"low": 1.0, "high": None}),
        (Interval(-inf, 2.0), {"low": None, "high": 2.0}),
        (Interval(-inf, inf), {"low": None, "high": None}),
    ],
)
def test_null_is_a_bound_that_there_is_not(interval: Interval, written: dict[str, float | None]) -> None:
    assert through_text(interval) == written
    assert from_json(written, Interval) == interval


def test_null_is_no_other_number() -> None:
    with pytest.raises(Damaged, match=r"^per_step should be"):
        from_json({**to_json(VERDICT), "per_step": "often"}, Verdict)
    with pytest.raises(Damaged, match=r"^steps\[0\].ms should be a number, and is null\.$"):
        from_json({"command": [], "environment": {"facts": {}}, "outcome": "", "steps": [{"ms": None}]}, Run)


def test_a_key_that_is_missing_has_its_default_or_is_asked_for() -> None:
    written = to_json(VERDICT)
    del written["cost"], written["same_as"]
    assert from_json(written, Verdict) == VERDICT
    del written["at"]["line"]
    with pytest.raises(Damaged, match=r"^at\.line is missing\.$"):
        from_json(written, Verdict)


def test_a_later_version_may_say_more_and_a_process_of_our_own_may_not() -> None:
    written = to_json(VERDICT) | {"mood": "sad", "at": {"path": "train.py", "line": 3, "column": 7}}
    assert from_json(written, Verdict, newer=True) == VERDICT
    with pytest.raises(Damaged, match=r"^Verdict has 'mood', which is not known\.$"):
        from_json(written, Verdict)
    del written["mood"]
    with pytest.raises(Damaged, match=r"^at has 'column', which is not known\.$"):
        from_json(written, Verdict)


def test_what_a_verdict_refers_to_comes_along() -> None:
    related = replace(VERDICT, code="TRNP101", new=True, same_as=Reference("TRN101", VERDICT.at))
    assert through_text(related)["same_as"] == {"code": "TRN101", "at": {"path": "train.py", "line": 3}}
    assert from_json(through_text(related), Verdict) == related
