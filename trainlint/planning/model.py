"""What is known of a model: how many parameters, and of which parts."""

from __future__ import annotations

from dataclasses import dataclass

from trainlint.planning.transformer import Part, Transformer, parts_of


@dataclass(frozen=True, slots=True)
class TracedActivations:
    """What autograd keeps of one forward, as a trace on the meta device counts it."""

    batch: int
    """Samples of the forward."""
    fixed: float
    """Bytes that do not depend on the batch."""
    a_sample: float
    """Bytes for each sample."""
    outputs: float
    """Bytes of the model's results for each sample."""


@dataclass(frozen=True, slots=True)
class Model:
    """A model to plan for."""

    name: str
    """As the user names it."""
    parameters: float
    """All of them."""
    trained: float
    """Those that have gradients and states; less than all with LoRA or frozen parts."""
    largest_unit: float
    """Parameters of the largest part that is gathered at once under FSDP: a layer, or the embeddings."""
    transformer: Transformer | None = None
    traced: TracedActivations | None = None
    parts: tuple[Part, ...] = ()
    """What the parameters belong to; nothing where only their number is known."""
    notes: tuple[str, ...] = ()
    """What the count rests on or leaves out, in sentences."""


def model_of_parameters(parameters: float) -> Model:
    """A model of which only the size is known: its activations are not."""
    return Model("a model given by its size", parameters, parameters, parameters / _LAYERS_IF_UNKNOWN)


def model_of_transformer(name: str, numbers: Transformer, rank: int = 0, notes: tuple[str, ...] = ()) -> Model:
    """A transformer, trained as a whole or by LoRA of a rank, beside the frozen weights."""
    adapters = numbers.adapter_parameters(rank) if rank else 0
    parts = parts_of(numbers) + ((Part("adapters", adapters),) if adapters else ())
    unit = max(numbers.largest_layer, numbers.outside)
    whole = numbers.parameters
    return Model(name, whole + adapters, adapters or whole, unit, numbers, parts=parts, notes=notes)


_LAYERS_IF_UNKNOWN = 32
"""Parts that a model of unknown structure is gathered in."""
