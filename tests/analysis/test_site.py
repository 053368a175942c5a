"""What a rule can ask of the place that it judges."""

from __future__ import annotations

import ast

import pytest

from trainlint.analysis.semantic_model import SemanticModel
from trainlint.analysis.site import Site
from trainlint.config import Config
from trainlint.config.torch_range import TorchRange
from trainlint.source import source_from_text


@pytest.mark.parametrize(
    ("target", "lacks"),
    [
        (None, False),  # nobody knows: the newest is assumed
        (TorchRange((2, 0)), True),
        (TorchRange((2, 4)), False),
        (TorchRange((2, 5)), False),
    ],
)
def test_a_target_lacks_what_its_oldest_version_came_without(target: TorchRange | None, lacks: bool) -> None:
    source = source_from_text("train.py", "f()")
    model = SemanticModel(source, ast.parse(source.text), Config(target_torch=target))
    site = Site(model, model.outline.calls["f"][0])
    assert site.lacks((2, 4)) is lacks
