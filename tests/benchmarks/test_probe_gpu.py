"""What the benchmark of the probe's predictions does with its figures. The toys themselves need a GPU."""

import ast
import subprocess
import sys

import pytest

from benchmarks.probe_gpu.__main__ import _TOYS, SHOWN_BY, Row, price, table
from trainlint.catalogue import installed_rules
from trainlint.evidence import Interval
from trainlint_probe.verify.bootstrap import Estimate


def row(predicted: Interval | None, *, low: float, high: float) -> Row:
    """A toy of 10 ms a step, and what a step takes without its defect, as a multiple."""
    return Row("sync", "TRN201", predicted, 10.0, Estimate((low + high) / 2, low, high))


@pytest.mark.parametrize(
    ("predicted", "came_true"),
    [
        (Interval(1.0, 3.0), True),  # measured: 2 to 4 ms
        (Interval(0.0, 1.5), False),
        (Interval(4.5, 6.0), False),
        (None, None),
    ],
)
def test_a_prediction_comes_true_where_its_interval_meets_the_measured_one(
    predicted: Interval | None, came_true: bool | None
) -> None:
    assert row(predicted, low=0.6, high=0.8).came_true is came_true


def test_the_table_shows_both_intervals() -> None:
    text = table([row(Interval(1.0, 3.0), low=0.5, high=0.75)], "a device")
    assert "| sync | TRN201 | 10.00 | 1.00 to 3.00 | 2.50 to 5.00 | yes |" in text


def test_the_first_code_with_a_price_counts() -> None:
    verdicts = [
        {"code": "TRNP201", "cost": {"low": 1.0, "high": 2.0}},
        {"code": "TRN201", "cost": None},
    ]
    assert price({"verdicts": verdicts}, ("TRN201", "TRNP201")) == ("TRNP201", Interval(1.0, 2.0))
    assert price({"verdicts": []}, ("TRN201",)) == ("", None)


def test_each_toy_has_verdicts_that_exist() -> None:
    known = {rule.code for rule in installed_rules()}
    assert {path.stem for path in _TOYS.glob("*.py")} == SHOWN_BY.keys()
    assert all(set(codes) <= known for codes in SHOWN_BY.values())


@pytest.mark.parametrize("toy", sorted(SHOWN_BY))
def test_each_toy_takes_its_defect_from_the_command_line(toy: str) -> None:
    text = (_TOYS / f"{toy}.py").read_text(encoding="utf-8")
    ast.parse(text)
    assert 'defect = sys.argv[1] == "defect"' in text


@pytest.mark.slow
def test_without_a_gpu_it_says_so() -> None:
    import torch

    if torch.cuda.is_available():
        pytest.skip("this machine has a GPU: `make probe-gpu` is the test")
    ran = subprocess.run([sys.executable, "-m", "benchmarks.probe_gpu"], capture_output=True, text=True, check=False)
    assert ran.returncode == 1
    assert "no GPU" in ran.stderr
