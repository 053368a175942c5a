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


SUMS = """
import torch


def train(model, optimizer, loader, criterion):
    total, total_data = 0.0, 0.0
    for batch in loader:
        {made}
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
        total += loss
        {other}
    return float(total), float(total_data)
"""


MXNET = """
{imported}
from shop.layers import Network


def evaluate(net, loader, criterion):
    net.eval()
    total = 0
    for data, labels in loader:
        loss = criterion(net(data), labels)
        total += loss.sum()
    return total
"""


TRAIN = """
import numpy as np
import torch
from torch.utils.data import ConcatDataset, DataLoader, TensorDataset
from torchvision.datasets import ImageFolder


def train(model, optimizer, ids, labels, transform, device):
    DATA
    loader = DataLoader(DATASET, batch_size=8OPTIONS)
    total = 0.0
    for batch in loader:
        COPY
        loss = model(*batch)
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
        total += READ


class Noise:
    def noised(self, ids, labels):
        return TensorDataset(ids, labels), len(labels)
"""
EACH_PART = "batch = tuple(part.to(device) for part in batch)"


def training(
    data: str = "pass",
    dataset: str = "TensorDataset(ids, labels)",
    options: str = "",
    copy: str = EACH_PART,
    read: str = "loss.item()",
) -> str:
    parts = {"DATASET": dataset, "DATA": data, "OPTIONS": options, "COPY": copy, "READ": read}
    text = TRAIN
    for name, part in parts.items():
        text = text.replace(name, part)
    return text


IMAGES = {"dataset": "ImageFolder('x', transform)", "options": ", num_workers=4"}


@pytest.mark.parametrize(
    ("text", "offered"),
    [
        (training(), False),
        (training(read="loss.detach()"), True),
        (training(options=", num_workers=4"), False),
        (training(**IMAGES), True),
        (training("dataset, size = noise.noised(ids, labels)", "dataset"), False),
        (training("parts = [TensorDataset(ids, labels)]", "ConcatDataset(parts)"), False),
        (training("parts = []; parts.append(TensorDataset(ids, labels))", "ConcatDataset(parts)"), False),
        (training("parts = []; parts.append(ImageFolder('x', transform))", "ConcatDataset(parts)"), True),
        (training(dataset="ConcatDataset([ImageFolder(place, transform) for place in ids])"), True),
    ],
    ids=[
        "in memory",
        "in memory, and nothing waits",
        "in memory, with workers",
        "read from files",
        "of a method, in memory",
        "of a list, in memory",
        "of a list that is filled, in memory",
        "of a list that is filled, read from files",
        "of a list that is made at once, read from files",
    ],
)
def test_batches_of_memory_are_copied_as_before_where_the_step_waits_anyway(text: str, offered: bool) -> None:
    assert ("TRN205" in fixes(text, "TRN205")) is offered


@pytest.mark.parametrize(
    ("dataset", "read", "offered"),
    [
        ("TensorDataset(ids, labels)", "loss.item()", False),
        ("TensorDataset(ids, labels)", "loss.detach()", True),
        ("ImageFolder('x', transform)", "loss.item()", True),
    ],
)
def test_batches_of_memory_are_not_pinned_where_the_step_waits_anyway(dataset: str, read: str, offered: bool) -> None:
    text = training(dataset=dataset, read=read, options=", num_workers=4")
    assert ("TRN102" in fixes(text, "TRN102")) is offered


COMPUTED = {
    "an array": "x, y = batch; x = torch.Tensor(np.flip(x.numpy())); batch = (x.cuda(), y.cuda())",
    "a view of an array": "x, y = batch; x = torch.from_numpy(x.numpy()).view(-1); batch = (x.cuda(), y.cuda())",
    "a sum": "x, y = batch; x = (x + 1); batch = (x.cuda(), y.cuda())",
    "casts alone": "x, y = batch; batch = (x.half().cuda(), y.long().cuda())",
}


@pytest.mark.parametrize("copy", COMPUTED.values(), ids=COMPUTED)
@pytest.mark.parametrize("code", ["TRN102", "TRN205"])
def test_nothing_is_pinned_for_a_batch_of_which_a_part_is_computed_on_the_host(copy: str, code: str) -> None:
    assert not fixes(training(copy=copy, read="loss.detach()", **IMAGES), code)


@pytest.mark.parametrize(
    ("copy", "level"),
    [
        ("x, y = batch; batch = (x.cuda(), y.cuda())", Safety.SAFE),
        ("x, y = batch; batch = (x.transpose(1, 2).cuda(), y.cuda())", Safety.SAFE),
        ("x, y = batch; batch = (x.cuda(), y.long().cuda())", Safety.UNSAFE),
        ("x, y = batch; batch = (x.float().cuda(), y.long().cuda())", Safety.UNSAFE),
    ],
    ids=["as it is", "a view", "a cast of a part", "a cast that may change nothing"],
)
def test_a_copy_of_what_may_be_pinned_goes_on(copy: str, level: Safety) -> None:
    (found,) = fixes(training(copy=copy, read="loss.detach()", **IMAGES), "TRN205")["TRN205"]
    assert found.fix is not None
    assert found.fix.safety is level


@pytest.mark.parametrize(
    ("dataset", "read", "level"),
    [
        ("Reviews('x', transform)", "loss.item()", Safety.UNSAFE),
        ("Reviews('x', transform)", "loss.detach()", Safety.SAFE),
        ("ImageFolder('x', transform)", "loss.item()", Safety.SAFE),
    ],
    ids=["a wait", "no wait", "a wait, and images"],
)
def test_kilobytes_are_left_to_who_asks_where_the_step_waits_anyway(dataset: str, read: str, level: Safety) -> None:
    text = training(dataset=dataset, read=read, options=", num_workers=4")
    text = text if "ImageFolder" in dataset else text.replace("from torchvision.datasets import ImageFolder", "")
    for code in ("TRN102", "TRN205"):
        (found,) = fixes(text, code)[code]
        assert found.fix is not None
        assert found.fix.safety is level
