"""Fixes in a file that is linked with others: what these said of it before the fix is not held against it."""

from __future__ import annotations

from pathlib import Path

import pytest

from trainlint.cli import main

TRAIN = """\
import torch
from torch.utils.data import DataLoader
from torch.utils.data.distributed import DistributedSampler

from report import report


def main(dataset, model):
    sampler = DistributedSampler(dataset)
    loader = DataLoader(dataset, batch_size=32, sampler=sampler)
    optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
    for epoch in range(10):
        for images, labels in loader:
            optimizer.zero_grad()
            loss = torch.nn.functional.cross_entropy(model(images) + torch.zeros(10).to("cuda"), labels)
            loss.backward()
            optimizer.step()
        report(model, epoch)


if __name__ == "__main__":
    main(*prepared())
"""
REPORT = "import torch\n\n\ndef report(model, epoch):\n    print(epoch, torch.cuda.memory_allocated())\n"
CHECK = ("check", ".", "--isolated", "--no-cache", "--select", "TRN207", "--min-confidence", "unlikely", "--preview")


@pytest.fixture
def project(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A training script and a file that it imports."""
    (tmp_path / "train.py").write_text(TRAIN)
    (tmp_path / "report.py").write_text(REPORT)
    monkeypatch.chdir(tmp_path)
    return tmp_path


def test_what_a_fix_adds_to_a_linked_file_counts(project: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main([*CHECK]) == 1
    assert main([*CHECK, "--fix", "--unsafe-fixes"]) == 0, capsys.readouterr()
    assert 'torch.zeros(10, device="cuda")' in (project / "train.py").read_text()
    assert main([*CHECK]) == 0
