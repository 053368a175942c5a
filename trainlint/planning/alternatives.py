"""Where nothing fits: what fits after changes to the training, the cheapest first."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from itertools import product

from trainlint.planning.choice import recommended
from trainlint.planning.fits import TIGHT, Outlook, outlook
from trainlint.planning.memory import memory
from trainlint.planning.model import Model, model_of_transformer
from trainlint.planning.strategies import OFFLOAD, Strategy, strategies_for
from trainlint.planning.training import OPTIMIZERS, Attention, Checkpointing, Precision, Training

RANK = 16
"""Of the adapters that are tried."""
_MOST_GPUS = 1 << 14


@dataclass(frozen=True, slots=True)
class Change:
    """One change to what was asked."""

    flags: str = ""
    """As it is typed after `trainlint plan`; empty for none."""
    what: str = ""
    """What it does and costs, for people."""
    cost: int = 0
    values: Mapping[str, object] = field(default_factory=dict)
    """Fields of the training that differ."""
    rank: int = 0
    """Of LoRA."""
    offloads: bool = False


@dataclass(frozen=True, slots=True)
class Tried:
    """What some changes together need, with one strategy."""

    changes: tuple[Change, ...]
    outlook: Outlook

    @property
    def flags(self) -> str:
        """All changes as they are typed."""
        return " ".join(change.flags for change in self.changes)


@dataclass(frozen=True, slots=True)
class Alternatives:
    """What was tried where nothing fits as it was asked."""

    alone: tuple[Tried, ...]
    """Each change alone, with the strategy that needs least."""
    cheapest: Tried | None
    """The cheapest changes with which something fits; None where nothing does."""
    least: Tried
    """What needs least of all."""
    gpus: int | None
    """GPUs that suffice as asked, a power of two times what there are; None where no number does."""
    gpus_with_least: int | None
    """GPUs that suffice for what needs least of all; None where no number does."""
    left_out: str
    """What was not tried and why, in a sentence; empty where all was."""


def alternatives(model: Model, training: Training, strategies: Sequence[Strategy]) -> Alternatives:
    """What fits instead of a training that does not, by some of these strategies."""
    axes = tuple(_axes(model, training, strategies))
    together = [
        _case(model, training, strategies, changes) for changes in product(*([Change(), *axis] for axis in axes))
    ]
    together.sort(key=lambda case: sum(change.cost for change in case.changes))
    needs = [min(_needs(case)) for case in together]
    fitting = (
        case
        for limit in (TIGHT, 1.0)
        for case, needed in zip(together, needs, strict=True)
        if needed <= limit * training.cluster.memory
    )
    first = next(fitting, None)
    smallest = together[needs.index(min(needs))]
    alone = (change for axis in axes for change in axis if not change.offloads)
    return Alternatives(
        # The plan tries the optimizer on the host anyway.
        tuple(
            _least(replace(_case(model, training, strategies, (change,)), strategies=strategies)) for change in alone
        ),
        None if first is None else _best(first),
        _least(smallest),
        _enough_gpus(model, training, strategies),
        _enough_gpus(smallest.model, smallest.training, strategies),
        _left_out(model),
    )


@dataclass(frozen=True, slots=True)
class _Case:
    """What is planned after some changes."""

    changes: tuple[Change, ...]
    model: Model
    training: Training
    strategies: Sequence[Strategy]


def _case(model: Model, training: Training, strategies: Sequence[Strategy], changes: Sequence[Change]) -> _Case:
    """What is asked after some changes. The optimizer lies on the host only where one of them says so."""
    values = {name: value for change in changes for name, value in change.values.items()}
    changed = replace(training, **values)  # type: ignore[arg-type] # the fields by their names, of any type
    rank = max((change.rank for change in changes), default=0)
    if rank and model.transformer is not None:
        model = model_of_transformer(model.name, model.transformer, rank, model.notes)
    offloads = any(change.offloads for change in changes)
    left = [item for item in strategies if (item is OFFLOAD) is offloads]
    return _Case(tuple(change for change in changes if change.flags), model, changed, left or strategies)


def _needs(case: _Case) -> list[float]:
    """Bytes on a GPU by strategy."""
    return [memory(case.model, case.training, item).total for item in case.strategies]


def _least(case: _Case) -> Tried:
    """With the strategy that needs least."""
    needs = _needs(case)
    return Tried(case.changes, outlook(case.model, case.training, case.strategies[needs.index(min(needs))]))


def _best(case: _Case) -> Tried:
    """With the strategy to take of those that fit."""
    seen = [outlook(case.model, case.training, item) for item in case.strategies]
    return Tried(case.changes, recommended(seen) or _least(case).outlook)


def _axes(model: Model, training: Training, strategies: Sequence[Strategy]) -> Iterator[list[Change]]:
    """The changes to try, of which those in one list exclude each other.

    What gives the same results costs least, by how much slower it is; other numbers cost more, and LoRA, which trains
    something else, the most.
    """
    if training.batch > 1:
        micro = training.batch * training.accumulation
        smaller = {"batch": 1, "accumulation": micro}
        yield [Change(f"--batch 1 --accumulation {micro}", "the same step in smaller micro-batches", 1, smaller)]
    if model.transformer is not None:
        if training.attention is Attention.MATERIALISED:
            yield [_FUSED]
        if training.checkpointing is not Checkpointing.FULL:
            yield [_CHECKPOINTING]
    if model.traced is None:  # a trace holds for its precision alone
        yield [change for change in _PRECISIONS if change.values["precision"] in _SMALLER[training.precision]]
    if training.optimizer.name == "adamw":
        yield [Change(f"--optimizer {_ADAM_8_BIT.name}", "moments in 8 bits", 4, {"optimizer": _ADAM_8_BIT})]
    if OFFLOAD in strategies and len(strategies) > 1:
        yield [_OFFLOADING]
    if model.transformer is not None and model.trained == model.parameters:
        yield [_ADAPTERS]


_FUSED = Change(
    "--attention fused",
    "scores are not kept: scaled_dot_product_attention",
    1,
    {"attention": Attention.FUSED},
)
_CHECKPOINTING = Change(
    "--checkpointing full",
    "activations are computed again, a third more computing",
    2,
    {"checkpointing": Checkpointing.FULL},
)
_OFFLOADING = Change(f"--strategy {OFFLOAD.key}", "the CPU updates, in its own memory, slower", 5, offloads=True)
_ADAPTERS = Change(f"--lora {RANK}", "trains adapters beside frozen weights, not the whole model", 12, rank=RANK)
_PRECISIONS = (
    Change("--precision autocast", "products in bfloat16", 1, {"precision": Precision.AUTOCAST}),
    Change(
        "--precision mixed",
        "weights in bfloat16, a float32 copy in the optimizer (DeepSpeed)",
        2,
        {"precision": Precision.MIXED},
    ),
    Change(
        "--precision bf16",
        "all in bfloat16: small updates are rounded away",
        7,
        {"precision": Precision.BF16},
    ),
)
_SMALLER = {
    Precision.FP32: (Precision.AUTOCAST, Precision.MIXED, Precision.BF16),
    Precision.AUTOCAST: (Precision.MIXED, Precision.BF16),
    Precision.MIXED: (Precision.BF16,),
    Precision.BF16: (),
}
"""Precisions that may hold less than another."""
_ADAM_8_BIT = next(item for item in OPTIMIZERS if item.name == "adamw-8bit")


def _enough_gpus(model: Model, training: Training, strategies: Sequence[Strategy]) -> int | None:
    """GPUs on which something fits as asked. Nodes keep their number of GPUs, or are filled with up to 8."""
    cluster = training.cluster
    a_node = cluster.gpus_a_node if cluster.nodes > 1 else max(8, cluster.gpus)
    allowed = None if len(strategies) > 1 else strategies
    gpus = 2 * cluster.gpus
    while gpus <= _MOST_GPUS:
        larger = replace(cluster, gpus=gpus, nodes=max(1, gpus // a_node))
        asked = replace(training, cluster=larger)
        if any(memory(model, asked, item).total <= TIGHT * larger.memory for item in allowed or strategies_for(larger)):
            return gpus
        gpus *= 2
    return None


def _left_out(model: Model) -> str:
    if model.traced is not None:
        return "Checkpointing, precision and LoRA were not tried: the callable builds them in."
    if model.transformer is None:
        return (
            "Checkpointing and LoRA were not tried, and activations are not counted: they need the layers' numbers, "
            "a config.json or the model itself."
        )
    return ""
