"""Fixes of the rules on DDP and barriers as they meet real layouts; all of them are for a person to judge."""

from __future__ import annotations

import pytest

from tests.rules.catalogue import STATED, judged_source, source
from trainlint.finding import Safety
from trainlint.fixing import apply_fixes
from trainlint.rule import Rule
from trainlint_rules.distributed.barrier_in_step import BarrierInStep
from trainlint_rules.distributed.unused_parameter_search import UnusedParameterSearch

DDP = "from torch.nn.parallel import DistributedDataParallel as DDP\n"
NET = f"from torch import nn\n{DDP}\nnet = nn.Linear(8, 8)\n"
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
    (finding,) = judged_source(source(text), [rule()], STATED).findings
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
    assert fixed(f"{NET}model = {before}\n", UnusedParameterSearch) == f"{NET}model = {after}\n"


def test_no_fix_where_a_comment_speaks_of_the_search() -> None:
    text = f"{NET}model = DDP(net, find_unused_parameters=True,  # the second head is optional\n    device_ids=[0])\n"
    assert fixed(text, UnusedParameterSearch) == text


MODULE = """from torch import nn
from torch.nn.parallel import DistributedDataParallel as DDP


class Layer(nn.Module):
    def __init__(self, width: int):
        super().__init__()
        self.width = width
        self.scale = nn.Parameter(__import__("torch").ones(width))
        self.linear = nn.Linear(width, width)

    def forward(self, rows):
        return self.linear(rows) * self.scale


class Net(nn.Module):
    def __init__(self, width: int{parameters}):
        super().__init__()
        self.layers = nn.ModuleList([Layer(width) for _ in range(4)])
        self.head = nn.Linear(width, 2)
        {more}

    def forward(self, rows{arguments}):
        for layer in self.layers:
            rows = layer(rows)
        {then}
        return {returned}


def main(rank):
    net = Net(8)
    net = net.to(rank)
    return DDP(net, device_ids=[rank], find_unused_parameters=True)
"""


def module(**parts: str) -> str:
    plain = {"parameters": "", "more": "pass", "arguments": "", "then": "pass", "returned": "self.head(rows)"}
    return MODULE.format(**(plain | parts))


@pytest.mark.parametrize(
    "text",
    [module(), module(more="self.names = 3"), module(then="rows = rows.relu()")],
    ids=["all parts are used", "a number besides", "arithmetic"],
)
def test_the_search_goes_where_each_parameter_surely_gets_a_gradient(text: str) -> None:
    assert fixed(text, UnusedParameterSearch) == text.replace(", find_unused_parameters=True", "")


@pytest.mark.parametrize(
    "text",
    [
        module(more="self.extra = nn.Linear(width, width)"),
        module(then="if rows.sum() > 0:\n            rows = rows + 1"),
        module(then="rows = rows.detach()"),
        module(then="with __import__('torch').no_grad():\n            rows = rows + 1"),
        module(then="other = self.head(rows)"),
        module(returned="(rows, self.head(rows))"),
        module(returned="self.head(rows) if self.training else rows"),
        module(parameters=", tower", more="self.tower = tower", then="rows = self.tower(rows)"),
        module(more="self.register_parameter('spare', None)"),
        NET.replace("nn.Linear(8, 8)", "build()") + "model = DDP(net, find_unused_parameters=True)\n",
        f"{DDP}def wrap(net):\n    return DDP(net, find_unused_parameters=True)\n",
    ],
    ids=[
        "a part that is not used",
        "a branch",
        "a cut",
        "no gradients for a part of it",
        "a value that is not used",
        "two values",
        "two ways",
        "a part from elsewhere",
        "a parameter by its name",
        "a model from elsewhere",
        "a parameter",
    ],
)
def test_the_search_stays_where_a_parameter_may_be_left_out(text: str) -> None:
    assert fixed(text, UnusedParameterSearch) == text


def test_a_barrier_alone_in_its_branch_leaves_a_branch_that_parses() -> None:
    assert fixed(BARRIER.format("dist.barrier()"), BarrierInStep) == BARRIER.format("pass")
