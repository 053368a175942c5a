"""Calls of what is not in sight, by their arguments."""

from __future__ import annotations

import pytest

from tests.interpreter.running import places, run_files, told_in_a_step


@pytest.mark.parametrize(
    "step",
    [
        "scale(loss, optimizer, parameters=model.parameters())",
        "self.scaler.step_with(loss, optimizer=self.optimizer)",
        "NativeScaler()(loss, optimizer)",
    ],
)
def test_what_is_given_a_loss_and_an_optimizer_trains(step: str) -> None:
    code = f"""
from missing import NativeScaler
def train(self, model, loader, optimizer):
    for batch in loader:
        loss = model(batch.cuda()).sum()
        {step}
train(make(), make(), make(), make())
"""
    _, events = run_files([("train.py", code)])
    assert places(events) == ["train.py:5 BATCH_COPY sure"]


@pytest.mark.parametrize("step", ["save_checkpoint(loss, optimizer)", "log(loss, lr=optimizer.lr)", "scale(optimizer)"])
def test_what_is_given_one_of_them_or_saves_them_does_not(step: str) -> None:
    code = f"""
from missing import scale, log, save_checkpoint
def evaluate_all(model, loader, optimizer):
    for batch in loader:
        loss = model(batch.cuda()).sum()
        {step}
evaluate_all(make(), make(), make())
"""
    _, events = run_files([("train.py", code)])
    assert places(events) == []


@pytest.mark.parametrize(
    "batches",
    [
        "meter.log_every(loader, 10)",
        "prefetched(loader)",
        "missing.bar(loader)",
        "missing.progress('train', loader)",
        "Solver().log_progress('train', loader)",
    ],
)
def test_what_is_given_a_loader_gives_its_batches(batches: str) -> None:
    code = f"""
import missing
import torch
from torch.utils.data import DataLoader
class Solver(missing.BaseSolver):
    pass
model = torch.nn.Linear(4, 1).cuda()
loader = DataLoader([])
for batch in {batches}:
    model(batch.cuda()).sum().backward()
"""
    _, events = run_files([("train.py", code)])
    assert places(events) == ["train.py:10 BATCH_COPY sure"]


def test_a_tokenizer_returns_tensors_of_the_host() -> None:
    assert told_in_a_step("tokenizer(batch, return_tensors='pt').input_ids.to('cuda')") == ["BATCH_COPY sure"]
    assert told_in_a_step("tokenizer(batch, return_tensors='np').to('cuda')") == []


@pytest.mark.parametrize("name", ["critic", "model", "loss_fn"])
def test_an_attribute_that_has_the_name_of_a_model_gives_tensors(name: str) -> None:
    code = f"""
class Trainer:
    def __init__(self, given):
        self.{name} = given
    def fit(self, loader):
        for batch in loader:
            output = self.{name}(batch.cuda(non_blocking=True))
            output.sum().backward()
            output.mean().cpu()
Trainer(make()).fit(make())
"""
    _, events = run_files([("train.py", code)])
    assert [(event.node.lineno, event.certainty) for event in events] == [(9, "certain")]


@pytest.mark.parametrize("blocks", ["Block(), torch.nn.ReLU()", "torch.nn.ReLU(), Block()"])
def test_modules_in_sequence_are_called_one_after_the_other(blocks: str) -> None:
    code = f"""
import torch
from torch.utils.data import DataLoader
class Block(torch.nn.Module):
    def forward(self, x):
        return x * x.mean().item()
class Net(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.blocks = torch.nn.Sequential({blocks})
    def forward(self, x):
        y = self.blocks(x)
        return y[y > 0]
net = Net().cuda()
for batch in DataLoader([]):
    net(batch.cuda(non_blocking=True)).sum().backward()
"""
    _, events = run_files([("train.py", code)])
    assert places(events) == ["train.py:13 MASK_INDEX sure", "train.py:6 ITEM sure"]
