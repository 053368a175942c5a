"""What lies where nobody runs it gets no fix, and what is another's none without being asked."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

import pytest

from tests.engine.linked_project import findings_in, judged, write_project
from trainlint.config import Overrides
from trainlint.finding import Confidence, Safety

NET = """\
import torch
from torch import nn


class Net(nn.Module):
    def __init__(self, width):
        super().__init__()
        self.layer = nn.Linear(width, width)

    def forward(self, x):
        mask = torch.ones(4, 4).to(x.device)
        return self.layer(x) * mask
"""
TRAIN = """\
import torch

from NET import Net


def main(loader):
    model = Net(4).cuda()
    optimizer = torch.optim.SGD(model.parameters(), 0.1)
    for batch in loader:
        optimizer.zero_grad()
        model(batch.cuda(non_blocking=True)).sum().backward()
        optimizer.step()


if __name__ == "__main__":
    main(torch.utils.data.DataLoader(torch.ones(8, 4), pin_memory=True))
"""
ALL = Overrides(min_confidence=Confidence.UNLIKELY, preview=True)


def train(module: str) -> str:
    return TRAIN.replace("NET", module)


def level(root: Path, files: Mapping[str, str], name: str, code: str, monkeypatch: pytest.MonkeyPatch) -> Safety | None:
    """The level of the fixes of a rule in one file; None where there is none."""
    monkeypatch.chdir(write_project(root, {"requirements.txt": "torch>=2.5\n", **files}))
    fixes = [item.fix for item in findings_in(judged(".", overrides=ALL), name) if item.code == code and item.fix]
    return fixes[0].safety if fixes else None


BY_NAME = "import importlib\n\n\ndef made(name):\n    return importlib.import_module(name)\n"
PLACES = {
    "a model in use": ("models/net.py", {"train.py": train("models.net")}, Safety.SAFE),
    "a copy beside a log": (
        "log/first/net.py",
        {"train.py": train("models.net"), "models/net.py": NET, "kinds.py": BY_NAME},
        None,
    ),
    "a file of which there is no other": ("log/first/net.py", {"train.py": train("log.first.net")}, Safety.SAFE),
    "another file of the same name": (
        "log/first/net.py",
        {"train.py": train("models.net"), "models/net.py": "def made():\n    return 1\n", "kinds.py": BY_NAME},
        Safety.SAFE,
    ),
    "in a directory for what is no longer used": (
        "deprecated/net.py",
        {"train.py": train("models.net"), "models/net.py": NET, "deprecated/train.py": train("net")},
        None,
    ),
    "in such a directory, and in use": ("archive/net.py", {"train.py": train("archive.net")}, Safety.SAFE),
}


@pytest.mark.parametrize(("name", "files", "expected"), PLACES.values(), ids=PLACES)
def test_fix_by_the_place_of_a_file(
    name: str, files: Mapping[str, str], expected: Safety | None, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    assert level(tmp_path, {name: NET, **files}, name, "TRN207", monkeypatch) is expected


LACKING = {
    "the module is there": ("from kit.parts import Part\n", {"kit/parts.py": "Part = 1\n"}, Safety.SAFE),
    "the package lacks the module": ("from kit.parts import Part\n", {}, None),
    "the package may define the name": ("from kit import Part\n", {}, Safety.SAFE),
    "another package of the name has it": (
        "from kit.parts import Part\n",
        {"other/kit/__init__.py": "", "other/kit/parts.py": ""},
        Safety.SAFE,
    ),
    "it is tried": ("try:\n    from kit.parts import Part\nexcept ImportError:\n    pass\n", {}, Safety.SAFE),
    "a build makes it": ("from kit._parts import Part\n", {}, Safety.SAFE),
}


@pytest.mark.parametrize(("line", "files", "expected"), LACKING.values(), ids=LACKING)
def test_no_fix_in_a_file_that_cannot_be_imported(
    line: str, files: Mapping[str, str], expected: Safety | None, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    project = {"train.py": train("net"), "net.py": line + NET, "kit/__init__.py": "", **files}
    assert level(tmp_path, project, "net.py", "TRN207", monkeypatch) is expected


COPIED = {
    "a copy beside the program": ("src/transformers", "src/train.py", {}, Safety.UNSAFE),
    "a package of the project": ("src/shop", "src/train.py", {}, Safety.SAFE),
    "the library itself, with its examples": ("src/transformers", "examples/train.py", {}, Safety.SAFE),
    "the library itself, with its programs": (
        "transformers",
        "train.py",
        {"setup.py": "import setuptools\n"},
        Safety.SAFE,
    ),
}


@pytest.mark.parametrize(("package", "program", "files", "expected"), COPIED.values(), ids=COPIED)
def test_a_copy_of_a_library_is_changed_by_who_asks_for_it(
    package: str,
    program: str,
    files: Mapping[str, str],
    expected: Safety,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    module = f"{package.rpartition('/')[2]}.net"
    project = {f"{package}/__init__.py": "", f"{package}/net.py": NET, program: train(module), **files}
    assert level(tmp_path, project, f"{package}/net.py", "TRN207", monkeypatch) is expected


HELPER = """\
import torch


def move_batch(batch):
    if isinstance(batch, torch.Tensor):
        return batch.cuda()
    return [move_batch(part) for part in batch]
"""
LOOP = """\
import torch

from helper import move_batch


def main(model, optimizer, loader):
    for batch in loader:
        batch = move_batch(batch)
        optimizer.zero_grad()
        model(*batch).sum().backward()
        optimizer.step()
"""


@pytest.mark.parametrize(("line", "offered"), [("", False), ("OPTIONS = {'pin_memory': True}\n", True)])
def test_no_copy_goes_on_in_a_project_that_pins_nothing(
    line: str, offered: bool, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    project = {"helper.py": HELPER, "train.py": LOOP, "options.py": "import torch\n\n" + line}
    assert (level(tmp_path, project, "helper.py", "TRN205", monkeypatch) is not None) is offered
