"""Imports from packages that have no file of their own, or one that is not executed."""

from __future__ import annotations

from typing import Final

import pytest

from tests.interpreter.running import places, run_files

_STEP: Final = """
def step(loss):
    loss.backward()
    print(loss.item())
"""
_TRAIN: Final = """
import torch
{imported}
from torch.utils.data import DataLoader
model = torch.nn.Linear(3, 3).cuda()
for batch in DataLoader([]):
    {called}(model(batch.cuda(non_blocking=True)).sum())
"""


@pytest.mark.parametrize(
    ("path", "imported", "called"),
    [
        ("steps/plain.py", "from steps import plain", "plain.step"),
        ("steps/plain.py", "from steps.plain import step", "step"),
        ("steps/deep/plain.py", "from steps.deep import plain", "plain.step"),
        ("steps/deep/__init__.py", "from steps import deep", "deep.step"),
    ],
)
@pytest.mark.parametrize("program", ["train.py", "tools/train.py"])
def test_a_file_of_a_package_without_a_file_is_found(path: str, imported: str, called: str, program: str) -> None:
    _, events = run_files([(path, _STEP), (program, _TRAIN.format(imported=imported, called=called))])
    assert places(events) == [f"{path}:4 ITEM sure"]


def test_a_folder_elsewhere_does_not_hide_a_library() -> None:
    program = """
from torch import cuda
for batch in loader:
    model(batch.cuda(non_blocking=True)).sum().backward()
    cuda.synchronize()
"""
    _, events = run_files([("copies/torch/cuda.py", "def synchronize(): pass"), ("train.py", program)])
    assert "train.py:5 SYNCHRONIZE sure" in places(events)


@pytest.mark.parametrize(
    ("program", "packages"), [("agents/torch/policy.py", ("agents", "agents/torch")), ("train.py", ())]
)
def test_a_folder_of_a_package_does_not_hide_the_library_of_its_name(program: str, packages: tuple[str, ...]) -> None:
    policy = """
from torch.distributions import Normal
for batch in loader:
    action = Normal(model(batch.cuda(non_blocking=True)), 1.0).rsample()
    action.sum().backward()
"""
    files = [
        *((f"{package}/__init__.py", "") for package in packages),
        ("agents/torch/distributions.py", "class Policy: pass"),
    ]
    _, events = run_files([*files, (program, policy)])
    assert f"{program}:4 CHECKED sure" in places(events)
