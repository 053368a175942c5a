"""What to choose, in a few sentences."""

from __future__ import annotations

from collections.abc import Sequence

from trainlint.planning.alternatives import Alternatives
from trainlint.planning.choice import recommended
from trainlint.planning.fits import TIGHT, Outlook
from trainlint.planning.memory import knows_activations
from trainlint.planning.model import Model
from trainlint.planning.training import Checkpointing, Training


def advice(model: Model, training: Training, outlooks: Sequence[Outlook], instead: Alternatives | None) -> str:
    """What to take and what it costs; where nothing fits, the cheapest of the `instead` that does."""
    chosen = recommended(outlooks)
    if chosen is not None:
        return _of_choice(model, training, chosen)
    return _nothing_fits(training, outlooks, instead)


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
        return f"{first} That is tight: {_room(model, training)}."
    largest = chosen.largest_batch or 0
    if largest > training.batch:
        return f"{first} Micro-batches of up to {largest} samples fit, so raise the batch before you buy GPUs."
    return f"{first} A micro-batch of {training.batch} is the largest that fits."


def _room(model: Model, training: Training) -> str:
    """What gives room without other results."""
    ways = ["a smaller micro-batch with more accumulation"] if training.batch > 1 else []
    if model.traced is not None or training.checkpointing is not Checkpointing.FULL:
        ways.append("activation checkpointing")
    ways.append("more GPUs" if training.cluster.gpus > 1 else "a second GPU")
    return f"{' or '.join(ways)} {'give' if ways[-1] == 'more GPUs' else 'gives'} room"


def _nothing_fits(training: Training, outlooks: Sequence[Outlook], instead: Alternatives | None) -> str:
    least = min(outlooks, key=lambda item: item.memory.total)
    said = f"Nothing fits as asked: the least, {least.strategy.title}, needs {_of_memory(least, training)} of each GPU."
    if instead is None:
        return said
    if instead.cheapest is None:
        best = instead.least
        said += (
            f" Nor does it with all that this plan can change: {best.flags or 'the same'} with "
            f"{best.outlook.strategy.title} still needs {best.outlook.memory.total / 1e9:.1f} GB."
        )
        if instead.gpus_with_least is not None:
            said += f" With these changes, {instead.gpus_with_least} such GPUs hold it with room."
    else:
        found = instead.cheapest
        tight = ", which is tight" if found.outlook.share > TIGHT else ""
        said += (
            f" The cheapest that fits is {found.flags}, with {found.outlook.strategy.title}: "
            f"{found.outlook.memory.total / 1e9:.1f} GB ({found.outlook.share:.0%}{tight})."
        )
    if instead.gpus is not None:
        return f"{said} As asked, {instead.gpus} such GPUs hold it with room."
    if instead.cheapest is not None:
        return f"{said} As asked, no number of such GPUs is enough: sharding divides neither activations nor buffers."
    if instead.gpus_with_least is not None:
        return said
    return (
        f"{said} What is left are GPUs with more memory, a shorter --sequence, or tensor parallelism, "
        "which this plan does not compute."
    )


def _of_memory(item: Outlook, training: Training) -> str:
    return f"{item.memory.total / 1e9:.1f} GB of the {training.cluster.memory / 1e9:.1f} GB"
