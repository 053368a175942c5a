"""A script under `trainlint probe` on a simulated GPU, and what is said of it."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from trainlint.cli import main

pytestmark = pytest.mark.slow

TRAIN = """
import torch
from torch import nn

model = nn.Linear(4, 2).to("cuda")
optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
data = [(torch.randn(rows, 4), torch.randint(2, (rows,))) for rows in [9] * 3 + [3] * 37]


def smooth(loss):
    return loss.item() if torch.isfinite(loss) else 0.0


for step, (inputs, targets) in enumerate(data):
    inputs = inputs.to("cuda")
    targets = targets.to("cuda")
    loss = nn.functional.cross_entropy(model(inputs), targets)
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
    smooth(loss)
    if step % 10 == 9:
        print(step, loss.item())
"""


@pytest.fixture
def project(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    (tmp_path / "train.py").write_text(TRAIN)
    monkeypatch.chdir(tmp_path)
    return tmp_path


def line_of(text: str) -> int:
    return next(number for number, line in enumerate(TRAIN.splitlines(), 1) if text in line)


def test_waits_and_copies_are_counted_by_line(project: Path, capfd: pytest.CaptureFixture[str]) -> None:
    assert (
        main(["probe", "--device", "simulated:a100-80gb", "--output-format", "json", "-o", "e.json", "train.py"]) == 1
    )
    document = json.loads((project / "e.json").read_text())

    (run,) = document["runs"]
    simulated = run["simulated"]
    assert simulated["gpu"] == "NVIDIA A100-SXM4-80GB"
    assert len(run["steps"]) == 20
    found = {
        (event["line"], event["what"]): (event["kind"], event["count"], event["steps"], event["bytes"])
        for event in simulated["events"]
    }
    assert found == {
        (line_of("inputs.to("), "Tensor.to"): ("copy", 20, 20, 20 * 3 * 4 * 4),
        (line_of("targets.to("), "Tensor.to"): ("copy", 20, 20, 20 * 3 * 8),
        (line_of("return loss.item()"), "Tensor.__bool__"): ("wait", 20, 20, 0),
        (line_of("return loss.item()"), "Tensor.item"): ("wait", 20, 20, 0),
        (line_of("print("), "Tensor.item"): ("wait", 2, 2, 0),
    }
    confirmed = {(item["at"]["line"], item["state"]) for item in document["verdicts"] if not item["new"]}
    assert (line_of("return loss.item()"), "confirmed") in confirmed


def test_a_wait_inside_of_pytorch_is_told_at_its_own_line(project: Path, capfd: pytest.CaptureFixture[str]) -> None:
    clipping = "nn.utils.clip_grad_norm_(model.parameters(), 1.0, error_if_nonfinite=True)"
    (project / "train.py").write_text(TRAIN.replace("optimizer.step()", f"{clipping}; optimizer.step()"))

    assert main(["probe", "--device", "simulated", "--steps", "5", "train.py"]) == 1
    said = " ".join(capfd.readouterr().out.split())
    assert f"train.py:{line_of('optimizer.step()')} TRNP201 host-sync 1 wait a step" in said
    assert "(Tensor.__bool__ in torch/nn/utils/clip_grad.py:" in said


def test_a_budget_counts_exactly_without_a_gpu(project: Path, capfd: pytest.CaptureFixture[str]) -> None:
    words = ["probe", "--device", "simulated", "--steps", "10", "--output-format", "json", "-o", "e.json"]
    assert main([*words, "--limit", "syncs=4", "--limit", "recompiles=0", "train.py"]) == 1
    spent, again = json.loads((project / "e.json").read_text())["budgets"][0]["uses"]
    assert "simulated" in again["not_counted"], "what is not counted is not taken for zero"
    assert spent["used"] == pytest.approx(4.1)  # two copies and two reads a step, and a read each tenth


def test_graph_breaks_are_told_and_limited(project: Path, capfd: pytest.CaptureFixture[str]) -> None:
    source = TRAIN.replace("def smooth", "@torch.compile\ndef smooth")
    at = next(number for number, line in enumerate(source.splitlines(), 1) if "return loss.item()" in line)
    (project / "train.py").write_text(source)
    words = ["probe", "--device", "simulated", "--steps", "5", "--limit", "graph-breaks=0"]

    assert main([*words, "train.py"]) == 1
    said = " ".join(capfd.readouterr().out.split())
    assert "torch.compile: 1 line breaks a graph" in said
    assert f"train.py:{at} TRNP403 graph-breaks torch.compile breaks" in said

    assert main([*words, "--output-format", "json", "-o", "e.json", "train.py"]) == 1
    document = json.loads((project / "e.json").read_text())
    assert {item["at"]["line"] for item in document["verdicts"] if item["code"] == "TRNP403"} == {at}
    assert {item["at"]["line"] for item in document["budgets"][0]["uses"][0]["lines"]} == {at}


def test_without_values_the_report_names_the_lines_that_decide(
    project: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    main(["probe", "--no-values", "--steps", "5", "train.py"])

    said = " ".join(capfd.readouterr().out.split())
    assert "No values were computed (--no-values)" in said
    assert f"was not computed: train.py:{line_of('return loss.item()')}." in said


def test_what_needs_values_is_refused_without(capfd: pytest.CaptureFixture[str]) -> None:
    assert main(["probe", "--no-values", "--device", "cpu", "train.py"]) == 2
    assert "--no-values" in capfd.readouterr().err
