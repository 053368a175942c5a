"""What to choose, in two sentences."""

from __future__ import annotations

from collections.abc import Sequence

from trainlint.planning.fits import TIGHT, Outlook
from trainlint.planning.memory import knows_activations
from trainlint.planning.model import Model
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
from trainlint.planning.training import Checkpointing, Training


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


def advice(model: Model, training: Training, outlooks: Sequence[Outlook]) -> str:
    """Two sentences: what to take, and what it costs or what would help."""
    chosen = recommended(outlooks)
    return _nothing_fits(model, training, outlooks) if chosen is None else _of_choice(model, training, chosen)


def _of_choice(model: Model, training: Training, chosen: Outlook) -> str:
    held, cluster = chosen.memory, training.cluster
    first = (
        f"Take {chosen.strategy.title}: {held.total / 1e9:.1f} GB of the {cluster.memory / 1e9:.1f} GB "
        f"of each GPU ({chosen.share:.0%})."
    )
    if not knows_activations(model):
        return (
            f"{first} Activations are not in this figure: give the layers' numbers, a config.json or the model itself."
        )
    if chosen.share > TIGHT:
        return f"{first} That is tight: a smaller micro-batch with more accumulation, or checkpointing, gives room."
    largest = chosen.largest_batch or 0
    if largest > training.batch:
        return f"{first} Micro-batches of up to {largest} samples fit, so raise the batch before you buy GPUs."
    return f"{first} A micro-batch of {training.batch} is the largest that fits."


def _nothing_fits(model: Model, training: Training, outlooks: Sequence[Outlook]) -> str:
    least = min(outlooks, key=lambda item: item.memory.total)
    first = (
        f"Nothing fits: the least, {least.strategy.title}, needs {least.memory.total / 1e9:.1f} GB "
        f"of the {training.cluster.memory / 1e9:.1f} GB of each GPU."
    )
    if (least.memory.activations or 0) + least.memory.logits > least.memory.states:
        help_ = "Activations are most of it, which no sharding divides: "
        if training.checkpointing is not Checkpointing.FULL:
            return f"{first} {help_}use full checkpointing or a smaller micro-batch."
        return f"{first} {help_}use a smaller micro-batch, shorter sequences, or tensor parallelism."
    if model.trained == model.parameters:
        return f"{first} States are most of it: use more GPUs, an 8-bit optimizer, or train adapters (LoRA) instead."
    return f"{first} Use more GPUs, or pipeline and tensor parallelism, which this plan does not compute."
