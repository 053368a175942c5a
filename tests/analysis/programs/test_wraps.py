"""What is a model wrapped with? Marks say `ddp`, `fsdp1`, `fsdp2`, or `none` where that is not sure."""

from __future__ import annotations

from tests.analysis.facts import file_model
from trainlint.analysis.programs.wraps import wraps

IMPORTS = """
import torch
from torch.distributed.fsdp import FullyShardedDataParallel as FSDP, fully_shard
from torch.nn.parallel import DistributedDataParallel as DDP
"""


def test_wraps_of_a_file_with_what_they_are_called() -> None:
    model = file_model(IMPORTS + "a = DDP(net)\nfully_shard(a.layer)\nuse(FSDP(net))\nthing.FSDP(net)\n")
    assert [(item.wrapper.name, item.result) for item in wraps(model)] == [
        ("DDP", "a"),
        ("FSDP1", None),
        ("FSDP2", "a.layer"),
    ]
