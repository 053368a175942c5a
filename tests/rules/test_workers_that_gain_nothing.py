"""TRN101 proposes no workers for what lies ready in memory, nor where they would start in each step."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.engine.linked_project import findings_in, judged, write_project
from tests.rules.safe.offered import fixes

DATA = """\
import torch
from torch.utils.data import Dataset


class Rows(Dataset):
    def __init__(self, path):
        self.rows = torch.load(path)

    def __len__(self):
        return len(self.rows)

    def __getitem__(self, index):
        return ITEM
"""
TRAIN = """\
import torch
from torch.utils.data import DataLoader

from pkg.data import Rows

loader = DataLoader(Rows("rows.pt"), batch_size=32)
for rows, labels in loader:
    loss = torch.nn.functional.cross_entropy(model(rows.cuda()), labels.cuda())
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
"""


@pytest.mark.parametrize(
    ("item", "found"),
    [
        ("self.rows['x'][index], self.rows['y'][index]", False),
        ("self.rows[index : index + self.rows.size(1)].long()", False),
        ("decode(self.rows[index])", True),
    ],
)
def test_a_dataset_of_another_file_that_lies_ready_needs_no_workers(
    item: str, found: bool, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    files = {"pkg/__init__.py": "", "pkg/data.py": DATA.replace("ITEM", item), "train.py": TRAIN}
    monkeypatch.chdir(write_project(tmp_path, files))
    assert ("TRN101" in {finding.code for finding in findings_in(judged("."), "train.py")}) is found


STEP = """\
import torch
from torch.utils.data import DataLoader
from torchvision.datasets import ImageFolder


def train(model, judge, optimizer, feed):
    loader = DataLoader(ImageFolder("experts"), 64)
    for states in feed:
        loss = model(states.cuda()).mean()
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
PASS
"""
PASS = "for experts, labels in loader:\n    judge.learn(experts.cuda(), labels.cuda())\n"


@pytest.mark.parametrize(("indent", "offered"), [(4, True), (8, False)])
def test_workers_are_not_started_in_each_step_of_another_loop(indent: int, offered: bool) -> None:
    lines = "\n".join(" " * indent + line for line in PASS.splitlines())
    assert ("TRN101" in fixes(STEP.replace("PASS", lines), "TRN101")) is offered
