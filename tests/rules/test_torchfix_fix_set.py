"""A fix that TorchFix's users know: torchvision's weights by two old arguments."""

from __future__ import annotations

import pytest

from tests.rules.catalogue import STATED, source
from trainlint.engine.judge import judge
from trainlint.finding import Finding, Safety
from trainlint.fixing import fix_to_fixpoint
from trainlint.rule import Rule
from trainlint.source import SourceFile
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
