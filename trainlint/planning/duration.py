"""Lower bounds of the time of a step."""

from __future__ import annotations

from dataclasses import dataclass

from trainlint.planning.memory import recomputes
from trainlint.planning.model import Model
from trainlint.planning.traffic import Traffic
from trainlint.planning.training import Training


@dataclass(frozen=True, slots=True)
class Duration:
    """Seconds of a step at least."""

    computing: float | None
    """Forward and backward; None where the peak of the GPU or the number of tokens is not known."""
    sending: float
    """All communication, one after the other."""

    @property
    def overlapped(self) -> float | None:
        """Where communication is hidden behind computation as far as it can be."""
        return None if self.computing is None else max(self.computing, self.sending)


def floating_point_operations(model: Model, training: Training) -> float | None:
    """Of one GPU in a step: 6 for each parameter and token, 12 for each layer, unit of the heads and pair of tokens.

    Source: Kaplan et al. 2020 (arXiv:2001.08361), section 2.1, and Korthikanti et al. 2022, appendix A. Full
    checkpointing runs the forward pass, a third of it, once more. Frozen weights need no gradient of their own: 4.
    """
    numbers = model.transformer
    if numbers is None:
        return None
    tokens = training.batch * training.accumulation * numbers.sequence
    frozen = model.parameters - model.trained
    # A token goes through some of the experts alone.
    idle = (4 if frozen else 6) * numbers.idle
    products = (6 * model.trained + 4 * frozen - idle) * tokens
    pairs = 6 * numbers.layers * (numbers.query_width + numbers.result_width) * numbers.sequence * tokens
    return (products + pairs) * (1 + recomputes(training) / 3)


def duration(model: Model, training: Training, sent: Traffic) -> Duration:
    """How long a step takes at least, by peak, utilisation and bandwidths."""
    cluster = training.cluster
    operations = floating_point_operations(model, training)
    computing = None
    if operations is not None and cluster.flops:
        computing = operations / (cluster.flops * training.utilisation)
    sending = sent.inside / cluster.inside + sent.between / cluster.between + sent.to_host / cluster.to_host
    return Duration(computing, sending)
