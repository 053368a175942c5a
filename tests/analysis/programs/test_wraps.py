"""What is a model wrapped with? Marks say `ddp`, `fsdp1`, `fsdp2`, or `none` where that is not sure."""

from __future__ import annotations

import textwrap

import pytest

from tests.analysis.facts import file_model, marked, value_of
from trainlint.analysis.programs.wraps import wrap_of, wraps

IMPORTS = """
import torch
from torch.distributed.fsdp import FullyShardedDataParallel as FSDP, fully_shard
from torch.nn.parallel import DistributedDataParallel as DDP
"""
SNIPPETS = {
    "names": """
        def main(build, rank, flag):
            plain = build()
            model = FSDP(plain)
            held = model  #= fsdp1
            moved = model.to(rank)  #= fsdp1
            compiled = torch.compile(model)  #= fsdp1
            inner = plain  #= none
            other = DDP(plain, device_ids=[rank])
            other = other  #= ddp
            if flag:
                plain = DDP(plain)
                here = plain  #= ddp
            there = plain  #= none
    """,
    "in place": """
        def main(build, flag):
            model = build()
            before = model  #= none
            for block in model.blocks:
                fully_shard(block)
            fully_shard(model)
            after = model  #= fsdp2
            back = fully_shard(build())
            whole = back  #= fsdp2
    """,
    "attributes": """
        class Trainer:
            def __init__(self, model):
                self.bare = model
                self.model = model.cuda()
                self.model = DDP(self.model)

            def train(self):
                model = self.model  #= ddp
                bare = self.bare  #= none
    """,
    "parameters": """
        def clip(model, others):
            first = model  #= fsdp1
            second = others  #= none

        def main(build):
            model = FSDP(build())
            clip(model, build())
            clip(others=model, model=model)
    """,
}


@pytest.mark.parametrize("name", SNIPPETS)
def test_what_a_model_is_wrapped_with(name: str) -> None:
    model = file_model(IMPORTS + textwrap.dedent(SNIPPETS[name]))
    said, expected = [], []
    for statement, block, mark in marked(model):
        found = wrap_of(model, value_of(statement), block)
        said.append((statement.lineno, found.wrapper.name.lower() if found is not None else "none"))
        expected.append((statement.lineno, mark))
    assert said == expected


def test_wraps_of_a_file_with_what_they_are_called() -> None:
    model = file_model(IMPORTS + "a = DDP(net)\nfully_shard(a.layer)\nuse(FSDP(net))\nthing.FSDP(net)\n")
    assert [(item.wrapper.name, item.result) for item in wraps(model)] == [
        ("DDP", "a"),
        ("FSDP1", None),
        ("FSDP2", "a.layer"),
    ]
