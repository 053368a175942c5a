"""TRN410."""

from __future__ import annotations

import ast

from trainlint.analysis.programs.layer_pairs import layer_before
from trainlint.analysis.site import Site
from trainlint.analysis.syntax.names import argument, constant, has_unpacked_arguments, last_name
from trainlint.analysis.tables.signs import LOADED_WEIGHTS, SAVED_WEIGHTS
from trainlint.contract.bases import CallRule
from trainlint.contract.declared_rule import Match
from trainlint.contract.guards.names import shows
from trainlint.finding import Confidence, Severity

_NORMS = tuple(f"torch.nn.*.{name}" for name in ("BatchNorm1d", "BatchNorm2d", "BatchNorm3d", "SyncBatchNorm"))
_BIAS_AT = {"Linear": 2} | {f"Conv{kind}{n}d": 7 for kind in ("", "Transpose") for n in (1, 2, 3)}
"""Layers with a bias, and where it stands among their arguments."""


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
    on = _NORMS
    sure = Confidence.LIKELY
    costs_steps = True
    unless = (shows("the file loads or saves weights, whose keys would no longer fit", LOADED_WEIGHTS, SAVED_WEIGHTS),)
    message = "the bias of this layer has no effect: the batch normalization in line {line} subtracts it"
    help = "pass `bias=False`; old checkpoints hold the bias"

    def found(self, site: Site) -> Match | None:
        """The layer with a bias whose output goes straight into a batch normalization."""
        layer = layer_before(site.file, site.place)
        if layer is None or has_unpacked_arguments(layer) or _widths_differ(site.call, layer):
            return None
        package, _, name = (site.origin(layer.func) or "").rpartition(".")
        if not f"{package}.".startswith("torch.nn.") or name not in _BIAS_AT or last_name(layer.func) != name:
            return None
        has_bias = argument(layer, "bias", _BIAS_AT[name]) is None
        return Match(site.at(layer), fields={"line": site.call.lineno}) if has_bias else None


def _widths_differ(norm: ast.Call, layer: ast.Call) -> bool:
    """Whether both say how many channels there are, and not the same: then something stands between them."""
    width = constant(argument(norm, "num_features", 0))
    given = constant(argument(layer, "out_channels", 1) or argument(layer, "out_features", 1))
    return width is not ... and given is not ... and width != given
