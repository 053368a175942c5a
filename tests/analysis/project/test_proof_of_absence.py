"""The way into a training loop leads through files: what any of them uses counts, and it must begin somewhere."""

from __future__ import annotations

import pytest

from tests.analysis.project.project import project
from trainlint.analysis.programs.proof_of_absence import ProofOfAbsence, way_into_training
from trainlint.analysis.site import Site
from trainlint.analysis.tables.fact_kinds import FactKind
from trainlint.contract.guards.programs import out_of_sight

ENGINE = """
import torch


def train_one_epoch(model, criterion, optimizer, loader):
    for images, labels in loader:
        loss = criterion(model(images.cuda()), labels.cuda())
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
"""
MODEL = """
from torch import nn


class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.conv = nn.Conv2d(3, 8, 3)


def build():
    return Net()
"""
MAIN = """
import torch
from engine import train_one_epoch
from models import build


def main():
    model = build().cuda()
    train_one_epoch(model, criterion, optimizer, loader)


if __name__ == "__main__":
    main()
"""


def way(main: str) -> ProofOfAbsence | None:
    file = project({"engine.py": ENGINE, "models.py": MODEL, "main.py": main}).models["engine.py"]
    site = Site(file, file.outline.loops[0])
    found = way_into_training(site)
    return None if found is None or out_of_sight.holds(site) or found.uses(FactKind.FRAMEWORK) else found


def test_layers_are_seen_where_another_file_builds_them() -> None:
    found = way(MAIN)
    assert found is not None
    assert found.details(FactKind.NETWORK) == {"conv2d"}
    assert not found.uses(FactKind.AUTOCAST)


def test_autocast_in_the_calling_file_is_seen() -> None:
    found = way(MAIN.replace("    train_one_epoch(", "    with torch.autocast('cuda'):\n        train_one_epoch("))
    assert found is not None
    assert found.uses(FactKind.AUTOCAST)


@pytest.mark.parametrize(
    "main",
    [
        MAIN.replace('if __name__ == "__main__":\n    main()\n', ""),
        MAIN.replace(
            "def main():", "from accelerate import Accelerator\n\n\ndef main():\n    accelerator = Accelerator()"
        ),
    ],
    ids=["nobody calls main", "framework"],
)
def test_there_is_no_whole_way(main: str) -> None:
    assert way(main) is None
