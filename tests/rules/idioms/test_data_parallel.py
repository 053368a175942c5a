"""Which names hold a model in DistributedDataParallel, and which its inner module."""

from __future__ import annotations

from tests.analysis.facts import file_model, marked, value_of
from trainlint_rules.distributed.idioms.data_parallel import ddp_call, inner_of_ddp

CODE = """
import torch
from torch.nn.parallel import DistributedDataParallel as DDP

class Trainer:
    def __init__(self, network, rank):
        self.model = DDP(network, device_ids=[rank])

    def run(self):
        x = self.model  #= wrapped
        x = self.model.module  #= inner
        x = self.other  #= neither

def main(network, rank, distributed):
    model = torch.nn.parallel.DistributedDataParallel(network.cuda()).to(rank)
    x = model  #= wrapped
    bare = model.module
    x = bare  #= inner
    maybe = DDP(network) if distributed else network
    x = maybe  #= neither
    if distributed:
        network = DDP(network)
    x = network  #= wrapped
    core = network.module if distributed else network
    x = core  #= neither
    x = torch.nn.DataParallel(network)  #= neither
    x = unknown.module  #= neither
"""


def test_what_names_hold() -> None:
    model = file_model(CODE)
    for statement, block, said in marked(model):
        node = value_of(statement)
        wrapped, inner = ddp_call(model, node, block), inner_of_ddp(model, node, block)
        found = "wrapped" if wrapped is not None else "inner" if inner is not None else "neither"
        assert found == said, f"line {statement.lineno}"
