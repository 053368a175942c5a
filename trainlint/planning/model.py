"""What is known of a model: how many parameters, and for a transformer its numbers."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Transformer:
    """A decoder of equal layers."""

    layers: int
    hidden: int
    heads: int
    vocabulary: int
    sequence: int
    """Tokens of a sample."""
    inner: int = 0
    """Width of the feed-forward part; 0 for four times the hidden size."""
    shared_heads: int = 0
    """Heads of keys and values (grouped queries); 0 for as many as heads."""
    gated: bool = False
    """Whether the feed-forward part multiplies two products (SwiGLU), as in Llama."""
    tied: bool = True
    """Whether the output layer shares the weights of the embeddings."""
    dropout: bool = True

    @property
    def width(self) -> int:
        """Width of the feed-forward part."""
        return self.inner or 4 * self.hidden

    @property
    def share_of_keys(self) -> float:
        """Size of the keys, and of the values, as a share of the queries'."""
        return (self.shared_heads or self.heads) / self.heads

    @property
    def parameters_a_layer(self) -> float:
        """Weights of the products of one layer; biases and norms, less than a thousandth, are left out."""
        attention = (2 + 2 * self.share_of_keys) * self.hidden**2
        return attention + (3 if self.gated else 2) * self.hidden * self.width

    @property
    def parameters_outside(self) -> float:
        """Weights of the embeddings and of an output layer of its own."""
        return (1 if self.tied else 2) * self.vocabulary * self.hidden

    @property
    def parameters(self) -> float:
        """Weights in all."""
        return self.layers * self.parameters_a_layer + self.parameters_outside

    def adapter_parameters(self, rank: int) -> float:
        """Weights of LoRA of a rank beside every product of the layers (Hu et al. 2021): rank x (inputs + outputs)."""
        keys = self.share_of_keys * self.hidden
        attention = 2 * (2 * self.hidden) + 2 * (self.hidden + keys)
        feed_forward = (3 if self.gated else 2) * (self.hidden + self.width)
        return self.layers * rank * (attention + feed_forward)


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


def model_of_parameters(parameters: float) -> Model:
    """A model of which only the size is known: its activations are not."""
    return Model(f"{parameters:.3g} parameters", parameters, parameters, parameters / _LAYERS_IF_UNKNOWN)


def model_of_transformer(name: str, numbers: Transformer, rank: int = 0) -> Model:
    """A transformer, trained as a whole or by LoRA of a rank, beside the frozen weights."""
    adapters = numbers.adapter_parameters(rank) if rank else 0.0
    trained = adapters or numbers.parameters
    unit = max(numbers.parameters_a_layer, numbers.parameters_outside)
    return Model(name, numbers.parameters + adapters, trained, unit, numbers)


_LAYERS_IF_UNKNOWN = 32
"""Parts that a model of unknown structure is gathered in."""
