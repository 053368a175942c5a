"""TRN716."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator

from trainlint.analysis.programs.layer_pairs import layer_before
from trainlint.analysis.programs.modes import mode_calls, sets_training, switched
from trainlint.analysis.programs.test_files import is_test_path
from trainlint.analysis.site import Site
from trainlint.analysis.syntax.blocks import Place
from trainlint.analysis.syntax.names import last_name
from trainlint.finding import Finding, Severity
from trainlint.patterns import lazy
from trainlint.rule import Rule, Triggers

_NORMS = ("BatchNorm1d", "BatchNorm2d", "BatchNorm3d")
_LAYERS = frozenset({"Linear", "Conv1d", "Conv2d", "Conv3d"})
_TRAINS = lazy(r"\.backward\(|optim|Trainer|Lightning|autograd\.grad|requires_grad_\(|finetun", re.IGNORECASE)
_FOLDS = lazy(r"fuse|fold(?!er)|compil|onnx|jit\.|export|tensorrt|quanti|freez", re.IGNORECASE)
"""Code that folds by itself, or hands the network to what does."""
_LOADS = lazy(r"load_state_dict|torch\.load|load_file|from_pretrained")


class UnfusedBatchNormInference(Rule):
    """A program that only infers runs batch normalizations that could be folded into other layers

    ## Why
    In evaluation a batch normalization multiplies each channel with a constant and adds another. Folded into the
    weights of the convolution or linear layer before it, both cost nothing; left apart, it is a kernel more for each
    such layer, which reads and writes a whole activation.

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

    ## Stays silent
    In files that train, fold, compile or export; where no weights are loaded; where the network is of a class of
    another file, or something stands between the two layers; in tests and benchmarks.

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
    heat_matters = False
    preview = True
    triggers = Triggers(calls=frozenset({"eval"}))

    def check(self, site: Site) -> Iterator[Finding]:
        """Find networks of this file that are loaded and put into evaluation mode for good."""
        if is_test_path(site.path) or not _only_evaluates(site):
            return
        if sets_training(site.place) is not False or not isinstance(site.call.func, ast.Attribute):
            return
        if site.file.graph.instance_class(switched(site.place), site.block) is None:
            return
        norms = [place for name in _NORMS for place in site.file.outline.calls.get(name, ()) if _foldable(site, place)]
        if norms:
            lines = ", ".join(str(line) for line in sorted(getattr(place.node, "lineno", 0) for place in norms)[:3])
            yield self.finding(
                site,
                f"this network is only evaluated here; fold its batch normalizations (line {lines}) into the layers "
                "before them once the weights are loaded",
                confidence=0.75,
            )


def _only_evaluates(site: Site) -> bool:
    """Whether the file loads weights, and neither trains nor folds layers."""
    text = site.source.text
    if not _LOADS.search(text) or _TRAINS.search(text) or _FOLDS.search(text):
        return False
    return all(sets_training(place) is False for place in mode_calls(site.file))


def _foldable(site: Site, norm: Place) -> bool:
    assert isinstance(norm.node, ast.Call)
    if not (site.file.kinds.imported(norm.node.func, norm.block) or "").startswith("torch.nn."):
        return False
    layer = layer_before(site.file, norm)
    return layer is not None and last_name(layer.func) in _LAYERS
