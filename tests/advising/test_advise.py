"""`trainlint advise` as it is typed, on a small training."""

from __future__ import annotations

import json
from collections.abc import Mapping
from pathlib import Path

import pytest

from trainlint.advising.run_items import needed_workers
from trainlint.cli import main
from trainlint.verdict_file import FORMAT_VERSION
from trainlint_probe.judgement.counted import NO_LOADER_TIMES

TRAINING = """
import torch
from torch import nn
from torch.utils.data import DataLoader
from torchvision.datasets import ImageFolder
from torchvision.transforms import ToTensor


def train(dataset):
    device = torch.device("cuda")
    model = nn.Sequential(nn.Flatten(), nn.Linear(192, 2)).to(device)
    optimizer = torch.optim.SGD(model.parameters(), 0.1)
    total = 0.0
    for inputs, targets in DataLoader(dataset, 32, num_workers=4):
        inputs, targets = inputs.to(device), targets.to(device)
        loss = nn.functional.cross_entropy(model(inputs), targets)
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
        total += loss.item()
        print(total)


if __name__ == "__main__":
    train(ImageFolder("images", ToTensor()))
"""


@pytest.fixture
def project(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    (tmp_path / "train.py").write_text(TRAINING, encoding="utf-8")
    monkeypatch.chdir(tmp_path)
    return tmp_path


def advised(capsys: pytest.CaptureFixture[str], *arguments: str) -> list[dict[str, object]]:
    assert main(["advise", "--no-cache", "--output-format", "json", *arguments]) == 0
    items: list[dict[str, object]] = json.loads(capsys.readouterr().out)["items"]
    return items


@pytest.mark.usefixtures("project")
def test_pinned_memory_comes_before_copies_that_need_it(capsys: pytest.CaptureFixture[str]) -> None:
    keys = [item["key"] for item in advised(capsys)]
    assert {"TRN102", "TRN205", "TRN201"} <= set(keys)
    assert keys.index("TRN102") < keys.index("TRN205")


@pytest.mark.usefixtures("project")
def test_the_order_is_that_of_check(capsys: pytest.CaptureFixture[str]) -> None:
    main(["check", "--no-cache", "--output-format", "concise", "--min-confidence", "likely"])
    codes = [line.split()[1] for line in capsys.readouterr().out.splitlines() if line.startswith("train.py:")]
    assert [item["key"] for item in advised(capsys)] == [*dict.fromkeys(codes)]


@pytest.mark.usefixtures("project")
def test_a_gain_that_others_measured_is_called_theirs(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["advise", "--no-cache"]) == 0
    shown = " ".join(capsys.readouterr().out.split())
    assert "gain: unknown for your model; a step of a GPT-2 fell from 1.87 to 1.81 s" in shown
    assert "after: TRN102" in shown


@pytest.mark.usefixtures("project")
def test_each_item_says_what_it_rests_on_and_what_applies_it(capsys: pytest.CaptureFixture[str]) -> None:
    pinned = next(item for item in advised(capsys) if item["key"] == "TRN102")
    assert pinned["gain"]["basis"] == "published"  # type: ignore[index]
    assert pinned["command"] == "trainlint check --select TRN102 --fix train.py"
    assert pinned["places"] == ["train.py:14"]
    assert pinned["changes"] == "nothing: training stays the same bit for bit"


@pytest.mark.parametrize("code", ["TRN101", "TRN102"])
def test_the_command_of_an_item_removes_it(project: Path, code: str, capsys: pytest.CaptureFixture[str]) -> None:
    if code == "TRN101":  # its fix is unsafe
        (project / "train.py").write_text(TRAINING.replace(", num_workers=4", ""), encoding="utf-8")
    command = next(item["command"] for item in advised(capsys) if item["key"] == code)
    assert isinstance(command, str)
    main([*command.split()[1:], "--no-cache", "--quiet"])
    capsys.readouterr()
    assert code not in [item["key"] for item in advised(capsys)]


@pytest.mark.usefixtures("project")
def test_without_evidence_it_says_how_to_get_it(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["advise", "--no-cache"]) == 0
    assert "trainlint probe --output-format json -o evidence.json" in " ".join(capsys.readouterr().out.split())


def test_what_a_run_measured_comes_first(project: Path, capsys: pytest.CaptureFixture[str]) -> None:
    verdict = {
        "code": "TRN201",
        "name": "item-in-training-step",
        "at": {"path": "train.py", "line": 20},
        "state": "confirmed",
        "sentence": "it waits",
        "cost": {"low": 1.0, "high": 2.0},
        "share": {"low": 0.2, "high": 0.4},
        "message": "`loss.item()` forces a GPU sync in every training step",
    }
    evidence = evidence_of(project, verdict)
    first = advised(capsys, "--evidence", str(evidence))[0]
    assert first["key"] == "TRN201"
    assert first["gain"] == {
        "basis": "measured here",
        "words": "20.0% to 40.0% of a step at most",
        "low": 0.2,
        "high": 0.4,
    }


def test_what_costs_nothing_here_comes_last(project: Path, capsys: pytest.CaptureFixture[str]) -> None:
    verdict = {
        "code": "TRN102",
        "name": "loader-without-pinned-memory",
        "at": {"path": "train.py", "line": 14},
        "state": "refuted",
        "sentence": "it costs nothing",
        "message": "",
    }
    items = advised(capsys, "--evidence", str(evidence_of(project, verdict)))
    keys = [item["key"] for item in items]
    # What rests on it need not wait for it: there is nothing to do.
    assert keys[-1] == "TRN102"
    assert "TRN205" in keys


def test_what_a_simulated_gpu_cannot_show_is_said_and_not_asked_for_again(
    project: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    verdict = {**NOTHING_SEEN, "state": "executed, unmeasured", "sentence": NO_LOADER_TIMES}
    items = advised(capsys, "--evidence", str(evidence_of(project, verdict)))
    gain = next(item["gain"] for item in items if item["key"] == "TRN102")
    assert gain == {"basis": "not measured", "words": NO_LOADER_TIMES, "low": None, "high": None}


NOTHING_SEEN = {
    "code": "TRN102",
    "name": "loader-without-pinned-memory",
    "at": {"path": "train.py", "line": 14},
    "state": "not observed",
    "sentence": "it did not run",
    "message": "",
}


def test_a_step_that_waits_for_batches_says_how_many_workers(project: Path, capsys: pytest.CaptureFixture[str]) -> None:
    steps = [{"ms": 40.0, "phases": {"data wait": 30.0, "other": 10.0}}]
    loaders = [{"made_at": None, "drawn_at": None, "settings": {"num_workers": "0"}, "batches": 1, "wait_ms": 30.0}]
    evidence = evidence_of(project, NOTHING_SEEN, steps=steps, loaders=loaders)
    items = {item["key"]: item for item in advised(capsys, "--evidence", str(evidence))}
    assert "`num_workers=3` (none now)" in str(items["run:workers"]["do"])


def test_copies_that_hold_up_the_step_are_named(project: Path, capsys: pytest.CaptureFixture[str]) -> None:
    steps = [{"ms": 10.0, "phases": {"host to device": 2.0, "other": 8.0}}]
    evidence = evidence_of(project, NOTHING_SEEN, steps=steps, device="cuda")
    items = {item["key"]: item for item in advised(capsys, "--evidence", str(evidence))}
    assert "side stream" in str(items["run:copies"]["do"])
    on_the_host = evidence_of(project, NOTHING_SEEN, steps=steps, device="cpu")
    assert "run:copies" not in [item["key"] for item in advised(capsys, "--evidence", str(on_the_host))]


def test_a_run_of_other_code_ranks_nothing_and_adds_nothing(project: Path, capsys: pytest.CaptureFixture[str]) -> None:
    steps = [{"ms": 40.0, "phases": {"data wait": 30.0, "other": 10.0}}]
    loaders = [{"made_at": None, "drawn_at": None, "settings": {"num_workers": "0"}, "batches": 1, "wait_ms": 30.0}]
    evidence = evidence_of(project, NOTHING_SEEN, steps=steps, loaders=loaders)
    (project / "train.py").write_text(f"{TRAINING}\n", encoding="utf-8")
    assert main(["advise", "--no-cache", "--evidence", str(evidence)]) == 0
    shown = capsys.readouterr()
    assert "train.py has changed since" in shown.err
    assert "enough workers" not in shown.out
    assert "No run of this code was measured" in shown.out


@pytest.mark.parametrize(
    ("step", "wait", "workers", "needed"), [(40, 30, 0, 3), (20, 1, 0, 1), (40, 20, 4, 8), (10, 9, 0, 9)]
)
def test_workers_that_load_as_fast_as_the_step_takes(step: float, wait: float, workers: int, needed: int) -> None:
    assert needed_workers(step, wait, workers) == needed


def test_a_plan_adds_what_it_recommends(project: Path, capsys: pytest.CaptureFixture[str]) -> None:
    plan = project / "plan.json"
    main(["plan", "--params", "7b", "--gpus", "8", "--output-format", "json", "--output-file", str(plan)])
    items = {item["key"]: item for item in advised(capsys, "--plan", str(plan))}
    assert items["plan:strategy"]["title"] == "shard with FSDP2, weights stay gathered"
    assert items["plan:strategy"]["gain"]["words"] == "the states do not fit under DDP"  # type: ignore[index]


def test_room_in_the_plan_advises_a_larger_batch(project: Path, capsys: pytest.CaptureFixture[str]) -> None:
    plan = project / "plan.json"
    numbers = ["--layers", "12", "--hidden", "768", "--heads", "12", "--vocabulary", "50257", "--sequence", "1024"]
    main(["plan", *numbers, "--gpu", "h100", "--output-format", "json", "--output-file", str(plan)])
    items = {item["key"]: item for item in advised(capsys, "--plan", str(plan))}
    assert "samples fit where 1 are planned" in str(items["plan:batch"]["gain"])


@pytest.mark.parametrize(
    ("text", "said"), [("{", "is no JSON"), ("[]", "is no plan"), ('{"schema_version": 1}', "is no whole plan")]
)
def test_a_file_that_is_no_plan(project: Path, text: str, said: str, capsys: pytest.CaptureFixture[str]) -> None:
    path = project / "plan.json"
    path.write_text(text, encoding="utf-8")
    assert main(["advise", "--no-cache", "--plan", str(path)]) == 2
    assert said in capsys.readouterr().err


def test_a_clean_project_has_nothing_to_do(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (tmp_path / "clean.py").write_text("x = 1\n", encoding="utf-8")
    assert main(["advise", "--no-cache", str(tmp_path)]) == 0
    assert "nothing to advise" in capsys.readouterr().out


def test_what_cannot_be_judged_is_no_clean_list(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (tmp_path / "broken.py").write_text("def f(:\n", encoding="utf-8")
    assert main(["advise", "--no-cache", str(tmp_path)]) == 2
    assert "broken.py" in capsys.readouterr().err


@pytest.mark.usefixtures("project")
def test_markdown_is_for_a_pull_request(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["advise", "--no-cache", "--output-format", "markdown"]) == 0
    lines = capsys.readouterr().out.splitlines()
    assert lines[0] == "## What to do first"
    assert lines[2].startswith("1. **")
    assert "   - where: `train.py:14`" in lines


def evidence_of(project: Path, verdict: Mapping[str, object], **run: object) -> Path:
    """Evidence of a run, as the probe writes it."""
    import hashlib

    digest = hashlib.sha256((project / "train.py").read_bytes()).hexdigest()
    path = project / "evidence.json"
    run = {"steps": [{"ms": 5.0}], "device": "cpu", "outcome": "window closed", **run}
    data = {
        "format_version": FORMAT_VERSION,
        "runs": [run],
        "verdicts": [verdict],
        "judged": {"digests": {"train.py": digest}},
    }
    path.write_text(json.dumps(data), encoding="utf-8")
    return path
