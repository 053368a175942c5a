"""What another file of the project sets for the whole program counts for fixes."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.engine.linked_project import findings_in, judged, write_project
from trainlint.config import Overrides

AMP = """\
import torch


def train(model, optimizer, loader):
    for inputs in loader:
        with torch.cuda.amp.autocast():
            loss = model(inputs.cuda()).sum()
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
"""


@pytest.mark.parametrize(
    ("other", "written"),
    [
        ("", '"cuda"'),
        ("import torch\n\ntorch.set_autocast_gpu_dtype(torch.bfloat16)\n", '"cuda", dtype=torch.float16'),
        ("import torch\n\ntorch.set_autocast_dtype('cuda', torch.bfloat16)\n", '"cuda", dtype=torch.float16'),
        ("import torch\n\ngetattr(torch, 'set_autocast_dtype')('cuda', TYPE)\n", '"cuda", dtype=torch.float16'),
    ],
)
def test_a_type_of_autocast_that_another_file_sets(
    other: str, written: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The old name has a type of its own, and the new one takes the type that is set: then the fix writes it out."""
    files = {"pyproject.toml": "[project]\nname = 'x'\ndependencies = ['torch>=2.4']\n"}
    monkeypatch.chdir(write_project(tmp_path, {**files, "train.py": AMP, "setting/precision.py": other}))
    (found,) = (item for item in findings_in(judged(".", overrides=Overrides()), "train.py") if item.code == "TRN801")
    assert found.fix is not None
    assert any(written in edit.text for edit in found.fix.edits)
    assert any("dtype" in edit.text for edit in found.fix.edits) is bool(other)
