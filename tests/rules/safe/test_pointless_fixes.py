"""A fix that would gain nothing is not offered, nor one that overrules what somebody has decided."""

from __future__ import annotations

import pytest

from tests.rules.safe.offered import fixed, fixes
from trainlint.finding import Safety

MOVER = """
import torch


def {name}(things):
    if isinstance(things, torch.Tensor):
        return things.cuda()
    return [{name}(thing) for thing in things]
"""


@pytest.mark.parametrize("name", ["to_cuda", "move_batch", "batch_to_device"])
def test_a_helper_that_nothing_calls_with_a_batch_is_left(name: str) -> None:
    assert not fixes(MOVER.format(name=name), "TRN205")


GRAPHS = """
import torch
from graphs.loading import {loader}


def train(model, optimizer, criterion, dataset, device):
    loader = {loader}(dataset, batch_size=64, shuffle=True{option})
    for first, second in zip(loader, loader):
        inputs, targets = first
        targets = targets.to(device)
        optimizer.zero_grad()
        criterion(model(inputs), targets.float()).backward()
        optimizer.step()
"""


@pytest.mark.parametrize("loader", ["GraphDataLoader", "DataLoader", "MoleculeDataLoader"])
def test_a_copy_waits_as_before_where_no_loader_pins_memory(loader: str) -> None:
    assert not fixes(GRAPHS.format(loader=loader, option=""), "TRN205")


@pytest.mark.parametrize("option", [", pin_memory=True", ", **options"])
def test_a_copy_may_go_on_where_a_loader_may_pin_memory(option: str) -> None:
    assert fixes(GRAPHS.format(loader="GraphDataLoader", option=option), "TRN205")


SAMPLED = """
import torch
from torch.utils.data import DataLoader
{imported}


def train(model, optimizer, nodes, sampler, device):
    loader = DataLoader(nodes, batch_size=64, num_workers=4, shuffle=True{collate})
    for blocks in loader:
        blocks = [block.to(device) for block in blocks]
        optimizer.zero_grad()
        model(blocks).sum().backward()
        optimizer.step()
"""


@pytest.mark.parametrize("imported", ["import dgl", "from dgl.nn import GATConv", "import dgl.function as fn"])
@pytest.mark.parametrize("collate", [", collate_fn=sampler.sample", ", collate_fn=lambda items: sampler(items)"])
def test_batches_that_may_be_graphs_are_not_pinned(imported: str, collate: str) -> None:
    assert not fixes(SAMPLED.format(imported=imported, collate=collate), "TRN102")


def test_tensors_are_pinned_in_a_file_that_uses_graphs_too() -> None:
    assert fixes(SAMPLED.format(imported="import dgl", collate=""), "TRN102")


STEP = """
import torch


def train(model, optimizer, loader):
    for batch in loader:
        batch = batch.to("cuda", non_blocking=True)
        loss = model(batch).mean()
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
{last}
"""


@pytest.mark.parametrize(
    ("last", "left"),
    [
        ("        torch.cuda.empty_cache()", ""),
        ("        torch.cuda.empty_cache()\n        del loss", "        del loss\n"),
        ("\n        torch.cuda.empty_cache()\n\n        print(loss)", "\n        print(loss)\n"),
    ],
)
def test_a_call_that_nothing_explains_may_go(last: str, left: str) -> None:
    after = fixed(STEP.format(last=last), "TRN301", Safety.UNSAFE)
    assert after.partition("optimizer.step()\n")[2] == left
