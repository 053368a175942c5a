"""Where a batch lies after a loop over its keys has moved it."""

from __future__ import annotations

from tests.interpreter.running import places, run_files


def test_a_batch_of_which_each_part_was_moved_lies_on_the_device() -> None:
    code = """
import torch
from torch.utils.data import DataLoader
model = torch.nn.Linear(4, 1).cuda()
for batch in DataLoader([], pin_memory=True):
    for key in batch:
        if key != "name":
            batch[key] = batch[key].to("cuda", non_blocking=True)
    model(batch["x"]).sum().backward()
    if batch["y"].sum() == 0:
        continue
"""
    _, events = run_files([("train.py", code)])
    assert places(events) == ["train.py:10 TEST sure"]


def test_a_batch_of_which_one_part_was_moved_stays_on_the_host() -> None:
    code = """
import torch
from torch.utils.data import DataLoader
model = torch.nn.Linear(4, 1).cuda()
for batch in DataLoader([], pin_memory=True):
    batch["x"] = batch["x"].to("cuda", non_blocking=True)
    model(batch["x"]).sum().backward()
    if batch["y"].sum() == 0:
        continue
"""
    _, events = run_files([("train.py", code)])
    assert places(events) == []


def test_a_device_by_its_number_is_one_whatever_the_attribute_was_before() -> None:
    code = """
import torch
from torch.utils.data import DataLoader
class Trainer:
    def __init__(self, model):
        self.model = model
        self.device = "cpu"
        if torch.cuda.is_available():
            self.device = torch.cuda.current_device()
    def train(self):
        for batch in DataLoader([]):
            self.model(batch.to(self.device)).sum().backward()
Trainer(torch.nn.Linear(4, 1).cuda()).train()
"""
    _, events = run_files([("train.py", code)])
    assert places(events) == ["train.py:12 BATCH_COPY sure"]
