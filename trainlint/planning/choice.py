"""Which of the strategies that fit to take."""

from __future__ import annotations

from collections.abc import Sequence

from trainlint.planning.fits import TIGHT, Outlook
from trainlint.planning.strategies import (
    DDP,
    FSDP2,
    FSDP2_GATHERED,
    HYBRID,
    OFFLOAD,
    ONE,
    ZERO_1,
    ZERO_2,
    ZERO_3,
)


def recommended(outlooks: Sequence[Outlook]) -> Outlook | None:
    """The strategy to take: of those that fit with a margin, else at all, the fastest; None where nothing fits.

    Where computing hides all communication, they are equally fast, and the simplest is taken.
    """
    for limit in (TIGHT, 1.0):
        fitting = [item for item in outlooks if item.share <= limit]
        if fitting:
            return min(fitting, key=_cost)
    return None


def _cost(item: Outlook) -> tuple[float, int]:
    time = item.duration.sending if item.duration.overlapped is None else item.duration.overlapped
    return round(time, 4), _SIMPLEST.index(item.strategy)


_SIMPLEST = (ONE, DDP, FSDP2, FSDP2_GATHERED, ZERO_1, ZERO_2, ZERO_3, HYBRID, OFFLOAD)
"""The less a program must change, the earlier; DeepSpeed's stages need its own engine."""
