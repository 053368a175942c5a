"""`trainlint probe --budget`, as it is typed, on trainings in processes of their own."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from tests.cli.conftest import Program, program
from trainlint.cli.console import UsageError
from trainlint.evidence.places import Line
from trainlint.evidence.run import Counted, Environment, Run, Step
from trainlint.evidence.verdicts import State, Verdict
from trainlint_probe.budgets.of_run import spendings
from trainlint_probe.cli import exit_code
from trainlint_probe.options import read_options
from trainlint_probe.result import Result

__all__ = ["program"]  # pytest finds fixtures by their names

TRAIN = """\
import sys, torch
from torch.utils.data import DataLoader, Dataset
from trainlint_probe import allow

class Labels(Dataset):
    def __len__(self):
        return 400

    def __getitem__(self, index):
        return torch.tensor(float(index)).item()  # of the dataset

model = torch.nn.Linear(1, 1, device="cuda")
optimizer = torch.optim.AdamW(model.parameters())
for label in DataLoader(Labels(), batch_size=4):
    inputs = label.pin_memory().to("cuda", non_blocking=True)
    loss = model(inputs.float()[:, None]).square().mean()
    loss.backward()
    optimizer.step()
    optimizer.zero_grad()
    reads = [loss.item() for _ in range(2)]  # READS
    with allow("it is logged"):
        print(loss.item())
    loss.tolist()  # trainlint: ignore[TRN201] it is shown
"""
SHORT = ("probe", "--device", "simulated", "--no-overlay", "--steps", "5", "--warmup", "3")


@pytest.fixture
def training(program: Program) -> Program:
    """A training in a project whose configuration allows two reads a step."""
    (program.directory / ".git").mkdir(exist_ok=True)
    (program.directory / "train.py").write_text(TRAIN)
    (program.directory / "pyproject.toml").write_text("[tool.trainlint.budget]\nsyncs = 2\nallocations = 0\n")
    return program


def words_of(text: str) -> str:
    return " ".join(text.split())


def lines_with(text: str) -> int:
    return next(number for number, line in enumerate(TRAIN.splitlines(), 1) if text in line)


@pytest.mark.each_run
@pytest.mark.slow
def test_a_run_fails_with_the_lines_beyond_its_limits(training: Program) -> None:
    ran = training(*SHORT, "--limit", "syncs=1.5", "--output-format", "json", "train.py")
    assert ran.code == 1, ran
    (spending,) = json.loads(ran.out)["budgets"]
    syncs, allocations = spending["uses"]
    assert (syncs["used"], syncs["most"]) == (2, 1.5)
    charged = {(item["at"]["line"], item["count"]) for item in syncs["lines"] if not item["allowed"]}
    assert charged == {(lines_with("# READS"), 2)}
    assert [item["at"]["line"] for item in syncs["ignored"]] == [lines_with("loss.tolist()")]
    assert allocations["not_counted"] == "not counted on a simulated GPU"


@pytest.mark.slow
def test_a_run_within_the_limits_of_the_configuration_passes(training: Program) -> None:
    """Although the loss is read in each step, which is a finding, and no comment is asked for what is allowed."""
    (training.directory / "train.py").write_text(TRAIN.replace("    loss.tolist()", "    # loss.tolist()"))
    ran = training(*SHORT, "--budget", "--page", "page.html", "train.py")
    assert ran.code == 0, ran
    shown = words_of(ran.out)
    assert "Budget kept syncs: 2 a step (limit 2)" in shown
    assert f"train.py:{lines_with('# READS')}: Tensor.item, 2" in shown
    assert "Allowed: syncs, 1 a step (it is logged)." in shown
    assert "allocations: not counted on a simulated GPU." in shown
    assert "syncs: 2 a step (limit 2)" in (training.directory / "page.html").read_text(encoding="utf-8")


@pytest.mark.slow
def test_limits_that_need_a_gpu_are_not_kept_by_a_cpu(training: Program) -> None:
    on_cpu = TRAIN.replace('device="cuda"', 'device="cpu"').replace('.pin_memory().to("cuda", non_blocking=True)', "")
    (training.directory / "train.py").write_text(on_cpu)
    ran = training(*SHORT, "--device", "cpu", "--no-deep", "--budget", "train.py")
    assert ran.code == 2, ran
    assert "syncs: not counted, as only a CUDA device tells its waits" in words_of(ran.out)


@pytest.mark.slow
def test_a_script_that_is_too_short_passes_no_budget(training: Program) -> None:
    (training.directory / "train.py").write_text("import torch\n")
    assert training(*SHORT, "--budget", "train.py").code == 3


def test_without_any_limit_nothing_is_run(training: Program) -> None:
    (training.directory / "pyproject.toml").unlink()
    (training.directory / "train.py").write_text("open('ran', 'w')\n")
    ran = training(*SHORT, "--budget", "train.py")
    assert ran.code == 2
    assert "there is no limit: name one, such as syncs=0, or write it into [tool.trainlint.budget]" in words_of(ran.err)
    assert not (training.directory / "ran").exists()


@pytest.mark.parametrize(
    ("limit", "sentence"),
    [
        ("syncs = -1", "pyproject.toml:2: `tool.trainlint.budget.syncs` must be a number from 0 on, not -1"),
        ("sinks = 1", 'pyproject.toml:2: unknown key "sinks" in `tool.trainlint.budget`; did you mean "syncs"?'),
    ],
)
def test_a_wrong_limit_is_named_with_its_line(training: Program, limit: str, sentence: str) -> None:
    (training.directory / "pyproject.toml").write_text(f"[tool.trainlint.budget]\n{limit}\n")
    ran = training(*SHORT, "--budget", "train.py")
    assert ran.code == 2
    assert sentence in words_of(ran.err)


@pytest.mark.parametrize(("limit", "code"), [(1.0, 0), (0.0, 1)])
def test_what_is_confirmed_does_not_decide_where_there_is_a_budget(limit: float, code: int) -> None:
    counted = (Counted("syncs", Line("train.py", 3), "Tensor.item", 1),)
    run = Run(
        ("python", "train.py"), Environment({}), "window closed", steps=(Step(1.0, {}),), device="cuda", counted=counted
    )
    confirmed = Verdict("TRN101", "loader-without-workers", Line("train.py", 1), State.CONFIRMED, "it costs")
    assert exit_code(Result((run,), (confirmed,))) == 1
    assert exit_code(Result((run,), (confirmed,), budgets=spendings([run], {"syncs": limit}))) == code


def test_a_trace_has_no_budget() -> None:
    with pytest.raises(UsageError, match="--budget counts while a script runs"):
        read_options(["--trace", "trace.json", "--limit", "syncs=0"])


def test_a_limit_asks_for_a_budget() -> None:
    assert read_options(["--limit", "syncs=0", "train.py"]).budget
    assert not read_options(["train.py"]).budget
    assert Path(read_options(["--budget", "train.py"]).script or "").name == "train.py"
