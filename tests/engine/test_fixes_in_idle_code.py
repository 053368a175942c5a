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
SCRIPT = """\
import torch


def fit(model, optimizer):
    for images in torch.utils.data.DataLoader(images, 2):
        model(images).sum().backward()
        optimizer.step()


model = torch.nn.Linear(2, 2)
fit(model, torch.optim.SGD(model.parameters(), 0.1))
"""
NET = """\
import torch


class Net(torch.nn.Module):
    def forward(self, x):
        return x
"""
LAMB = """\
import torch


class Lamb(torch.optim.Optimizer):
    def step(self):
        for p in self.param_groups[0]["params"]:
            p.data.add_(-1, p.grad.data)
"""
BUILT = LAMB + "\n\nLamb([]).step()\n"
BY_NAME = "import importlib\n\n\ndef made(name):\n    return getattr(importlib.import_module(name), name)()\n"
CHECK = ("check", "--isolated", "--no-cache", "--preview", "--fix", "--unsafe-fixes", "-q")
PROGRAM = {"train.py": TRAIN, "models/net.py": NET}
BESIDE = {"train.py": "import models.lamb\n" + TRAIN, "models/net.py": NET}
PACKAGE = {**PROGRAM, "models/__init__.py": ""}

OFFERED: dict[str, tuple[Mapping[str, str], bool]] = {
    "nothing imports the file": (PROGRAM, False),
    "nothing imports the file of a package": (PACKAGE, False),
    "a program imports it and never builds the class": (BESIDE, False),
    "a script imports it and never builds the class": ({"train.py": "import models.lamb\n" + SCRIPT}, False),
    "a script builds the class": ({"train.py": "import models.lamb\nmodels.lamb.Lamb([])\n" + SCRIPT}, True),
    "a program builds the class": ({**BESIDE, "train.py": BESIDE["train.py"] + "    models.lamb.Lamb([])\n"}, True),
    "the file is alone": ({}, True),
    "the project has no program": ({"models/net.py": NET}, True),
    "the package may be installed": ({**PACKAGE, "setup.py": "from setuptools import setup\n\nsetup()\n"}, True),
    "a test imports the file": ({**PROGRAM, "tests/test_lamb.py": "from models.lamb import Lamb\n"}, True),
    "a program imports modules by their names": ({**PROGRAM, "kinds.py": BY_NAME}, True),
    "the program is that of another directory": ({f"other/{name}": text for name, text in PROGRAM.items()}, True),
    "the file is a script, whose top uses the class": ({**PROGRAM, "models/lamb.py": BUILT}, True),
    "the file is a program": (
        {**PROGRAM, "models/lamb.py": LAMB + '\n\nif __name__ == "__main__":\n    Lamb([]).step()\n'},
        True,
    ),
}


@pytest.mark.parametrize(("files", "offered"), OFFERED.values(), ids=OFFERED)
def test_fix_in_code_that_may_run(
    files: Mapping[str, str], offered: bool, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    write_project(tmp_path, {"models/lamb.py": LAMB, **files})
    monkeypatch.chdir(tmp_path)
    before = (tmp_path / "models/lamb.py").read_text()
    main([*CHECK, ".", "--select", "TRN818", "--min-confidence", "unlikely"])
    assert ((tmp_path / "models/lamb.py").read_text() != before) is offered


def test_single_file_of_a_project_is_judged_alike(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    write_project(tmp_path, {"models/lamb.py": LAMB, **PROGRAM})
    monkeypatch.chdir(tmp_path)
    main([*CHECK, "models/lamb.py"])
    assert (tmp_path / "models/lamb.py").read_text() == LAMB


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
