"""The builders of torchvision's models, and which weights their old arguments mean.

Source: the legacy interface that decorates each builder in torchvision/models, as of torchvision 0.13 to 0.29.
"""

from __future__ import annotations

import ast
import re
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field

from trainlint.analysis.site import Site
from trainlint.analysis.syntax.names import argument, constant
from trainlint.contract.guard import guard
from trainlint.finding import Edit
from trainlint.patterns import lazy
from trainlint.source import SourceFile

LEGACY_ARGUMENTS = {"pretrained": "weights", "pretrained_backbone": "weights_backbone"}
"""An old argument, and the one in its place."""

_PACKAGE = "torchvision.models"
_CLASSIFIER = lazy(
    r"(alexnet|googlenet|inception_v3|densenet\d+|mnasnet\d_\d+|mobilenet_v(2|3_large|3_small)|resnet\d+|"
    r"resnext\d+_\d+x\d+d|wide_resnet\d+_2|shufflenet_v2_x\d_\d|squeezenet1_[01]|vgg\d+(_bn)?|"
    r"convnext_(tiny|small|base|large)|efficientnet_(b\d|v2_[sml])|maxvit_t|regnet_[xy]_(\d+_)?\d+[mg]f|"
    r"swin_(v2_)?[tsb]|vit_[bl]_(16|32))"
)
_NONE_AT_ALL = frozenset({"regnet_y_128gf", "vit_h_14"})
"""`pretrained=True` raises for these: they have no weights of the first kind."""
_DETECTORS = lazy(r"(fasterrcnn|maskrcnn|retinanet|fcos|ssd300|ssdlite320)_\w+")
_SEGMENTERS = lazy(r"(deeplabv3|fcn|lraspp)_\w+")
_VIDEO = lazy(r"(mvit_v\d_[bs]|r3d_18|mc3_18|r2plus1d_18|s3d|swin3d_[tsb])")


@dataclass(frozen=True, slots=True)
class Builder:
    """One function that builds a model."""

    weights: dict[str, str] = field(default_factory=dict)
    """Old argument → the name of the weights that it means when it is true; empty where that depends on others."""


def builder_of(origin: str | None) -> Builder | None:
    """The builder of a dotted name; None for any other name."""
    if origin is None or not origin.startswith(f"{_PACKAGE}."):
        return None
    package, _, name = origin.rpartition(".")
    kind = package.removeprefix(_PACKAGE).strip(".").partition(".")[0]
    if kind == "quantization":
        return Builder() if _CLASSIFIER.fullmatch(name) else None
    if name in _NONE_AT_ALL:
        return None
    for pattern, kinds, weights in _KINDS:
        if kind in kinds and pattern.fullmatch(name):
            return Builder(dict(weights))
    return None


def is_any_builder(function: ast.expr, origin: Callable[[ast.expr], str | None]) -> bool:
    """Whether a builder is looked up by a name that the program computes: `models.__dict__[name]` or `getattr`."""
    if isinstance(function, ast.Subscript) and isinstance(function.value, ast.Attribute):
        return function.value.attr == "__dict__" and origin(function.value.value) == _PACKAGE
    if isinstance(function, ast.Call) and isinstance(function.func, ast.Name) and function.func.id == "getattr":
        return bool(function.args) and origin(function.args[0]) == _PACKAGE
    return False


@guard
def named_beside(site: Site) -> bool:
    """`weights=` is given beside it."""
    pairs = LEGACY_ARGUMENTS.items()
    return any(argument(site.call, old) and argument(site.call, new) for old, new in pairs)


def old_argument(call: ast.Call, *, by_position: bool) -> str | None:
    """What a message calls the old argument of a builder's call; None where there is none."""
    legacy = [name for name in LEGACY_ARGUMENTS if argument(call, name) is not None]
    if legacy:
        return f"`{legacy[0]}=`"
    positional = by_position and bool(call.args) and type(constant(call.args[0])) is bool
    return "a truth value for the weights" if positional else None


def named_weights(source: SourceFile, call: ast.Call, weights: Mapping[str, str]) -> tuple[Edit, ...]:
    """The edit that names the sets of weights. Raises Unfixable where the call cannot be rewritten."""
    from trainlint.fixing.keywords import rename_arguments

    named = dict(_new_arguments(call, weights))
    return (rename_arguments(source, call, named),) if named else ()


def _new_arguments(call: ast.Call, weights: Mapping[str, str]) -> Iterator[tuple[int, tuple[str, str]]]:
    """For each old argument its index, and the name and value of the new one."""
    if call.args and type(constant(call.args[0])) is bool and "pretrained" in weights:
        yield 0, ("weights", f'"{weights["pretrained"]}"' if constant(call.args[0]) else "None")
    for index, keyword in enumerate(call.keywords, start=len(call.args)):
        if keyword.arg is not None and keyword.arg in weights:
            name = f'"{weights[keyword.arg]}"'
            match constant(keyword.value):
                case True:
                    value = name
                case False:
                    value = "None"
                case _:
                    value = f"{name} if {ast.unparse(keyword.value)} else None"
            yield index, (LEGACY_ARGUMENTS[keyword.arg], value)


_COCO = {"pretrained": "COCO_V1", "pretrained_backbone": "IMAGENET1K_V1"}
_KINDS: tuple[tuple[re.Pattern[str], frozenset[str], Mapping[str, str]], ...] = (
    (lazy(r"ssd300_vgg16"), frozenset({"detection"}), {**_COCO, "pretrained_backbone": "IMAGENET1K_FEATURES"}),
    # Its `pretrained` takes "legacy", too, for yet other weights.
    (lazy(r"keypointrcnn_\w+"), frozenset({"detection"}), {"pretrained_backbone": "IMAGENET1K_V1"}),
    (_DETECTORS, frozenset({"detection"}), _COCO),
    (_SEGMENTERS, frozenset({"segmentation"}), {**_COCO, "pretrained": "COCO_WITH_VOC_LABELS_V1"}),
    (_VIDEO, frozenset({"video"}), {"pretrained": "KINETICS400_V1"}),
    (
        _CLASSIFIER,
        # Builders stand in the package itself and in a module for each family.
        frozenset(
            """ alexnet convnext densenet efficientnet googlenet inception maxvit mnasnet mobilenet mobilenetv2
            mobilenetv3 regnet resnet shufflenetv2 squeezenet swin_transformer vgg vision_transformer""".split()
        )
        | {""},
        {"pretrained": "IMAGENET1K_V1"},
    ),
)
"""Names, the part of the package in which they stand, and what their old arguments mean."""
