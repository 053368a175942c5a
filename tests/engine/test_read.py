"""The gate, and what keeps a file from being read."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from trainlint.analysis.programs.fact_names import IMPORTED
from trainlint.analysis.tables.frameworks.hooks import FRAMEWORKS
from trainlint.analysis.tables.frameworks.packages import ARRAYS, OTHERS, brings_torch
from trainlint.bounded import SOURCE_BYTES
from trainlint.engine.read import may_hold_findings, read_bytes
from trainlint.source import UnreadableSource


@pytest.mark.parametrize(
    "code",
    [
        "import torch",
        "from lightning import Trainer",
        "from accelerate import Accelerator",
        "from transformers import Trainer",
        "try:\n    import os, timm as models\nexcept ImportError:\n    pass",
        "for x in loader:\n    step(x).backward()",
    ],
)
def test_files_that_may_train_pass_the_gate(code: str) -> None:
    assert may_hold_findings(code.encode())


@pytest.mark.parametrize(
    "code",
    [
        "import json\nprint(json.dumps({}))\n",
        "from .composer import compose\nfrom music import composer\n",
        "import composers, igniter\nnote = 'import timm'\n",
    ],
)
def test_other_files_do_not(code: str) -> None:
    assert not may_hold_findings(code.encode())


def frameworks_of_all_tables() -> set[str]:
    """Every package that a table of the analysis names as a framework, or as one that trains with PyTorch."""
    named = {root for rows in IMPORTED.values() for row in rows for root in row.roots}
    patterns = [framework.bases.pattern for framework in FRAMEWORKS]
    for pattern in patterns:
        for anchored in re.findall(r"\^(\((?:[^()]|\([^()]*\))*\)|\w+)", pattern):
            named.update(re.findall(r"(?<!\\)\b[a-z][a-z_0-9]{2,}\b", anchored))
    return {name for name in named if name not in OTHERS | ARRAYS}


@pytest.mark.parametrize("package", sorted(frameworks_of_all_tables()))
def test_each_framework_that_some_table_knows_passes_the_gate(package: str) -> None:
    assert may_hold_findings(f"from {package}.somewhere import Trainer\n".encode())
    assert brings_torch(package)


def test_a_file_that_reads_tensors_of_another_passes_if_it_imports_one_with_torch() -> None:
    code = b"from nets import Net\n\nprint(Net().loss().item())\n"
    assert may_hold_findings(code, with_torch=True)
    assert not may_hold_findings(code)


@pytest.mark.parametrize("use", ["x.item()", "x.cpu()", "x.cuda()", "x.to(device)"])
def test_a_file_that_uses_tensors_passes_if_it_meets_torch_in_another(use: str) -> None:
    code = f"def use(x, device):\n    return {use}\n".encode()
    assert may_hold_findings(code, with_torch=True)
    assert not may_hold_findings(code)


def test_a_file_is_read_up_to_the_limit(tmp_path: Path) -> None:
    path = tmp_path / "data.py"
    path.write_bytes(b"#" * SOURCE_BYTES)
    assert len(read_bytes(path)) == SOURCE_BYTES
    path.write_bytes(b"#" * (SOURCE_BYTES + 1))
    with pytest.raises(UnreadableSource, match="5 MB"):
        read_bytes(path)


def test_a_file_that_went_away_is_named(tmp_path: Path) -> None:
    with pytest.raises(UnreadableSource, match="no such file"):
        read_bytes(tmp_path / "gone.py")
