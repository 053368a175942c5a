"""Bytes of activations that the layers of a transformer keep from the forward to the backward pass.

Source: Korthikanti et al. 2022, "Reducing Activation Recomputation in Large Transformer Models" (arXiv:2205.05198),
section 4: with 16-bit activations and dropout a layer keeps sbh(34 + 5as/h) bytes, for s tokens, a batch of b, a
hidden size of h and a heads; 34 sbh where the scores of attention are not kept; 2 sbh where the layer is computed
again. The terms of that sum stand below one by one, so that grouped keys, gated feed-forward parts and models without
dropout are counted as well.
"""

from __future__ import annotations

from dataclasses import dataclass

from trainlint.planning.training import Attention, Checkpointing
from trainlint.planning.transformer import Transformer

_LOSS_COPIES = 2
"""Tensors in float32 of the size of the logits at the start of the backward pass: log-probabilities and gradient."""


@dataclass(frozen=True, slots=True)
class LayerActivations:
    """Bytes that one layer keeps for a micro-batch."""

    norms: float
    attention: float
    scores: float
    """Softmax of the scores, its dropout mask and the result, or the row sums of a fused kernel."""
    feed_forward: float

    @property
    def total(self) -> float:
        """All of them."""
        return self.norms + self.attention + self.scores + self.feed_forward


def layer_activations(model: Transformer, batch: int, width: int, attention: Attention) -> LayerActivations:
    """What a layer keeps where nothing is computed again. `width`: bytes of a number."""
    mask = 1 if model.dropout else 0
    samples = model.sequence * batch
    tokens = samples * model.hidden
    # The input of the first products, queries, keys and values, and the input of the last product.
    between = model.query_width + model.key_width + model.value_width + model.result_width
    heads = samples * width * (model.hidden + between) + tokens * mask
    if model.latent is not None:  # what the products of low rank give, before and after their norms
        heads += samples * width * 2 * (model.latent.queries + model.latent.keys)
    feed_forward = samples * width * _kept_by_feed_forward(model) + tokens * mask
    pairs = model.heads * model.sequence**2 * batch
    if attention is Attention.FUSED:
        scores = 4.0 * model.heads * model.sequence * batch
    else:
        scores = pairs * (2.0 * width + 1 if model.dropout else width)
    return LayerActivations(2 * width * tokens, heads, scores, feed_forward)


def _kept_by_feed_forward(model: Transformer) -> float:
    """Numbers for each token, in the mean of all layers.

    The input, what the activation function takes, and the input of the last product; gated ones keep both factors.
    A token's input and result are kept once more for each expert that it is sent to.
    """
    factor, experts = 4 if model.gated else 2, model.experts
    dense = model.hidden + factor * model.width
    if experts is None:
        return dense
    spread = (1 + 2 * experts.chosen) * model.hidden + factor * (experts.chosen * experts.inner + experts.shared)
    return (experts.layers * spread + (model.layers - experts.layers) * dense) / model.layers


def activations(
    model: Transformer, batch: int, width: int, attention: Attention, checkpointing: Checkpointing
) -> float:
    """Bytes that all layers keep at the start of the backward pass."""
    layer = layer_activations(model, batch, width, attention)
    if checkpointing is Checkpointing.FULL:
        # The inputs of all layers, and one layer at a time as it is computed again.
        return width * model.sequence * batch * model.hidden * model.layers + layer.total
    if checkpointing is Checkpointing.SELECTIVE:
        return (layer.total - layer.scores) * model.layers + layer.scores
    return layer.total * model.layers


def activations_by_kind(
    model: Transformer, batch: int, width: int, attention: Attention, checkpointing: Checkpointing
) -> tuple[tuple[str, float], ...]:
    """Name and bytes of each kind of activations; together what `activations` gives."""
    layer = layer_activations(model, batch, width, attention)
    times = 1 if checkpointing is Checkpointing.FULL else model.layers
    of_scores = 1 if checkpointing is not Checkpointing.NONE else model.layers
    inputs = width * model.sequence * batch * model.hidden * model.layers
    kinds = (
        ("inputs of layers", inputs if checkpointing is Checkpointing.FULL else 0.0),
        ("norms", layer.norms * times),
        ("attention", layer.attention * times),
        ("scores", layer.scores * of_scores),
        ("feed-forward", layer.feed_forward * times),
    )
    return tuple((name, value) for name, value in kinds if value)


def logits(model: Transformer, batch: int, width: int) -> float:
    """Bytes of the output layer and the loss: its input, the logits, and in float32 log-probabilities and gradient."""
    tokens = model.sequence * batch
    return tokens * (2 * width * model.hidden + model.vocabulary * (width + 4 * _LOSS_COPIES))
