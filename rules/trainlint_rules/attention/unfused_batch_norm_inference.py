"""TRN716."""

from __future__ import annotations

from trainlint.analysis.programs.modes import switched
from trainlint.analysis.site import Site
from trainlint.analysis.tables.signs import (
    ANY_COMPILER,
    EXPORTS,
    FOLDED,
    FRAMEWORKS,
    FUSED,
    ONNX,
    QUANTISED,
    SECOND_DERIVATIVES,
    TRAINS,
)
from trainlint.contract.bases import CallRule
from trainlint.contract.declared_rule import Match
from trainlint.contract.guards.names import shows
from trainlint.finding import Confidence, Severity
from trainlint_rules.attention.idioms.inference import foldable_norms, loads_no_weights, sets_training_mode


class UnfusedBatchNormInference(CallRule):
    """A program that only infers runs batch normalizations that could be folded into other layers

    ## Why
    In evaluation a batch normalization multiplies each channel with a constant and adds another. Folded into the
    weights of the convolution or linear layer before it, both cost nothing; left apart, it is a kernel more for each
    such layer, which reads and writes a whole activation. Only networks whose class stands in the same file are judged,
    and only normalizations right behind a convolution or a linear layer can be folded.

    ## Example
    ```python
    import torch
    from torch import nn


    class Network(nn.Module):
        def __init__(self):
            super().__init__()
            self.body = nn.Sequential(nn.Conv2d(3, 64, 3, bias=False), nn.BatchNorm2d(64), nn.ReLU())

        def forward(self, x):
            return self.body(x)


    def load(path):
        network = Network()
        network.load_state_dict(torch.load(path, weights_only=True))
        return network.eval()
    ```

    ## Use instead
    ```python
    import torch
    from torch import nn
    from torch.nn.utils.fusion import fuse_conv_bn_eval


    class Network(nn.Module):
        def __init__(self):
            super().__init__()
            self.body = nn.Sequential(nn.Conv2d(3, 64, 3, bias=False), nn.BatchNorm2d(64), nn.ReLU())

        def forward(self, x):
            return self.body(x)


    def load(path):
        network = Network()
        network.load_state_dict(torch.load(path, weights_only=True))
        network.eval()
        network.body[0] = fuse_conv_bn_eval(network.body[0], network.body[1])
        network.body[1] = nn.Identity()
        return network
    ```

    For a linear layer there is `fuse_linear_bn_eval`, and `torch.fx.experimental.optimization.fuse` does it for a whole
    network. Fold after the weights are loaded, and never in a network that trains on: its statistics still change.

    ## Confirmed by
    `aten::batch_norm` in a profile of the inference.

    ## Gain
    A pass over memory for each normalization. Not measured here; little where large convolutions take the time, and
    nothing where a compiler folds by itself. Results differ in the last bits.

    ## References
    - `fuse_conv_bn_eval`:
      https://docs.pytorch.org/docs/stable/generated/torch.nn.utils.fuse_conv_bn_eval.html
    """

    code = "TRN716"
    name = "unfused-batch-norm-inference"
    severity = Severity.ADVICE
    preview = True
    on = (".eval",)
    sure = Confidence.LIKELY
    unless = (
        shows("the file trains", TRAINS, FRAMEWORKS, SECOND_DERIVATIVES),
        shows("the file folds the layers by itself", FUSED, FOLDED, QUANTISED),
        shows("the file compiles or exports, or hands the network to what does", *ANY_COMPILER, ONNX, EXPORTS),
        loads_no_weights,
        sets_training_mode,
    )
    message = "this network only infers, and its batch normalizations (line {lines}) are kernels of their own"
    help = "fold them into the layers before them with `fuse_conv_bn_eval` once the weights are loaded"

    def found(self, site: Site) -> Match | None:
        """A network of this file that is put into evaluation mode for good."""
        if site.file.graph.instance_class(switched(site.place), site.block) is None:
            return None
        lines = foldable_norms(site)
        return Match(site, fields={"lines": ", ".join(map(str, lines[:3]))}) if lines else None
