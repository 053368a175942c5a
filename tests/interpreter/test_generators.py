"""Generators whose items a training loop takes: their own loop runs as often."""

from __future__ import annotations

from typing import Final

import pytest

from tests.interpreter.running import places, run_files

_PROGRAM: Final = """
import torch
from torch.utils.data import DataLoader
model = torch.nn.Linear(3, 3).cuda()
class Batches:
    def __init__(self, loader):
        self.loader = loader
    def __iter__(self):
        seed = torch.rand(3).cuda()
        for batch in self.loader:
            yield batch.cuda()
def batches(loader):
    seed = torch.rand(3).cuda()
    for batch in loader:
        yield batch.cuda()
def forever(loader):
    while True:
        seed = torch.rand(3).cuda()
        for batch in loader:
            yield batch.cuda()
def in_threes(source):
    several = []
    for batch in source:
        several.append(batch)
        if len(several) == 3:
            yield several[0]
loader = DataLoader([])
for batch in {source}:
    model(batch).sum().backward()
"""


@pytest.mark.parametrize(
    ("source", "line"),
    [
        ("batches(loader)", 15),
        ("enumerate(batches(loader))", 15),
        ("tqdm(batches(loader))", 15),
        ("forever(loader)", 20),
        ("in_threes(batches(loader))", 15),
    ],
)
def test_what_a_generator_does_for_each_item_belongs_to_a_step(source: str, line: int) -> None:
    code = _PROGRAM.format(source=source)
    if "enumerate" in source:
        code = code.replace("for batch in enumerate", "for number, batch in enumerate")
    run, events = run_files([("train.py", code)])
    assert places(events) == [f"train.py:{line} BATCH_COPY sure"]
    [(_, use)] = run.loaders
    assert use.trains is not None
    assert use.again is None or source.startswith("forever")


def test_what_a_dataset_gives_may_come_from_workers() -> None:
    assert places(run_files([("train.py", _PROGRAM.format(source="Batches(loader)"))])[1]) == []


def test_a_generator_of_another_loop_does_not() -> None:
    code = _PROGRAM.format(source="loader") + "for batch in batches(loader):\n    print(batch)\n"
    assert places(run_files([("train.py", code)])[1]) == []


def test_a_generator_that_is_used_up_before_does_not() -> None:
    start = "def collected(loader):\n    held = list(batches(loader))\n    return held\n"
    code = start + _PROGRAM.format(source="collected(loader)")
    assert places(run_files([("train.py", code)])[1]) == []
