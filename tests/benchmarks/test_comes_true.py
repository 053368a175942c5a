"""What the benchmark of planted defects does with its figures. What it is there to measure needs a quiet machine."""

import pytest

from benchmarks.comes_true.__main__ import PLANTED, SCRIPTS, Row, prediction, promised, report
from benchmarks.ratio import Estimate
from trainlint.catalogue import installed_rules
from trainlint.evidence.interval import Interval


def row(predicted: Interval | None, *, speed: float = 0.8, state: str = "confirmed") -> Row:
    """A defect of a script with steps of 10 ms, and what a step takes without it, as a multiple."""
    return Row("table", "collects", "TRN302", state, predicted, 10.0, Estimate(speed, speed - 0.05, speed + 0.05))


@pytest.mark.parametrize(
    ("predicted", "came_true"),
    [(Interval(0.15, 0.25), True), (Interval(0.0, 0.15), False), (Interval(0.25, 0.6), False), (None, None)],
)
def test_a_prediction_comes_true_where_the_measured_gain_lies_in_it(
    predicted: Interval | None, came_true: bool | None
) -> None:
    assert row(predicted).came_true is came_true


def test_only_what_is_confirmed_and_surely_slower_without_has_misled() -> None:
    assert row(None, speed=1.2).misled
    assert not row(None, speed=1.02).misled  # it may be chance
    assert not row(None, speed=1.2, state="inconclusive").misled


def verdict(code: str, low: float | None, *, state: str = "confirmed") -> dict[str, object]:
    cost = None if low is None else {"low": low, "high": 2 * low}
    return {"code": code, "state": state, "cost": cost, "share": cost, "at": {"path": "a.py", "line": 3}}


def test_the_first_verdict_with_a_price_predicts() -> None:
    runs = [{"steps": [{"ms": 3.0}, {"ms": 5.0}]}]
    document = {"verdicts": [verdict("TRNP306", 1.0), verdict("TRN302", None)], "runs": runs}
    assert prediction(document, ("TRN302", "TRNP306")) == ("TRNP306", "confirmed", Interval(0.25, 0.5))
    assert prediction(document, ("TRN302",)) == ("TRN302", "confirmed", None)
    assert prediction({"verdicts": [], "runs": runs}, ("TRN302",)) == ("", "", None)


def test_a_script_without_defects_is_promised_what_is_confirmed_above_two_percent() -> None:
    found = [verdict("TRN302", 0.03), verdict("TRN303", 0.01), verdict("TRN101", 0.5, state="inconclusive")]
    assert promised({"verdicts": found}) == ["TRN302 at a.py:3"]


def test_the_table_says_what_came_true_and_what_failed() -> None:
    rows = [row(Interval(0.15, 0.25)), row(Interval(0.5, 0.6))]
    clean = {"table": [], "graph": ["TRN302 at a.py:3"]}
    text = report(rows, clean, ["vision disk: timed out"], "6 pairs; load 3.0 to 4.0")
    assert "| table | collects | TRN302 confirmed | 10 | 15.0% to 25.0% | 20.0% (15.0% to 25.0%) | yes |" in text
    assert "1 of 2 predictions came true; 0 confirmed defects made steps faster." in text
    assert "Without defects, 1 of 2 scripts were promised nothing." in text
    assert text.endswith("- graph: TRN302 at a.py:3\n- vision disk: timed out")


def test_there_are_fifteen_defects_on_eight_scripts_and_the_rules_are_installed() -> None:
    codes = {rule.code for rule in installed_rules()}
    assert len(PLANTED) >= 8
    assert sum(map(len, PLANTED.values())) >= 15
    assert {code for defects in PLANTED.values() for _, priced in defects.values() for code in priced} <= codes


@pytest.mark.parametrize("script", PLANTED)
def test_each_script_knows_its_defects(script: str) -> None:
    text = (SCRIPTS / f"{script}.py").read_text(encoding="utf-8")
    assert all(f'"{defect}' in text for defect in PLANTED[script])
