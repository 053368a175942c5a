"""Where the programs of a project show what is run, no fix is offered in code that nothing runs."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

import pytest

from tests.engine.linked_project import write_project
from trainlint.cli import main

TRAIN = """\
import torch

from models.net import Net


def fit(model, optimizer, loader):
    for images in loader:
        model(images).sum().backward()
        optimizer.step()


if __name__ == "__main__":
    fit(Net(), torch.optim.SGD(Net().parameters(), 0.1), loader)
"""
NET = """\
import torch


class Net(torch.nn.Module):
    def forward(self, x):
        return x
"""
CHECK = ("check", "--isolated", "--no-cache", "--preview", "--fix", "--unsafe-fixes", "-q")
GATHER = """\
import torch
import torch.distributed as dist


def gathered(tensor, distributed):
    if not distributed:
        return tensor
    dist.all_reduce(tensor, op=dist.reduce_op.SUM)
    return tensor
"""
GATHERING = {
    "train.py": TRAIN.replace("from models.net import Net", "from gather import gathered\nfrom models.net import Net")
    .replace("model(images).sum().backward()", "gathered(model(images), False).sum().backward()"),
    "models/net.py": NET,
    "gather.py": GATHER,
}  # fmt: skip
STARTED = {**GATHERING, "launch.py": "import torch.distributed as dist\n\nimport train\n\ndist.init_process_group()\n"}
LIBRARY = {"gather.py": GATHER}


@pytest.mark.parametrize(
    ("files", "offered"),
    [(GATHERING, False), (STARTED, True), (LIBRARY, True)],
    ids=["no file starts a process group", "a program starts one", "there is no program"],
)
def test_fix_of_a_call_between_processes(
    files: Mapping[str, str], offered: bool, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    write_project(tmp_path, dict(files))
    monkeypatch.chdir(tmp_path)
    main([*CHECK, ".", "--select", "TRN812", "--min-confidence", "unlikely"])
    assert ((tmp_path / "gather.py").read_text() != GATHER) is offered
