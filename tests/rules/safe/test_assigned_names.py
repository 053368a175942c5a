"""A name of a library that the project assigns anew means its own code, which a fix must not leave out."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.rules.safe.offered import fixes, safe
from trainlint.cli import main

DIST = """import torch
import torch.distributed as dist
{patch}

def gather(output, shard):
    dist._all_gather_base(output, shard)
"""
AMP = """import torch
{patch}

def autocast():
    return torch.cuda.amp.autocast()
"""
PATCHES = {
    "assigned": (DIST, "dist._all_gather_base = logged", "TRN812"),
    "assigned by the module's whole name": (DIST, "torch.distributed._all_gather_base = logged", "TRN812"),
    "assigned with others": (DIST, "dist.barrier, dist._all_gather_base = quiet, logged", "TRN812"),
    "setattr": (DIST, "setattr(dist, '_all_gather_base', logged)", "TRN812"),
    "setattr of a name that is computed": (DIST, "setattr(dist, f'_{word}_base', logged)", "TRN812"),
    "an entry of vars": (DIST, "vars(dist)['_all_gather_base'] = logged", "TRN812"),
    "an entry of __dict__": (DIST, "dist.__dict__['_all_gather_base'] = logged", "TRN812"),
    "another name of the module": (DIST, "library = dist\nlibrary._all_gather_base = logged", "TRN812"),
    "the module by sys.modules": (
        DIST,
        "import sys\nsys.modules['torch.distributed']._all_gather_base = logged",
        "TRN812",
    ),
    "the module is another": (DIST, "import sys\nsys.modules['torch.distributed'] = logging_collectives", "TRN812"),
    "each of some modules": (
        DIST,
        "for module in (dist, torch.distributed):\n    module._all_gather_base = logged",
        "TRN812",
    ),
    "a function of its own that assigns": (DIST, "replace(dist, '_all_gather_base', logged)", "TRN812"),
    "the new name": (DIST, "dist.all_gather_into_tensor = logged", "TRN812"),
    "mixed precision": (AMP, "torch.cuda.amp.autocast = logged", "TRN801"),
    "mixed precision, the new name": (AMP, "torch.amp.autocast = logged", "TRN801"),
    "mock.patch": (
        AMP,
        "from unittest import mock\nmock.patch('torch.cuda.amp.autocast', logged).start()",
        "TRN801",
    ),
    "mock.patch.object": (
        AMP,
        "from unittest import mock\nmock.patch.object(torch.cuda.amp, 'autocast').start()",
        "TRN801",
    ),
    "a method of tensors": (
        "import torch\n{patch}\n\ndef shift(x: torch.Tensor, y: torch.Tensor):\n    x.add_(2, y)\n",
        "torch.Tensor.add_ = logged",
        "TRN818",
    ),
}


@pytest.mark.parametrize(("code", "patch", "rule"), PATCHES.values(), ids=PATCHES)
def test_an_assigned_name_stays(code: str, patch: str, rule: str) -> None:
    assert safe(code.format(patch="value = 1"), rule) == {rule}
    assert fixes(code.format(patch=patch), rule) == {}


@pytest.mark.parametrize(
    "patch",
    [
        "dist.all_reduce = logged",  # another name
        "print(dist, '_all_gather_base')",
        "settings._all_gather_base = True",  # an object of nobody knows what
        "class Options:\n    def __init__(self):\n        self._all_gather_base = True",
    ],
)
def test_other_assignments_are_no_matter(patch: str) -> None:
    assert safe(DIST.format(patch=patch), "TRN812") == {"TRN812"}


TRAIN = """import torch
import torch.distributed as dist
{more}

def gather(output, shard):
    dist._all_gather_base(output, shard)


def train(model, optimizer, loader):
    for batch in loader:
        optimizer.zero_grad()
        model(batch).sum().backward()
        gather(model.flat, model.shard)
        optimizer.step()


if __name__ == "__main__":
    dist.init_process_group("nccl")
    train(*prepared())
"""
ELSEWHERE = {
    "a module that it imports": ("logging_.py", "import torch.distributed as dist\n\ndist._all_gather_base = print\n"),
    "a test": (
        "test_train.py",
        "import train\n\n\ndef test_gather(monkeypatch):\n"
        "    monkeypatch.setattr('train.torch.distributed._all_gather_base', print)\n    train.gather(1, 2)\n",
    ),
}


@pytest.mark.parametrize(("name", "text"), ELSEWHERE.values(), ids=ELSEWHERE)
def test_a_name_that_another_file_assigns_stays(
    name: str, text: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    train = tmp_path / "train.py"
    before = TRAIN.format(more="import logging_\n" if name == "logging_.py" else "")
    arguments = ["check", ".", "--fix", "--no-cache", "-q", "-j1", "--exit-zero", "--select", "TRN812"]
    (tmp_path / "requirements.txt").write_text("torch>=2.5\n")
    train.write_text(before)
    (tmp_path / name).write_text(text)
    main(arguments)
    assert train.read_text() == before
    (tmp_path / name).write_text(text.replace("_all_gather_base", "barrier"))
    main(arguments)
    assert "all_gather_into_tensor" in train.read_text()
