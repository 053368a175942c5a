"""Where a tensor lies after a fix: a device of None and a default device are not what they seem."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.rules.safe.offered import fixed, fixes
from trainlint.cli import main

MADE = """import os

import torch
import torch.distributed as dist


def train(model, optimizer, loader, {parameter}):
    {more}
    for batch in loader:
        mask = torch.zeros(4, 3).cuda({given})
        optimizer.zero_grad()
        model(batch.cuda(), mask).sum().backward()
        optimizer.step()
"""


@pytest.mark.parametrize(
    ("given", "parameter", "more", "expected"),
    [
        ("0", "args", "", "0"),
        ("'cuda:1'", "args", "", "'cuda:1'"),
        ("rank", "rank: int", "", "rank"),
        ("rank", "args", "rank = int(os.environ['LOCAL_RANK'])", "rank"),
        ("rank", "args", "rank = dist.get_rank() % torch.cuda.device_count()", "rank"),
        ("device", "device: torch.device", "", "device"),
        ("", "args", "", '"cuda"'),
        ("rank", "rank", "", None),
        ("rank", "rank: int = None", "", None),
        ("rank", "rank: int | None", "", None),
        ("args.gpu", "args", "", None),
        ("rank", "args", "rank = args.gpu", None),
        ("rank", "rank: int", "if loader is None:\n        rank = None", None),
    ],
)
def test_cuda_of_what_may_be_none_stays(given: str, parameter: str, more: str, expected: str | None) -> None:
    code = MADE.format(given=given, parameter=parameter, more=more or "pass")
    if expected is None:
        assert fixes(code, "TRN207") == {}
    else:
        assert f"torch.zeros(4, 3, device={expected})" in fixed(code, "TRN207")


COPIED = """import torch
{more}

def copies(x):
    return torch.tensor(torch.zeros(8) + x)
"""


@pytest.mark.parametrize(
    ("more", "expected"),
    [
        ("torch.set_num_threads(1)", {"TRN416"}),
        ("torch.set_default_device('cuda')", set()),
        ("from torch import set_default_device\nset_default_device(pick())", set()),
        ("def build(x):\n    with torch.device('meta'):\n        return copies(x)\n", set()),
    ],
)
def test_a_copy_goes_to_the_default_device(more: str, expected: set[str]) -> None:
    assert fixes(COPIED.format(more=more), "TRN416").keys() == expected


@pytest.mark.parametrize(
    ("other", "is_fixed"),
    [
        ("import torch\nfrom copies import copies\n\ntorch.set_default_device('cuda')\nprint(copies(load()))\n", False),
        ("import torch\nfrom copies import copies\n\nwith torch.device('cuda'):\n    copies(load())\n", False),
        ("import torch\nfrom copies import copies\n\ntorch.set_num_threads(2)\nprint(copies(load()))\n", True),
    ],
)
def test_another_file_sets_the_default_device(
    other: str, is_fixed: bool, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    code = COPIED.format(more="")
    (tmp_path / "copies.py").write_text(code)
    (tmp_path / "train.py").write_text(other)
    main("check . --fix --unsafe-fixes --preview --isolated --no-cache -q -j1 --exit-zero --select TRN416".split())
    assert ((tmp_path / "copies.py").read_text() != code) is is_fixed
