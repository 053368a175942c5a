"""Fixes that change what other files are told: one run does what a second one would still find to do."""

from __future__ import annotations

import os
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

import pytest

from trainlint.cli import main
from trainlint.config import Config
from trainlint.engine import fix_passes
from trainlint.engine.configurations import Selection
from trainlint.engine.discover import Target
from trainlint.engine.fix_passes import PASSES, fixed_in_passes
from trainlint.engine.pool.tasks import Executor, LocalExecutor
from trainlint.engine.rewriting import Fixing
from trainlint.engine.work import Job, Outcome, Rewrite
from trainlint.engine.workers import judge_all
from trainlint.finding import Safety
from trainlint.source import source_from_text

DATA = """\
import torch
from torchvision import datasets, transforms


def batches():
    return torch.utils.data.DataLoader(
        datasets.MNIST("data", train=True, download=True, transform=transforms.ToTensor()),
        batch_size=64,
        shuffle=True,
    )
"""
TRAIN = """\
import torch
from torch import nn

from data import batches


def train():
    model = nn.Linear(784, 1).cuda()
    optimizer = torch.optim.Adam(model.parameters())
    for images, _ in batches():
        images = images.cuda()
        optimizer.zero_grad()
        loss = model(images).mean()
        loss.backward()
        optimizer.step()


if __name__ == "__main__":
    train()
"""
FIX = ("check", ".", "--isolated", "--fix", "--unsafe-fixes", "--exit-zero")


@pytest.fixture
def project(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A training whose loader, in another file, does not pin yet."""
    (tmp_path / "data.py").write_text(DATA)
    (tmp_path / "train.py").write_text(TRAIN)
    monkeypatch.chdir(tmp_path)
    return tmp_path


def texts(project: Path) -> dict[str, str]:
    return {path.name: path.read_text() for path in project.glob("*.py")}


@pytest.mark.parametrize("how", [(), ("--no-cache",), ("--no-cache", "--jobs", "2")], ids=" ".join)
def test_a_copy_goes_on_without_waiting_once_the_other_file_pins(project: Path, how: Sequence[str]) -> None:
    assert main([*FIX, *how]) == 0
    once = texts(project)
    assert "pin_memory=True" in once["data.py"]
    assert "images.cuda(non_blocking=True)" in once["train.py"]
    assert main([*FIX, *how]) == 0
    assert texts(project) == once


def test_what_is_shown_is_what_would_be_written(project: Path, capsys: pytest.CaptureFixture[str]) -> None:
    main([*FIX, "--diff"])
    shown = capsys.readouterr().out
    assert texts(project) == {"data.py": DATA, "train.py": TRAIN}
    main([*FIX])
    added = [line for name, text in texts(project).items() for line in text.splitlines() if line not in DATA + TRAIN]
    assert sorted(added) == sorted(
        line[1:] for line in shown.splitlines() if line.startswith("+") and not line.startswith("+++")
    )


def test_each_fix_is_counted_once(project: Path, capsys: pytest.CaptureFixture[str]) -> None:
    main([*FIX, "--show-fixes"])
    shown = capsys.readouterr()
    assert "Fixed 3 problems" in shown.out + shown.err


def test_a_file_that_was_not_named_stays_as_it_is(project: Path) -> None:
    main(["check", "data.py", "--isolated", "--fix", "--unsafe-fixes", "--exit-zero"])
    assert texts(project)["train.py"] == TRAIN


def test_nothing_is_written_where_a_later_pass_is_interrupted(project: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    passes = []

    def interrupted(jobs: Sequence[Job], fixing: Fixing | None, executor: Executor) -> list[Outcome]:
        passes.append(jobs)
        if len(passes) == 2:
            raise KeyboardInterrupt
        return judge_all(jobs, fixing, executor)

    monkeypatch.setattr(fix_passes, "judge_all", interrupted)
    assert main([*FIX]) == 130
    assert texts(project) == {"data.py": DATA, "train.py": TRAIN}


def test_a_file_with_two_names_is_fixed_once(project: Path, capsys: pytest.CaptureFixture[str]) -> None:
    os.link(project / "data.py", project / "same.py")
    assert main([*FIX]) == 0, capsys.readouterr()
    assert texts(project)["data.py"].count("pin_memory=True") == 1


def judging(path: Path, fixing: Fixing) -> tuple[list[Outcome], int]:
    """What passes over one file give in which TRN998 and TRN999 add a line each, again and again, and TRN001 one once;
    and how many passes there were."""
    job = Job(Target(path, "x.py", 1), (), Selection(Config(), (), ()))
    before = source_from_text("x.py", "start\n")
    seen: list[frozenset[str]] = []

    def judge(jobs: Sequence[Job], fixing: Fixing | None, _: Executor) -> list[Outcome]:
        assert fixing is not None
        outcomes = []
        for each in jobs:
            source = each.text or before
            wanted = {"TRN998", "TRN999"} | ({"TRN001"} if "TRN001" not in source.text else set())
            added = sorted(wanted - fixing.endless)
            after = replace(source, text=source.text + "".join(f"{code}\n" for code in added))
            rewrite = Rewrite(source, after) if added else None
            outcomes.append(Outcome(fixed=tuple((code, 1) for code in added), rewrite=rewrite))
        seen.append(fixing.endless)
        return outcomes

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(fix_passes, "judge_all", judge)
        outcomes = fixed_in_passes([job], fixing, LocalExecutor(), lambda _: [job])
    return outcomes, len(seen)


def test_rules_that_never_end_are_left_out_and_named(tmp_path: Path) -> None:
    (outcome,), passes = judging(tmp_path / "x.py", Fixing(Safety.SAFE))
    assert outcome.rewrite is not None
    assert outcome.rewrite.after.text == "start\nTRN001\n"
    assert outcome.fixed == (("TRN001", 1),)
    assert [note.rule for note in outcome.unapplied] == ["TRN998", "TRN999"]
    assert f"TRN998 and TRN999 do not end after {PASSES} passes" in outcome.unapplied[0].reason
    assert passes == PASSES + 2
