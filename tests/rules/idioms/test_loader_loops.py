"""What the loops over a loader do with its batches."""

from __future__ import annotations

import pytest

from tests.analysis.facts import file_model
from trainlint_rules.data.idioms.loader_loops import only_counts, only_evaluates

LOADER = """
import torch
from torch.utils.data import DataLoader

loader = DataLoader(rows, batch_size=8)
"""
COUNTS = {
    "sums": ("for x, y in loader:\n    total += x.sum().item()\n    seen += len(y)", True),
    "functions of torch": ("for batch in loader:\n    total += torch.numel(batch['labels'])", True),
    "a model": ("for x in loader:\n    total += model(x).sum()", False),
    "handed on": ("for x in loader:\n    step(x)", False),
    "collected": ("for x in loader:\n    kept.append(x)", False),
    "given out": ("def f():\n    for x in loader:\n        yield x", False),
    "copied to the device": ("for x in loader:\n    total += x.cuda().sum()", False),
    "no loop": ("model(next(iter(loader)))", False),
}


@pytest.mark.parametrize(("code", "counts"), COUNTS.values(), ids=COUNTS.keys())
def test_loops_that_only_count(code: str, counts: bool) -> None:
    model = file_model(LOADER + code)
    (loader,) = model.loaders.built.values()
    assert only_counts(model, loader) is counts


EVALUATION = """
def evaluate(model, loader):
    model.eval()
    with torch.no_grad():
        for x, y in loader:
            correct += (model(x).argmax(1) == y).sum()
evaluate(net, loader)
"""
TRAINING = """
for x, y in loader:
    loss = criterion(net(x), y)
    loss.backward()
    optimizer.step()
"""
DRAWN = """
batches = iter(loader)
while True:
    criterion(net(next(batches))).backward()
    optimizer.step()
"""


@pytest.mark.parametrize(
    ("code", "evaluates"),
    [(EVALUATION, True), (TRAINING, False), (EVALUATION + TRAINING, False), (EVALUATION + DRAWN, False)],
)
def test_loops_that_only_evaluate(code: str, evaluates: bool) -> None:
    model = file_model(LOADER + code)
    (loader,) = model.loaders.built.values()
    assert only_evaluates(model, loader) is evaluates
