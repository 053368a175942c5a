"""TRN410."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from functools import partial

from trainlint.analysis.programs.layer_pairs import layer_before
from trainlint.analysis.programs.test_files import is_test_path
from trainlint.analysis.site import Site
from trainlint.analysis.syntax.names import argument, constant, has_unpacked_arguments, last_name
from trainlint.finding import Finding, Fix, Safety, Severity
from trainlint.patterns import lazy
from trainlint.rule import Rule, Triggers

_NORMS = frozenset({"BatchNorm1d", "BatchNorm2d", "BatchNorm3d", "SyncBatchNorm"})
_BIAS_AT = {
    "Linear": 2,
    "Conv1d": 7,
    "Conv2d": 7,
    "Conv3d": 7,
    "ConvTranspose1d": 7,
    "ConvTranspose2d": 7,
    "ConvTranspose3d": 7,
}
"""Layers with a bias, and where it stands among their arguments."""
_LOADS = lazy(
    r"pretrained|load_state_dict|checkpoint|model_urls|torch\.load|load_weights|\.pth\b|regist(er|ry)\w{0,50}\(\)",
    re.IGNORECASE,
)
"""Files whose weights may come from elsewhere, with the bias among them: models of a registry, too."""
_LIBRARY = lazy(r"(^|/)src/\w+/")
"""Packages that are installed: others hold checkpoints of their models."""


class BiasBeforeBatchNorm(Rule):
    """A bias right before batch normalization, which subtracts it again

    ## Why
    Batch normalization subtracts the mean of each channel, and with it whatever constant the layer before added. The
    bias is stored, added, given a gradient and an optimizer state, and has no effect: its gradient is zero but for
    rounding.

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

    ## Stays silent
    Where the file loads weights, whose keys would no longer fit, or registers models for others; quietly, below the
    default confidence, for `bias=True` and in packages below `src/`; where something stands between the two layers, or
    the output of the first goes elsewhere, too; for weight and spectral norms around the layer; for other
    normalizations, which do not cancel a bias; where the bias is given by a variable; in tests.

    ## Fix safety
    The fix takes the bias away. Checkpoints that hold it no longer load by themselves, random numbers are drawn in
    another order at the start, and code that fills `layer.bias` meets None. What the network can compute in training
    stays the same.

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
    fix_safety = Safety.UNSAFE
    heat_matters = False
    triggers = Triggers(calls=_NORMS)

    def check(self, site: Site) -> Iterator[Finding]:
        """Find layers with a bias whose output goes straight into a batch normalization."""
        if not (site.origin(site.call.func) or "").startswith("torch.nn.") or is_test_path(site.path):
            return
        if site.file.says(_LOADS):
            return
        layer = layer_before(site.file, site.place)
        if layer is None or not _has_bias(site, layer) or _widths_differ(site.call, layer):
            return
        yield self.finding(
            site.at(layer),
            f"the bias of this layer is subtracted again by the batch normalization in line {site.call.lineno}; "
            "give it `bias=False`",
            at=layer,
            confidence=_confidence(site, layer),
            fix=partial(_without_bias, site, layer),
        )


def _confidence(site: Site, layer: ast.Call) -> float:
    """Low where weights of others may hold the bias, or where it is asked for by its name."""
    asked_for = argument(layer, "bias", _BIAS_AT[last_name(layer.func)]) is not None
    return 0.6 if asked_for or _LIBRARY.search(site.path) else 0.85


def _has_bias(site: Site, layer: ast.Call) -> bool:
    origin = site.origin(layer.func) or ""
    place = _BIAS_AT.get(origin.rpartition(".")[2])
    if place is None or not origin.startswith("torch.nn.") or has_unpacked_arguments(layer):
        return False
    given = argument(layer, "bias", place)
    return last_name(layer.func) in _BIAS_AT and (given is None or constant(given) is True)


def _widths_differ(norm: ast.Call, layer: ast.Call) -> bool:
    """Whether both say how many channels there are, and not the same: then something stands between them."""
    width = argument(norm, "num_features", 0)
    given = argument(layer, "out_channels", 1) or argument(layer, "out_features", 1)
    if width is None or given is None:
        return False
    return constant(width) is not ... and constant(given) is not ... and constant(width) != constant(given)


def _without_bias(site: Site, layer: ast.Call) -> Fix | None:
    from trainlint.fixing.rewrite import attempt, set_keyword

    if len(layer.args) > _BIAS_AT[last_name(layer.func)]:
        return None  # given by its place
    return attempt(
        lambda: Fix("Take the bias away", (set_keyword(site.source, layer, "bias", "False"),), Safety.UNSAFE)
    )
