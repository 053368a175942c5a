"""What fits on a GPU: the plan itself, the largest micro-batch, the largest model."""

from __future__ import annotations

from dataclasses import dataclass, replace

from trainlint.planning.duration import Duration, duration
from trainlint.planning.memory import Memory, knows_activations, memory
from trainlint.planning.model import Model
from trainlint.planning.states import state_bytes
from trainlint.planning.strategies import Strategy, strategies_for
from trainlint.planning.traffic import Traffic, traffic
from trainlint.planning.training import Cluster, Optimizer, Precision, Training

TIGHT = 0.9
"""Above this share of a GPU's memory the margin is less than what such figures are wrong by."""
_LARGEST_BATCH = 1 << 20


@dataclass(frozen=True, slots=True)
class Outlook:
    """What one strategy needs."""

    strategy: Strategy
    memory: Memory
    traffic: Traffic
    duration: Duration
    share: float
    """Of the GPU's memory."""
    largest_batch: int | None
    """Samples of a micro-batch that fit; None where the activations are not known, 0 where not even one fits."""

    @property
    def fits(self) -> bool:
        """Whether a GPU holds it all."""
        return self.share <= 1


def outlooks(model: Model, training: Training) -> tuple[Outlook, ...]:
    """What each strategy that the cluster allows needs."""
    return tuple(outlook(model, training, strategy) for strategy in strategies_for(training.cluster))


def outlook(model: Model, training: Training, strategy: Strategy) -> Outlook:
    """What a strategy needs."""
    held = memory(model, training, strategy)
    sent = traffic(model, training, strategy)
    share = held.total / training.cluster.memory
    largest = largest_batch(model, training, strategy) if knows_activations(model) else None
    return Outlook(strategy, held, sent, duration(model, training, sent), share, largest)


def largest_batch(model: Model, training: Training, strategy: Strategy) -> int:
    """The largest micro-batch that a GPU holds; 0 where not even one sample fits."""

    def fits(batch: int) -> bool:
        return memory(model, replace(training, batch=batch), strategy).total <= training.cluster.memory

    low, high = 0, 1
    while high < _LARGEST_BATCH and fits(high):
        low, high = high, 2 * high
    while high - low > 1:
        middle = (low + high) // 2
        low, high = (middle, high) if fits(middle) else (low, middle)
    return low


def largest_model(precision: Precision, optimizer: Optimizer, cluster: Cluster, strategy: Strategy) -> float:
    """Parameters of the largest model whose states alone fill a GPU.

    The measure of ZeRO's table 2 (arXiv:1910.02054): activations and buffers are left out.
    """
    return cluster.memory / strategy.on_each_gpu(state_bytes(precision, optimizer), cluster).total
