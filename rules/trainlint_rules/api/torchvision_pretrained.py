"""TRN808."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from trainlint.analysis.site import Site
from trainlint.analysis.syntax.blocks import BlockKind
from trainlint.analysis.syntax.names import argument, constant
from trainlint.analysis.syntax.uses import call_of
from trainlint.finding import Edit, Finding, Fix, Safety, Severity
from trainlint.rule import Rule, Triggers
from trainlint_rules.api.idioms.pretrained import LEGACY_ARGUMENTS, builder_of, is_any_builder

_FIRST_WITH_WEIGHTS = (1, 12)
"""PyTorch 1.12 came with torchvision 0.13, the first that takes `weights`."""


class TorchvisionPretrained(Rule):
    """A model of torchvision asked for with `pretrained=`, deprecated since torchvision 0.13

    ## Why
    torchvision has several sets of weights for most models, so `pretrained=True` no longer says which one. Both
    `pretrained` and `pretrained_backbone` raise two warnings for each model that is built, and "may be removed in the
    future". `weights=` names the set; `True` has always meant the first one.

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

    ## Stays silent
    For models of timm and of your own, which have a `pretrained` of their own; where `weights=` is given beside it; in
    an `except` that is there for older versions; and where the project's oldest PyTorch is older than 1.12. There is no
    fix for quantised models, whose weights depend on another argument, and where the model's name is computed.

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
    severity = Severity.WARNING
    fix_safety = Safety.SAFE
    heat_matters = False
    aliases = ("TOR201",)
    triggers = Triggers(calls=frozenset({"__dict__", "getattr"}), references=("torchvision.models",))

    def check(self, site: Site) -> Iterator[Finding]:
        """Find calls of torchvision's builders by an old argument."""
        call = _call(site)
        if call is None or site.lacks(_FIRST_WITH_WEIGHTS):
            return
        if any(block.kind is BlockKind.EXCEPT for block in site.block.outwards()):
            return
        builder = builder_of(site.origin(call.func))
        if builder is None and not is_any_builder(call.func, site.origin):
            return
        given = _old_argument(call, by_position=builder is not None)
        if given is None:
            return
        message = f"{given} is deprecated since torchvision 0.13 and warns; name the weights: `weights=`"
        fix = _fix(site, call, builder.weights) if builder is not None else None
        sure = 0.95 if builder else 0.85
        yield self.finding(site, message, at=call, confidence=sure, fix=fix, fix_needs=_FIRST_WITH_WEIGHTS)


def _call(site: Site) -> ast.Call | None:
    """The call at a site, or the one whose function the site names."""
    if isinstance(site.node, ast.Call):
        return site.node
    place = call_of(site.file, site.node)
    return place.node if place is not None and isinstance(place.node, ast.Call) else None


def _old_argument(call: ast.Call, *, by_position: bool) -> str | None:
    """What a message calls the old argument; None where there is none, or the new one stands beside it."""
    legacy = [name for name in LEGACY_ARGUMENTS if argument(call, name) is not None]
    if any(argument(call, LEGACY_ARGUMENTS[name]) is not None for name in legacy):
        return None
    if legacy:
        return f"`{legacy[0]}=`"
    positional = by_position and bool(call.args) and type(constant(call.args[0])) is bool
    return "a truth value for the weights" if positional else None


def _fix(site: Site, call: ast.Call, weights: dict[str, str]) -> Fix | None:
    from trainlint.fixing.rewrite import Unfixable, attempt

    def make() -> Fix:
        edits = tuple(_edits(site, call, weights))
        if len(edits) != 1:
            raise Unfixable("two arguments of one call cannot be rewritten at once")
        return Fix("Name the weights", edits, Safety.SAFE)

    return attempt(make)


def _edits(site: Site, call: ast.Call, weights: dict[str, str]) -> Iterator[Edit]:
    from trainlint.fixing.keywords import rename_argument

    if call.args and type(constant(call.args[0])) is bool and "pretrained" in weights:
        value = f'"{weights["pretrained"]}"' if constant(call.args[0]) else "None"
        yield rename_argument(site.source, call, 0, "weights", value)
    for index, keyword in enumerate(call.keywords, start=len(call.args)):
        if keyword.arg in weights:
            name = f'"{weights[keyword.arg]}"'
            match constant(keyword.value):
                case True:
                    value = name
                case False:
                    value = "None"
                case _:
                    value = f"{name} if {ast.unparse(keyword.value)} else None"
            yield rename_argument(site.source, call, index, LEGACY_ARGUMENTS[keyword.arg], value)
