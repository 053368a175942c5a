"""The numbers of a transformer, and how many parameters each of its parts has."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import NamedTuple


class Part(NamedTuple):
    """One part of a model."""

    name: str
    parameters: int


@dataclass(frozen=True, slots=True)
class Latent:
    """Attention whose keys and values, and maybe queries, pass through fewer numbers (MLA of DeepSeek-V2)."""

    keys: int
    """Rank that keys and values share."""
    queries: int
    """Rank of the queries; 0 where they are computed directly."""
    rotary: int
    """Width of the rotated part of a key, which all heads share."""


@dataclass(frozen=True, slots=True)
class Experts:
    """The feed-forward parts of the layers that have several, and send each token through some of them."""

    count: int
    chosen: int
    """Experts that a token goes through."""
    inner: int
    """Width of one of them."""
    layers: int
    """Layers with experts; the others have one feed-forward part."""
    shared: int = 0
    """Width of the experts that every token goes through, all together."""


@dataclass(frozen=True, slots=True)
class Extras:
    """Parameters beside the products of the layers and the embeddings of tokens. All are counts."""

    attention: int = 0
    """Biases of a layer's attention."""
    feed_forward: int = 0
    """Biases of a layer's feed-forward part."""
    experts: int = 0
    """What a layer with experts has beside router and experts."""
    norms: int = 0
    """Norms of a layer."""
    norms_outside: int = 0
    embeddings: int = 0
    """Embeddings of positions and of segments, and projections of embeddings that are narrower than a layer."""
    head: int = 0
    """Biases and further layers of the output."""


@dataclass(frozen=True, slots=True)
class Transformer:
    """Equal layers, but for those with experts, between embeddings and an output layer."""

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
    """Whether the output layer shares the weights of the embeddings, or there is none."""
    dropout: bool = True
    head_size: int = 0
    """Width of a query and a key; 0 for the hidden size divided by the heads."""
    value_size: int = 0
    """Width of a value; 0 for that of a key."""
    latent: Latent | None = None
    experts: Experts | None = None
    extras: Extras = field(default_factory=Extras)

    @property
    def width(self) -> int:
        """Width of the feed-forward part."""
        return self.inner or 4 * self.hidden

    @property
    def query_width(self) -> int:
        """Numbers in the queries of a token."""
        return self.heads * self.head_size if self.head_size else self.hidden

    @property
    def key_width(self) -> int:
        """Numbers in the keys of a token."""
        return self.query_width * (self.shared_heads or self.heads) // self.heads

    @property
    def value_width(self) -> int:
        """Numbers in the values of a token."""
        return (self.shared_heads or self.heads) * self.value_size if self.value_size else self.key_width

    @property
    def result_width(self) -> int:
        """Numbers in what the heads give for a token."""
        return self.heads * self.value_size if self.value_size else self.query_width

    @property
    def largest_layer(self) -> int:
        """Parameters of the largest layer."""
        experts = _of_experts(self) if self.experts else 0
        dense = _of_dense_part(self) if _dense_layers(self) else 0
        return _of_attention(self) + self.extras.norms + max(experts, dense)

    @property
    def outside(self) -> int:
        """Parameters of embeddings, output layer and norms that are in no layer."""
        return _of_embeddings(self) + _of_head(self) + self.extras.norms_outside

    @property
    def parameters(self) -> int:
        """All of them."""
        return sum(part.parameters for part in parts_of(self))

    @property
    def idle(self) -> int:
        """Parameters of the experts that a token does not go through."""
        if self.experts is None:
            return 0
        return (self.experts.count - self.experts.chosen) * self.experts.layers * _of_an_expert(self, self.experts)

    def adapter_parameters(self, rank: int) -> int:
        """Weights of LoRA of a rank beside the products (Hu et al. 2021): rank x (inputs + outputs).

        Beside attention and the parts that every token goes through, not beside routers and chosen experts.
        """
        attention = sum(map(sum, attention_products(self))) * self.layers
        dense = sum(map(sum, feed_forward_products(self, self.width))) * _dense_layers(self)
        shared = 0
        if self.experts is not None and self.experts.shared:
            shared = sum(map(sum, feed_forward_products(self, self.experts.shared))) * self.experts.layers
        return rank * (attention + dense + shared)


def parts_of(model: Transformer) -> tuple[Part, ...]:
    """The parts that have parameters, in the order in which data passes them."""
    extras, experts = model.extras, model.experts
    found = (
        Part("embeddings", _of_embeddings(model)),
        Part("attention", model.layers * _of_attention(model)),
        Part("MLP", _dense_layers(model) * _of_dense_part(model)),
        Part("experts", _of_experts(model) * experts.layers if experts else 0),
        Part("norms", model.layers * extras.norms + extras.norms_outside),
        Part("head", _of_head(model)),
    )
    return tuple(part for part in found if part.parameters)


def attention_products(model: Transformer) -> Iterator[tuple[int, int]]:
    """Inputs and outputs of each product of a layer's attention."""
    latent = model.latent
    if latent is None:
        yield model.hidden, model.query_width
        yield model.hidden, model.key_width
        yield model.hidden, model.value_width
    else:
        if latent.queries:
            yield model.hidden, latent.queries
        yield latent.queries or model.hidden, model.query_width
        yield model.hidden, latent.keys + latent.rotary
        yield latent.keys, model.query_width - model.heads * latent.rotary + model.result_width
    yield model.result_width, model.hidden


def feed_forward_products(model: Transformer, width: int) -> Iterator[tuple[int, int]]:
    """Inputs and outputs of each product of a feed-forward part of some width."""
    yield from [(model.hidden, width)] * (2 if model.gated else 1)
    yield width, model.hidden


def _dense_layers(model: Transformer) -> int:
    return model.layers - (model.experts.layers if model.experts else 0)


def _weights(products: Iterator[tuple[int, int]]) -> int:
    return sum(inputs * outputs for inputs, outputs in products)


def _of_attention(model: Transformer) -> int:
    return _weights(attention_products(model)) + model.extras.attention


def _of_dense_part(model: Transformer) -> int:
    return _weights(feed_forward_products(model, model.width)) + model.extras.feed_forward


def _of_an_expert(model: Transformer, experts: Experts) -> int:
    return _weights(feed_forward_products(model, experts.inner))


def _of_experts(model: Transformer) -> int:
    """Experts, router and shared experts of one layer."""
    experts = model.experts
    if experts is None:
        return 0
    shared = _weights(feed_forward_products(model, experts.shared)) if experts.shared else 0
    return experts.count * (_of_an_expert(model, experts) + model.hidden) + shared + model.extras.experts


def _of_embeddings(model: Transformer) -> int:
    return model.vocabulary * model.hidden + model.extras.embeddings


def _of_head(model: Transformer) -> int:
    return (0 if model.tied else model.vocabulary * model.hidden) + model.extras.head
