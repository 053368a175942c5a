"""TRN410."""

from __future__ import annotations

from trainlint.analysis.site import Site
from trainlint.analysis.tables.signs import LOADED_WEIGHTS, SAVED_WEIGHTS
from trainlint.contract.bases import CallRule
from trainlint.contract.declared_rule import Match
from trainlint.contract.guards.names import shows
from trainlint.finding import Severity
from trainlint_rules.compute.idioms.biases import (
    NORMS,
    bias_is_set,
    layer_with_bias,
    may_lose_bias,
    registers_models,
)

_WITH_CHECKPOINTS = "pass `bias=False` before the next training from scratch; old checkpoints hold the bias"


class BiasBeforeBatchNorm(CallRule):
    """A bias right before batch normalization, which subtracts it again

    ## Why
    Batch normalization subtracts the mean of each channel, and with it whatever constant the layer before added. The
    bias is stored, added, given a gradient and an optimizer state, and has no effect: its gradient is zero but for
    rounding.

    Nothing may stand between the two layers, and the output of the first must go nowhere else. Weight and spectral
    norms around the layer and other normalizations, which do not cancel a bias, are no finding. Confidence is low for
    `bias=True` and in packages below `src/`, whose weights others hold.

    ## Example
    ```python
    from torch import nn

    block = nn.Sequential(
        nn.Conv2d(64, 128, 3, padding=1),
        nn.BatchNorm2d(128),
        nn.ReLU(),
    )
    ```

    ## Use instead
    ```python
    from torch import nn

    block = nn.Sequential(
        nn.Conv2d(64, 128, 3, padding=1, bias=False),
        nn.BatchNorm2d(128),
        nn.ReLU(),
    )
    ```

    ## Confirmed by
    The gradient of the bias is zero but for rounding after a backward in training mode.

    ## Gain
    PyTorch's tuning guide advises it without a figure; not measured here. One small kernel less in the forward and
    one reduction less in the backward of each such layer; little where layers are large.

    ## References
    - Performance tuning guide:
      https://docs.pytorch.org/tutorials/recipes/recipes/tuning_guide.html#disable-bias-for-convolutions-directly-followed-by-a-batch-norm
    """

    code = "TRN410"
    name = "bias-before-batch-norm"
    severity = Severity.ADVICE
    preview = True
    on = NORMS
    costs_steps = True
    unless = (
        shows("the file loads or saves weights, whose keys would no longer fit", LOADED_WEIGHTS, SAVED_WEIGHTS),
        registers_models,
        bias_is_set,
    )
    message = "the bias of this layer has no effect: the batch normalization in line {line} subtracts it"
    help = "pass `bias=False`"

    def found(self, site: Site) -> Match | None:
        """The layer with a bias right before a batch normalization."""
        layer = layer_with_bias(site)
        if layer is None:
            return None
        loads = site.file.outside.standing.weights_loaded
        fields = {"line": site.call.lineno, "loads": loads}
        return Match(site.at(layer), may_lose_bias(site, layer), fields, help=_WITH_CHECKPOINTS if loads else None)
