"""What the tables answer where lists of single rules used to differ."""

from __future__ import annotations

import pytest

from tests.rules.catalogue import all_rules, judged
from trainlint.analysis.tables import (
    clipping,
    collectives,
    host_reads,
    iterables,
    loaders,
    optimizers,
    parallel,
    precision,
)


@pytest.mark.parametrize(
    "name", ["enumerate", "zip", "tqdm", "alive_it", "track", "islice", "chain", "sorted", "filter"]
)
def test_what_hands_items_on(name: str) -> None:
    assert iterables.passes_items_through(name)
    assert iterables.only_iterates(name)


@pytest.mark.parametrize("name", ["range", "trange", "count", "Progress", "head", "map", "print"])
def test_what_hands_no_items_on(name: str) -> None:
    assert not iterables.passes_items_through(name)


def test_what_counts_to_a_number_ends() -> None:
    assert iterables.counts_rounds("trange")
    assert iterables.yields_numbers("count")
    assert not iterables.counts_rounds("count")


@pytest.mark.parametrize("name", ["prepare", "prepare_data_loader", "prepare_model", "setup", "setup_dataloaders"])
def test_preparations_hand_back_in_order(name: str) -> None:
    assert loaders.prepares(name)
    assert loaders.hands_back_in_order(name)


def test_deepspeed_hands_back_in_an_order_of_its_own() -> None:
    assert loaders.prepares("initialize")
    assert not loaders.hands_back_in_order("initialize")


def test_wrappers_are_known_by_the_names_people_give_them() -> None:
    assert parallel.called_as(parallel.Wrapper.DDP) == {"DistributedDataParallel", "DDP"}
    assert parallel.name_of(parallel.Wrapper.FSDP1) == "FSDP"
    assert parallel.wraps_model("MMDistributedDataParallel")


def test_other_tables() -> None:
    assert clipping.clips_gradients("dispatch_clip_grad")
    assert "torch.nn.utils.clip_grad_value_" not in clipping.RETURNING_NORM
    assert optimizers.is_optimizer_class("RMSprop")
    assert precision.is_scaler_class("ShardedGradScaler")
    assert {"all_gather_single", "gather"} <= collectives.BRINGING_TOGETHER
    assert {"all_reduce", "reduce"} == collectives.REDUCTIONS


RULES = [rule for rule in all_rules() if rule.code == "TRN205"]
LOOP = """
from itertools import chain
from torch.utils.data import DataLoader

def train(model, optimizer, dataset, accelerator):
    loader = DataLoader(dataset, batch_size=64, num_workers=4, pin_memory=True)
    for batch in {iterated}:
        loss = model(batch.to("cuda")).mean()
        loss.backward()
        optimizer.step()
"""


@pytest.mark.parametrize(
    ("iterated", "times"),
    [
        ("loader", 1),
        ("sorted(loader)", 1),
        ("tuple(loader)", 1),
        ("filter(None, loader)", 1),
        ("chain(loader, loader)", 1),
        ("accelerator.prepare(loader)", 0),
        ("accelerator.prepare_data_loader(loader)", 0),
        ("accelerator.setup_dataloaders(loader)", 0),
    ],
)
def test_loops_over_what_wraps_or_prepares_a_loader(iterated: str, times: int) -> None:
    assert len(judged(LOOP.format(iterated=iterated), *RULES).findings) == times


UNPINNED = """
from torch.utils.data import DataLoader

def train(model, optimizer, dataset, accelerator):
    loader = DataLoader(dataset, batch_size=64, num_workers=4)
    accelerator.{method}(loader)
    for batch in loader:
        loss = model(batch.to("cuda", non_blocking=True)).mean()
        loss.backward()
        optimizer.step()
"""


@pytest.mark.parametrize(("method", "prepares"), [("show", False), ("prepare", True), ("prepare_data_loader", True)])
def test_a_loader_that_a_framework_prepares_keeps_its_option(method: str, prepares: bool) -> None:
    rules = [rule for rule in all_rules() if rule.name == "loader-without-pinned-memory"]
    (found,) = judged(UNPINNED.format(method=method), *rules).findings
    assert ("prepared" in found.help) is prepares


def test_what_hands_the_host_values() -> None:
    assert {"item", "tolist"} == host_reads.TO_PYTHON
    assert {"item", "tolist", "cpu"} == host_reads.WAITING_TO_HOST
    assert "numpy" in host_reads.TO_HOST - host_reads.WAITING
    assert host_reads.SIZED_BY_DATA <= host_reads.WAITING
