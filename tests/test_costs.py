"""Which of two findings is dearer."""

from __future__ import annotations

from dataclasses import replace
from itertools import pairwise
from typing import TYPE_CHECKING

import pytest

from tests.report.toys import ITEM
from trainlint.catalogue import installed_rules
from trainlint.costs import KINDS, SET_FOR_EACH_STEP, dearness
from trainlint.evidence.interval import Interval
from trainlint.evidence.places import Line
from trainlint.evidence.verdicts import State, Verdict
from trainlint.finding import Confidence, Heat, Severity

if TYPE_CHECKING:
    from trainlint.finding import Finding


def found(code: str, heat: Heat = Heat.STEP, **changes: object) -> Finding:
    return replace(ITEM, code=code, heat=heat, **changes)  # type: ignore[arg-type]  # names of fields


DEAREST_FIRST = {
    "what computes something wrong": found("TRN605", Heat.ONCE, severity=Severity.ERROR),
    "what slows whole steps": found("TRN401", Heat.ONCE),
    "a loader without workers": found("TRN101", Heat.ONCE),
    "a read many times a step": found("TRN201", Heat.INNER),
    "a read in each step": found("TRN201"),
    "a read that is not certain": found("TRN201", confidence=Confidence.LIKELY),
    "a copy in each step": found("TRN205"),
    "a rule of another pack": found("ACME001"),
    "a read in each evaluation step": found("TRN201", Heat.EVAL_STEP),
    "a read once an epoch": found("TRN201", Heat.EPOCH),
    "an old name in each step": found("TRN801"),
}


@pytest.mark.parametrize(("dear", "cheap"), pairwise(DEAREST_FIRST))
def test_the_rule_and_how_often_the_line_runs_decide(dear: str, cheap: str) -> None:
    assert dearness(DEAREST_FIRST[dear]) < dearness(DEAREST_FIRST[cheap])


def verdict(state: State, cost: Interval | None = None) -> Verdict:
    return Verdict(ITEM.code, ITEM.name, Line(ITEM.path, 9), state, "", cost)


def test_what_a_run_measured_goes_before_all_else() -> None:
    dear, cheap = (verdict(State.CONFIRMED, Interval(low, low + 1)) for low in (30.0, 3.0))
    old = found("TRN801")
    assert dearness(old, dear) < dearness(old, cheap) < dearness(found("TRN605"))
    assert dearness(found("TRN605"), verdict(State.REFUTED)) > dearness(old)
    assert dearness(ITEM, verdict(State.UNMEASURED)) == dearness(ITEM)


def test_the_table_names_rules_that_there_are() -> None:
    codes = {rule.code for rule in installed_rules((), ())}
    assert not {code for code in KINDS if len(code) > 4} - codes
    assert not SET_FOR_EACH_STEP - codes
    assert not {code[:4] for code in codes if not code.startswith("TRNP")} - KINDS.keys() - {"TRN9"}
