"""Fixes that TorchFix's users know: torchvision's weights by two old arguments, pytree's private name."""

from __future__ import annotations

import pytest

from tests.rules.catalogue import STATED, source
from trainlint.engine.judge import judge
from trainlint.finding import Finding, Safety
from trainlint.fixing import fix_to_fixpoint
from trainlint.rule import Rule
from trainlint.source import SourceFile
from trainlint_rules.api.deprecated_elsewhere import DeprecatedElsewhere
from trainlint_rules.api.torchvision_pretrained import TorchvisionPretrained


def fixed(text: str, rule: type[Rule], limit: Safety = Safety.SAFE) -> str:
    def judged(text: SourceFile) -> tuple[Finding, ...]:
        return judge(text, [rule()], STATED).findings

    return fix_to_fixpoint(source(text), judged, limit).source.text


DETECTION = "from torchvision.models import detection\n\nmodel = detection."

WEIGHTS = {
    "ssdlite320_mobilenet_v3_large(pretrained=True, pretrained_backbone=True)": (
        'ssdlite320_mobilenet_v3_large(weights="COCO_V1", weights_backbone="IMAGENET1K_V1")'
    ),
    "fasterrcnn_resnet50_fpn(pretrained_backbone=False, pretrained=True)": (
        'fasterrcnn_resnet50_fpn(weights_backbone=None, weights="COCO_V1")'
    ),
    "fasterrcnn_resnet50_fpn(False, pretrained_backbone=start)": (
        'fasterrcnn_resnet50_fpn(weights=None, weights_backbone="IMAGENET1K_V1" if start else None)'
    ),
    "ssd300_vgg16(\n    pretrained=True,  # boxes\n    pretrained_backbone=True,  # features\n)": (
        'ssd300_vgg16(\n    weights="COCO_V1",  # boxes\n    weights_backbone="IMAGENET1K_FEATURES",  # features\n)'
    ),
}


@pytest.mark.parametrize(("old", "new"), WEIGHTS.items(), ids=WEIGHTS)
def test_both_old_arguments_are_named_at_once(old: str, new: str) -> None:
    assert fixed(f"{DETECTION}{old}\n", TorchvisionPretrained) == f"{DETECTION}{new}\n"


PYTREE = """\
from torch.utils._pytree import _register_pytree_node


def register(kind):
    _register_pytree_node(kind, kind.flatten, kind.unflatten{more})
"""


def test_pytrees_private_name_is_left_as_a_doubled_registration_would_fail() -> None:
    text = PYTREE.format(more="")
    assert fixed(text, DeprecatedElsewhere) == text
    assert fixed(text, DeprecatedElsewhere, Safety.UNSAFE) == text.replace("_register_pytree", "register_pytree")


@pytest.mark.parametrize("more", [", to_str, from_str", ", to_str_fn=to_str", ", **options"])
def test_arguments_that_only_the_private_name_takes_keep_it(more: str) -> None:
    text = PYTREE.format(more=more)
    assert fixed(text, DeprecatedElsewhere, Safety.UNSAFE) == text


def test_the_private_name_handed_on_keeps_it() -> None:
    text = f"{PYTREE.format(more='')}\n\nother = [_register_pytree_node]\n"
    assert fixed(text, DeprecatedElsewhere, Safety.UNSAFE) == text
