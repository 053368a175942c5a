"""Fixes of the rules on DDP and barriers as they meet real layouts; all of them are for a person to judge."""

from __future__ import annotations

import pytest

from tests.rules.catalogue import DEFAULT, source
from trainlint.engine.judge import judge
from trainlint.finding import Safety
from trainlint.fixing import apply_fixes
from trainlint.rule import Rule
from trainlint_rules.distributed.barrier_in_step import BarrierInStep
from trainlint_rules.distributed.ddp_module_bypassed import DdpModuleBypassed
from trainlint_rules.distributed.unused_parameter_search import UnusedParameterSearch

DDP = "from torch.nn.parallel import DistributedDataParallel as DDP\n"
STEP = """\
def train(network, optimizer, loader):
    model = DDP(network)
    for batch in loader:
        loss = {}(batch).mean()
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
"""
BARRIER = """\
import torch.distributed as dist


def train(model, optimizer, loader):
    for batch in loader:
        loss = model(batch).mean()
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
        if dist.is_initialized():
            {}
"""


def fixed(text: str, rule: type[Rule]) -> str:
    (finding,) = judge(source(text), [rule()], DEFAULT).findings
    if finding.fix is None:
        return text
    assert finding.fix.safety is Safety.UNSAFE
    return apply_fixes(source(text), [finding], Safety.UNSAFE).text


@pytest.mark.parametrize(
    ("before", "after"),
    [
        (
            "DDP(\n    net,\n    device_ids=[0],\n    find_unused_parameters=True,\n)",
            "DDP(\n    net,\n    device_ids=[0],\n)",
        ),
        ("DDP(net, device_ids=[0],\n    find_unused_parameters=True)", "DDP(net, device_ids=[0])"),
        ("DDP(net, find_unused_parameters=True, **options)", "DDP(net, **options)"),
    ],
)
def test_the_search_is_removed_in_any_layout(before: str, after: str) -> None:
    assert fixed(f"{DDP}model = {before}\n", UnusedParameterSearch) == f"{DDP}model = {after}\n"


def test_no_fix_where_a_comment_speaks_of_the_search() -> None:
    text = f"{DDP}model = DDP(net, find_unused_parameters=True,  # the second head is optional\n    device_ids=[0])\n"
    assert fixed(text, UnusedParameterSearch) == text


@pytest.mark.parametrize("call", ["model.module", "model.module.forward"])
def test_the_wrapper_is_called(call: str) -> None:
    assert fixed(DDP + STEP.format(call), DdpModuleBypassed) == DDP + STEP.format("model")


def test_a_barrier_alone_in_its_branch_leaves_a_branch_that_parses() -> None:
    assert fixed(BARRIER.format("dist.barrier()"), BarrierInStep) == BARRIER.format("pass")
