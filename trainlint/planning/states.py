"""Bytes that training keeps for each parameter.

Sources: ZeRO (Rajbhandari et al. 2020, arXiv:1910.02054, section 3.1) for 16-bit training, 2 + 2 + 12 bytes with Adam;
for float32 and autocast the tensors that PyTorch makes, 4 + 4 + 8.
"""

from __future__ import annotations

from dataclasses import dataclass

from trainlint.planning.training import Optimizer, Precision


@dataclass(frozen=True, slots=True)
class StateBytes:
    """Bytes a parameter, by part."""

    weights: float
    gradients: float
    master: float
    """The copy in float32 that the optimizer updates, where the weights are kept in 16 bits."""
    optimizer: float

    @property
    def total(self) -> float:
        """Bytes a parameter where one process keeps everything."""
        return self.weights + self.gradients + self.master + self.optimizer


_WEIGHTS = {Precision.FP32: 4, Precision.AUTOCAST: 4, Precision.MIXED: 2, Precision.BF16: 2}
_UPDATED = {Precision.FP32: 4, Precision.AUTOCAST: 4, Precision.MIXED: 4, Precision.BF16: 2}
"""Bytes of the weights that the optimizer updates, whose type its moments have."""
_COMPUTED = {Precision.FP32: 4, Precision.AUTOCAST: 2, Precision.MIXED: 2, Precision.BF16: 2}


def state_bytes(precision: Precision, optimizer: Optimizer) -> StateBytes:
    """What is kept for a parameter that is trained."""
    weights, updated = _WEIGHTS[precision], _UPDATED[precision]
    moments = optimizer.moments * (optimizer.bytes_each or updated)
    return StateBytes(weights, weights, updated if precision is Precision.MIXED else 0, moments)


def frozen_bytes(precision: Precision) -> StateBytes:
    """What is kept for a parameter that is not trained."""
    return StateBytes(_WEIGHTS[precision], 0, 0, 0)


def compute_bytes(precision: Precision) -> int:
    """Bytes of a number in products and activations."""
    return _COMPUTED[precision]


def cast_bytes(precision: Precision, compiled: bool) -> int:
    """Bytes a parameter of the cast weights that autocast keeps from a forward to the end of its backward."""
    return 2 if precision is Precision.AUTOCAST and not compiled else 0
