"""The rank of this process, and how many processes train together."""

from __future__ import annotations

import os

from trainlint_probe.watch.imported import loaded

simulated = False
"""Whether the other ranks exist in name only: then nobody waits for their evidence."""


def rank_and_world() -> tuple[int, int]:
    """This process among those that train together, and how many these are."""
    if simulated:
        return 0, 1
    distributed = loaded("torch.distributed")
    if distributed is not None and distributed.is_available() and distributed.is_initialized():
        return distributed.get_rank(), distributed.get_world_size()
    rank, ranks = os.environ.get("RANK", ""), os.environ.get("WORLD_SIZE", "")
    return (int(rank), int(ranks)) if rank.isdecimal() and ranks.isdecimal() else (0, 1)
