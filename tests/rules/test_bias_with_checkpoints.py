"""TRN410 takes no bias away that a checkpoint of the project may hold."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.engine.linked_project import findings_in, judged, write_project
from trainlint.config import Overrides

NET = """\
from torch import nn


def build():
    return nn.Sequential(nn.Conv2d(3, 64, 3), nn.BatchNorm2d(64))
"""
MAIN = """\
import torch

from pkg.net import build

net = build()
optimizer = torch.optim.SGD(net.parameters(), lr=0.1)
for images, labels in loader:
    loss = torch.nn.functional.cross_entropy(net(images), labels)
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
"""


@pytest.mark.parametrize(
    ("other", "offered"),
    [
        ("", True),
        ("def resume(net, path):\n    net.load_state_dict(path)\n", False),
        ("from pkg.hub import Net\n\nnet = Net.from_pretrained('net')\n", False),
    ],
)
def test_a_bias_stays_where_a_file_of_the_project_loads_weights(
    other: str, offered: bool, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    files = {"pkg/__init__.py": "", "pkg/net.py": NET, "main.py": MAIN, "tools/other.py": other}
    monkeypatch.chdir(write_project(tmp_path, files))
    (found,) = [
        item
        for item in findings_in(judged(".", overrides=Overrides(preview=True)), "pkg/net.py")
        if item.code == "TRN410"
    ]
    assert (found.fix is not None) is offered
    assert ("checkpoints" in found.help) is not offered
