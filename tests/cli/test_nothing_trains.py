"""A whole project in which nothing trains is said to be one, so that nobody takes silence for praise."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

if TYPE_CHECKING:
    from tests.cli.conftest import Program, Write

MODEL = "import torch\n\n\nclass Model(torch.nn.Module):\n    def forward(self, x):\n        return x\n"
SERVES = "from model import Model\n\n\ndef serve(x):\n    return Model()(x)\n"
TRAINS = """\
import torch
from model import Model


def train(loader):
    model = Model()
    optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
    for x in loader:
        optimizer.zero_grad()
        model(x).sum().backward()
        optimizer.step()
"""
NOTE = (
    "note: no training loop found in 2 files; trainlint looks for PyTorch code that takes optimizer steps or passes a "
)


@pytest.fixture
def project(program: Program, write: Write) -> Program:
    write(".git/HEAD", "")
    write("model.py", MODEL)
    write("serve.py", SERVES)
    return program


def test_a_project_without_training_is_told_so(project: Program) -> None:
    for _ in range(2):  # the second run is from the cache
        result = project("check")
        assert result.code == 0
        assert result.out.startswith("All clear: none of 2 files trains, and none of ")
        assert result.err.startswith(NOTE)
    assert project("check", "--quiet").err == ""


def test_files_of_settings_are_no_code_that_does_not_train(program: Program, write: Write) -> None:
    write(".git/HEAD", "")
    write("sft.yaml", "per_device_train_batch_size: 8\nbf16: true\ndataloader_num_workers: 8\n")
    alone = program("check")
    assert "1 file of settings" in alone.out
    assert "train" not in alone.out.replace("training", "")
    assert "no training loop" not in alone.err
    write("model.py", MODEL)
    both = program("check")
    assert "none of 1 file trains, 1 more holds settings" in both.out


def test_files_that_are_no_whole_project_are_not_spoken_of(project: Program) -> None:
    assert project("check", "model.py").err == ""


def test_a_training_anywhere_in_the_project_counts(project: Program, write: Write) -> None:
    write("src/train.py", TRAINS)
    assert project("check").err == ""
    write("lib/other.py", "import torch\n")
    assert project("check", "lib").err == ""


def test_code_without_pytorch_is_told_so_too(program: Program, write: Write) -> None:
    write("plain.py", "print(1)\n")
    assert program("check").err.startswith("note: no training loop found in 1 file;")
