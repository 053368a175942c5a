"""What the benchmark of the probe's predictions does with its figures, and a rehearsal of it. What it is there to
measure needs a GPU.
"""

import ast
import json
import subprocess
import sys
import time
from pathlib import Path

import pytest

from benchmarks.probe_gpu.__main__ import _TOYS, SHOWN_BY, Row, Settings, pairs_in, price, run, table
from benchmarks.ratio import Estimate
from trainlint.catalogue import installed_rules
from trainlint.evidence.interval import Interval
from trainlint_probe.storage import read_run
from trainlint_probe.traces.reading import read_trace


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


@pytest.mark.parametrize(("seconds", "pairs"), [(1000.0, 5), (64.0, 4), (10.0, 3), (-5.0, 3)])
def test_toys_are_compared_by_as_many_runs_as_there_is_time_for(seconds: float, pairs: int) -> None:
    assert pairs_in(seconds, run=8.0, asked=5) == pairs


def test_the_table_tells_which_toys_failed() -> None:
    text = table([row(None, low=0.5, high=0.75)], "a device", {"churn": "defect: RuntimeError: out of memory"})
    assert text.endswith("\n- churn was not measured: defect: RuntimeError: out of memory")


@pytest.mark.slow
def test_a_toy_that_fails_leaves_the_others_alone(tmp_path: Path) -> None:
    toys = {tmp_path / "broken.py": "no such kernel", tmp_path / "other.py": "out of memory"}
    for path, fault in toys.items():
        path.write_text(f"import torch\nraise RuntimeError({fault!r})\n", encoding="utf-8")
    settings = Settings(on_gpu=False, pairs=2, ends=time.monotonic() + 300)
    rows, failures = run(dict.fromkeys(toys, ()), settings, "a CPU")
    assert rows == []
    assert all(fault in failures[path.stem] for path, fault in toys.items())


def test_when_the_time_is_up_no_toy_is_begun() -> None:
    settings = Settings(on_gpu=False, pairs=2, ends=time.monotonic() - 1)
    assert run({_TOYS / "sync.py": ()}, settings, "a CPU") == ([], {"sync": "the time was up"})


@pytest.mark.nightly
@pytest.mark.slow
def test_a_rehearsal_on_the_cpu_keeps_all_that_a_gpu_would_leave(tmp_path: Path) -> None:
    command = [sys.executable, "-m", "benchmarks.probe_gpu", "--device", "cpu", "--toys", "churn", "--pairs", "2"]
    ran = subprocess.run([*command, "--output", str(tmp_path)], capture_output=True, text=True, check=False)
    assert ran.returncode == 0, ran.stderr
    assert "| churn |" in ran.stdout
    assert (tmp_path / "table.md").read_text(encoding="utf-8") == ran.stdout
    assert json.loads((tmp_path / "churn.report.json").read_text(encoding="utf-8"))["runs"]
    assert read_run(tmp_path / "churn.evidence.json").steps
    trace = tmp_path / "churn.trace.json.gz"
    assert len(read_trace(trace).steps_ms) == 2  # the first of three is dropped
    assert trace.stat().st_size < 1_000_000


def test_a_rehearsal_writes_no_page() -> None:
    command = [sys.executable, "-m", "benchmarks.probe_gpu", "--device", "cpu", "--page", "docs/probe.md"]
    ran = subprocess.run(command, capture_output=True, text=True, check=False)
    assert ran.returncode == 2
    assert "has no figures for a page" in ran.stderr


@pytest.mark.slow
def test_without_a_gpu_it_says_so() -> None:
    import torch

    if torch.cuda.is_available():
        pytest.skip("this machine has a GPU: `make probe-gpu-toys` is the test")
    ran = subprocess.run([sys.executable, "-m", "benchmarks.probe_gpu"], capture_output=True, text=True, check=False)
    assert ran.returncode == 1
    assert "no GPU" in ran.stderr
