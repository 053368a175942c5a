"""TRN808."""

from __future__ import annotations

import ast
from collections.abc import Iterable

from trainlint.analysis.programs.named_calls import called
from trainlint.analysis.site import Site
from trainlint.contract.bases import ReferenceRule
from trainlint.contract.declared_rule import Match
from trainlint.contract.guards.files import supports_older_than
from trainlint.finding import Confidence, Edit, Safety
from trainlint.rule import Triggers
from trainlint_rules.api import switched
from trainlint_rules.api.idioms.guards import sure_if_warned
from trainlint_rules.api.idioms.pretrained import (
    builder_of,
    is_any_builder,
    named_beside,
    named_weights,
    old_argument,
)

_FIRST_WITH_WEIGHTS = (1, 12)
"""PyTorch 1.12 came with torchvision 0.13, the first that takes `weights`."""


class TorchvisionPretrained(ReferenceRule):
    """A model of torchvision asked for with `pretrained=`, deprecated since torchvision 0.13

    ## Why
    torchvision has several sets of weights for most models, so `pretrained=True` no longer says which one. Both
    `pretrained` and `pretrained_backbone` raise two warnings for each model that is built, and "may be removed in the
    future". `weights=` names the set; `True` has always meant the first one. Models of timm and of your own have a
    `pretrained` of their own. There is no fix for quantised models, whose weights depend on another argument, nor where
    the model's name is computed.

    By default it is reported only where the project states a PyTorch that warns of it, or that lacks it
    ([`target-torch`](../configuration.md#target-torch)); elsewhere it is possible.

    ## Example
    ```python
    from torchvision import models


    def backbones():
        student = models.resnet18(pretrained=False)
        teacher = models.resnet50(pretrained=True)
        return student, teacher
    ```

    ## Use instead
    ```python
    from torchvision import models


    def backbones():
        student = models.resnet18(weights=None)
        teacher = models.resnet50(weights="IMAGENET1K_V1")
        return student, teacher
    ```

    `weights="DEFAULT"` gives the best weights there are, which are others for most models.

    ## Confirmed by
    UserWarnings of `torchvision.models._utils`.

    ## Gain
    None in speed. With `weights="IMAGENET1K_V2"` ResNet-50 starts from 80.858 % instead of 76.130 % ImageNet accuracy,
    by torchvision's own table; that is another set of weights, so no fix chooses it.

    ## References
    - torchvision, models and pre-trained weights: https://docs.pytorch.org/vision/stable/models.html
    """

    code = "TRN808"
    name = "torchvision-pretrained"
    editor_tag = "deprecated"
    aliases = ("TOR201",)
    on = ("torchvision.models",)
    also = Triggers(calls=frozenset({"__dict__", "getattr"}))
    in_tests = True
    unless = (supports_older_than(_FIRST_WITH_WEIGHTS), switched, named_beside)
    message = "{given} is deprecated since torchvision 0.13, which warns of it"
    help = 'name the weights, as in `weights="IMAGENET1K_V1"`'
    fix_title = "Name the weights"
    fix_safety = Safety.SAFE
    fix_needs = _FIRST_WITH_WEIGHTS

    def found(self, site: Site) -> Match | None:
        """A call of one of torchvision's builders by an old argument."""
        there = site if isinstance(site.node, ast.Call) else called(site)
        builder = builder_of(there.origin(there.call.func)) if there is not None else None
        if there is None or (builder is None and not is_any_builder(there.call.func, site.origin)):
            return None
        given = old_argument(there.call, by_position=builder is not None)
        most = Confidence.LIKELY if builder is None else Confidence.CERTAIN
        sure = sure_if_warned(site, _FIRST_WITH_WEIGHTS, most=most)
        return Match(there, sure, {"given": given, "builder": builder}) if given is not None else None

    def edits(self, site: Site, match: Match) -> Iterable[Edit]:
        """The set of weights that the old argument has always meant, where the model's name is not computed."""
        builder = match["builder"]
        return named_weights(site.source, match.site.call, builder.weights) if builder is not None else ()
