"""Which calls are collectives, what they are given, and which belong together."""

from __future__ import annotations

import ast

from tests.analysis.facts import file_model
from trainlint.analysis.effects.collectives import (
    Collective,
    collective,
)
from trainlint.analysis.tables.collectives import COLLECTIVES

CODE = """
import torch
import torch.distributed as dist
from torch.distributed import ReduceOp, barrier
from torch.distributed.nn import all_reduce as differentiable

def train(x, y, out, parts, accelerator, group):
    dist.all_reduce(x)
    dist.all_reduce(y, op=dist.ReduceOp.MAX)
    torch.distributed.all_gather(parts, x, group=group)
    dist.all_gather_into_tensor(out, x, async_op=True)
    dist.broadcast_object_list([x])
    barrier()
    dist.reduce_scatter_tensor(out, input=x, async_op=False)
    try:
        dist.broadcast(x, 0)
    finally:
        dist.broadcast(y, src=0)
    accelerator.gather(x)
    differentiable(x)
    torch.distributed.nn.all_reduce(x)

def act(logits):
    dist = torch.distributions.Categorical(logits=logits)
    return dist.gather(1, logits)
"""


def found() -> dict[int, Collective]:
    model = file_model(CODE)
    places = [place for name in (*COLLECTIVES, "differentiable") for place in model.outline.calls.get(name, ())]
    all_found = {}
    for place in places:
        assert isinstance(place.node, ast.Call)
        item = collective(model, place.node, place.block)
        if item is not None:
            all_found[place.node.lineno] = item
    return all_found


def test_collectives_and_what_they_are_given() -> None:
    said = {line: (item.name, ast.unparse(item.tensor) if item.tensor else None) for line, item in found().items()}
    assert said == {
        8: ("all_reduce", "x"),
        9: ("all_reduce", "y"),
        10: ("all_gather", "x"),
        11: ("all_gather_into_tensor", "x"),
        12: ("broadcast_object_list", "[x]"),
        13: ("barrier", None),
        14: ("reduce_scatter_tensor", "x"),
        16: ("broadcast", "x"),
        18: ("broadcast", "y"),
    }
    assert found()[12].of_objects
    assert not found()[8].of_objects
