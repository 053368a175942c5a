"""Bytes that each GPU sends in a step.

Source: ZeRO, section 7 (arXiv:1910.02054): data parallelism and stages 1 and 2 move 2 elements for each parameter,
stage 3 moves 3. Rings send (N-1)/N of that on each of N GPUs. Here each collective is counted with its type and its
own number of times in a step, since gradient accumulation repeats some of them.
"""

from __future__ import annotations

from dataclasses import dataclass

from trainlint.planning.model import Model
from trainlint.planning.states import compute_bytes, state_bytes
from trainlint.planning.strategies import Strategy
from trainlint.planning.training import Cluster, Training


@dataclass(frozen=True, slots=True)
class Traffic:
    """Bytes that one GPU sends in a step."""

    inside: float
    """To other GPUs of the node."""
    between: float
    """To other nodes."""
    to_host: float
    """To the host and back."""

    @property
    def total(self) -> float:
        """All of it."""
        return self.inside + self.between + self.to_host


def traffic(model: Model, training: Training, strategy: Strategy) -> Traffic:
    """What a step sends, `accumulation` micro-batches together."""
    kept = state_bytes(training.precision, training.optimizer)
    cluster, times = training.cluster, training.accumulation
    gradients = kept.gradients * model.trained
    gathered = compute_bytes(training.precision) * model.parameters
    to_host = 0.0
    if strategy.offloads:
        # Gradients go to the host, updated weights come back.
        to_host = (gradients + kept.weights * model.trained) / strategy.shards(cluster)
    if cluster.gpus == 1:
        return Traffic(0.0, 0.0, to_host)
    pieces = strategy.shards(cluster)
    if strategy.shards_weights:
        # Each micro-batch gathers for forward and, after resharding, for backward, and scatters its gradients.
        gathers = 1 if strategy.keeps_gathered else 2
        sent = times * (gathers * gathered + gradients) * _ring(pieces)
        across = 2 * gradients / pieces * _ring(cluster.nodes) if strategy.inside_nodes else 0.0
        inside = sent if strategy.inside_nodes else 0.0
        return _placed(cluster, 0.0 if strategy.inside_nodes else sent, to_host, inside, across)
    if strategy.shards_gradients:
        # Gradients are cut after each micro-batch; updated weights are gathered once.
        sent = (times * gradients + kept.weights * model.trained) * _ring(pieces)
    elif strategy.shards_optimizer:
        sent = (gradients + kept.weights * model.trained) * _ring(pieces)
    else:
        sent = 2 * gradients * _ring(pieces)  # one all-reduce, if `no_sync` skips those of the other micro-batches
    return _placed(cluster, sent, to_host)


def _ring(ways: int) -> float:
    """The share of a tensor that each of `ways` processes sends in a reduce-scatter or an all-gather."""
    return (ways - 1) / ways


def _placed(cluster: Cluster, sent: float, to_host: float, inside: float = 0.0, between: float = 0.0) -> Traffic:
    """Where collectives over all GPUs go: through the slowest link of their ring."""
    if cluster.nodes > 1:
        return Traffic(inside, between + sent, to_host)
    return Traffic(inside + sent, between, to_host)
