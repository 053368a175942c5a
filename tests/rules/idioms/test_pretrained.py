"""Which names build torchvision's models, and what their old arguments mean."""

from __future__ import annotations

import ast

import pytest

from trainlint_rules.api.idioms.pretrained import builder_of, is_any_builder


@pytest.mark.parametrize(
    ("origin", "weights"),
    [
        ("torchvision.models.resnet50", "IMAGENET1K_V1"),
        ("torchvision.models.resnet.resnet18", "IMAGENET1K_V1"),
        ("torchvision.models.mobilenet_v3_small", "IMAGENET1K_V1"),
        ("torchvision.models.vgg16_bn", "IMAGENET1K_V1"),
        ("torchvision.models.regnet_y_1_6gf", "IMAGENET1K_V1"),
        ("torchvision.models.detection.fasterrcnn_resnet50_fpn", "COCO_V1"),
        ("torchvision.models.segmentation.fcn_resnet50", "COCO_WITH_VOC_LABELS_V1"),
        ("torchvision.models.video.r3d_18", "KINETICS400_V1"),
    ],
)
def test_what_true_means(origin: str, weights: str) -> None:
    builder = builder_of(origin)
    assert builder is not None
    assert builder.weights["pretrained"] == weights


@pytest.mark.parametrize(
    "origin",
    [
        None,
        "timm.models.resnet50",
        "torchvision.models.vit_h_14",
        "torchvision.models.ResNet",
        "torchvision.datasets.x",
    ],
)
def test_other_names_build_nothing(origin: str | None) -> None:
    assert builder_of(origin) is None


def test_quantised_models_depend_on_another_argument() -> None:
    builder = builder_of("torchvision.models.quantization.resnet18")
    assert builder is not None
    assert builder.weights == {}


def test_keypoint_detectors_have_two_sets_of_weights() -> None:
    builder = builder_of("torchvision.models.detection.keypointrcnn_resnet50_fpn")
    assert builder is not None
    assert builder.weights == {"pretrained_backbone": "IMAGENET1K_V1"}


def test_the_backbone_of_ssd_has_weights_of_its_own() -> None:
    builder = builder_of("torchvision.models.detection.ssd300_vgg16")
    assert builder is not None
    assert builder.weights == {"pretrained": "COCO_V1", "pretrained_backbone": "IMAGENET1K_FEATURES"}


@pytest.mark.parametrize(
    ("text", "is_one"),
    [
        ("models.__dict__[name]()", True),
        ("getattr(models, name)()", True),
        ("other.__dict__[name]()", False),
        ("getattr(other, name)()", False),
        ("models.resnet18()", False),
    ],
)
def test_builders_by_a_computed_name(text: str, is_one: bool) -> None:
    call = ast.parse(text, mode="eval").body
    assert isinstance(call, ast.Call)

    def origin(node: ast.expr) -> str | None:
        return "torchvision.models" if ast.unparse(node) == "models" else None

    assert is_any_builder(call.func, origin) is is_one
