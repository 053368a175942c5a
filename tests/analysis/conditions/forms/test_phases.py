"""Tests that tell training from evaluation and generation."""

from __future__ import annotations

import pytest

from tests.analysis.conditions.reading import condition, otherwise
from trainlint.analysis.conditions.condition import ConditionKind


@pytest.mark.parametrize(
    "test", ["model.training", "train", 'phase == "train"', "stage == Stage.TRAIN", "kv_cache is None"]
)
def test_training(test: str) -> None:
    found = condition(test)
    assert (found.kind, found.rare, found.is_unknown) == (ConditionKind.PHASE, False, False)
    assert otherwise(test).rare


@pytest.mark.parametrize(
    "test",
    [
        "not model.training",
        "args.eval_only",
        "torch.jit.is_tracing()",
        "torchvision._is_tracing()",
        "torch.onnx.is_in_onnx_export()",
        "self.onnx",
        "model.export_mode",
        "args.deploy",
        'phase == "val"',
        'mode != "train"',
    ],
)
def test_no_training(test: str) -> None:
    found = condition(test)
    assert (found.kind, found.rare) == (ConditionKind.PHASE, True)


def test_other_modes() -> None:
    assert not condition("self.exporter").rare
    assert not condition("args.onnx_path").rare
    assert condition('mode == "fast"').kind is ConditionKind.UNKNOWN
