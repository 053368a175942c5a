"""A scaler moves to `torch.amp` only where no other file tests for the class that it would lose."""

from __future__ import annotations

from pathlib import Path

import pytest

from trainlint.cli import main

TRAIN = """
import torch
{imported}
from steps import step


def train(model, optimizer, loader):
    scaler = {made}
    for batch in loader:
        with torch.autocast("cuda", dtype=torch.float16):
            loss = model(batch).sum()
        step(loss, optimizer, scaler)


train(*prepared())
"""
STEPS = """
import torch
{imported}

def step(loss, optimizer, scaler):
    optimizer.zero_grad()
    if {test}:
        scaler.scale(loss).backward()
        scaler.step(optimizer)
        scaler.update()
    else:
        loss.backward()
        optimizer.step()
"""
MAKES = [
    ("from torch.cuda.amp import GradScaler", "GradScaler()"),
    ("from torch.cuda import amp", "amp.GradScaler()"),
    ("", "torch.cuda.amp.GradScaler()"),
]
TESTS = [
    ("", "isinstance(scaler, torch.cuda.amp.GradScaler)"),
    ("", "isinstance(scaler, (torch.cuda.amp.GradScaler, type(None)))"),
    ("from torch.cuda.amp.grad_scaler import GradScaler as Old", "isinstance(scaler, Old)"),
]


@pytest.fixture
def project(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "requirements.txt").write_text("torch>=2.4\n")
    return tmp_path


def fix(project: Path, made: tuple[str, str], test: tuple[str, str]) -> str:
    (project / "train.py").write_text(TRAIN.format(imported=made[0], made=made[1]))
    (project / "steps.py").write_text(STEPS.format(imported=test[0], test=test[1]))
    main(["check", ".", "--no-cache", "--select", "TRN801", "--fix", "--unsafe-fixes"])
    return (project / "train.py").read_text()


@pytest.mark.parametrize("made", MAKES, ids=[made for _, made in MAKES])
@pytest.mark.parametrize("test", TESTS, ids=[test for _, test in TESTS])
def test_a_scaler_that_another_file_tests_for_stays(
    project: Path, made: tuple[str, str], test: tuple[str, str]
) -> None:
    assert fix(project, made, test) == TRAIN.format(imported=made[0], made=made[1])


@pytest.mark.parametrize("made", MAKES, ids=[made for _, made in MAKES])
@pytest.mark.parametrize(
    "test",
    [
        ("", "scaler is not None"),
        ("", 'hasattr(torch, "amp") and isinstance(scaler, torch.amp.GradScaler)'),
        ("from own import GradScaler", "isinstance(scaler, GradScaler)"),
    ],
    ids=["no test", "a test for the new class", "another class"],
)
def test_any_other_scaler_moves(project: Path, made: tuple[str, str], test: tuple[str, str]) -> None:
    assert 'GradScaler("cuda")' in fix(project, made, test)
