"""A wrapper of loaders that no rule knows is followed as soon as it has a row."""

from __future__ import annotations

import pytest

from tests.rules.catalogue import all_rules, judged
from trainlint.analysis.tables import loaders

RULES = [rule for rule in all_rules() if rule.code in ("TRN101", "TRN205")]
READS = [rule for rule in all_rules() if rule.code in ("TRN201", "TRN205")]
PROGRAM = """
import torch
from chewing import chew
from PIL import Image
from torch.utils.data import DataLoader, Dataset
from torchvision.transforms.functional import to_tensor

class Photographs(Dataset):
    def __init__(self, paths, labels):
        self.paths, self.labels = paths, labels

    def __len__(self):
        return len(self.paths)

    def __getitem__(self, index):
        return to_tensor(Image.open(self.paths[index])), self.labels[index]

def train(model, criterion, optimizer, paths, labels):
    loader = DataLoader(Photographs(paths, labels), batch_size=64, shuffle=True, pin_memory=True)
    for x, y in chew(loader):
        x, y = x.to("cuda"), y.to("cuda")
        loss = criterion(model(x), y)
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
"""


def found(text: str = PROGRAM) -> list[str]:
    """The codes of what the two rules find."""
    return sorted(finding.code for finding in judged(text, *RULES).findings)


def test_batches_of_a_prefetcher_of_unknown_class_lie_on_the_device() -> None:
    program = PROGRAM.replace("from chewing import chew", "from fetching import BatchPrefetcher").replace(
        'for x, y in chew(loader):\n        x, y = x.to("cuda"), y.to("cuda")',
        "fetcher = BatchPrefetcher(loader)\n    while (batch := fetcher.next()) is not None:\n"
        "        x, y = batch\n        print(y.sum().item())",
    )
    assert [finding.code for finding in judged(program + '\nDEVICE = "cuda"\n', *READS).findings] == ["TRN201"]


def test_a_wrapper_that_loaders_alone_are_given_is_followed_too(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(loaders, "WRAPPERS", loaders.WRAPPERS | {"chew"})
    assert found() == ["TRN101", "TRN205"]


def test_a_loader_that_a_new_framework_prepares_moves_its_batches_itself(monkeypatch: pytest.MonkeyPatch) -> None:
    text = PROGRAM.replace("    for x, y in chew(loader)", "    loader = fabric.chew(loader)\n    for x, y in loader")
    assert "TRN205" in found(text)
    monkeypatch.setattr(loaders, "PREPARING_IN_ORDER", (*loaders.PREPARING_IN_ORDER, "chew"))
    assert "TRN205" not in found(text)
