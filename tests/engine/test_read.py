"""The gate, and what keeps a file from being read."""

from __future__ import annotations

from pathlib import Path

import pytest

from trainlint.bounded import SOURCE_BYTES
from trainlint.engine.read import may_hold_findings, read_bytes
from trainlint.source import UnreadableSource


@pytest.mark.parametrize(
    "code",
    [
        "import torch",
        "from lightning import Trainer",
        "from accelerate import Accelerator",
        "for x in loader:\n    step(x).backward()",
    ],
)
def test_files_that_may_train_pass_the_gate(code: str) -> None:
    assert may_hold_findings(code.encode())


def test_other_files_do_not() -> None:
    assert not may_hold_findings(b"import json\nprint(json.dumps({}))\n")


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
