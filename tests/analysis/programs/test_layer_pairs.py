"""Which layer's output goes straight into another one."""

from __future__ import annotations

import ast
import textwrap

import pytest

from trainlint.analysis.programs.layer_pairs import layer_before
from trainlint.analysis.semantic_model import SemanticModel
from trainlint.config import Config
from trainlint.source import source_from_text

CLASS = """
class Block(nn.Module):
    def __init__(self):
        self.first = nn.Linear(1, 2)
        self.norm = nn.BatchNorm1d(2)

    def forward(self, x):
        {}
"""


def before(code: str) -> str | None:
    code = textwrap.dedent(code)
    file = SemanticModel(source_from_text("model.py", code), ast.parse(code), Config())
    found = layer_before(file, file.outline.calls["BatchNorm1d"][0])
    return ast.unparse(found) if found is not None else None


@pytest.mark.parametrize(
    "body",
    [
        "return self.norm(self.first(x))",
        "x = self.first(x)\n        x = self.norm(x)\n        return x",
        "y = self.first(x)\n        return act(self.norm(y))",
    ],
)
def test_attributes_that_a_forward_joins(body: str) -> None:
    assert before(CLASS.format(body)) == "nn.Linear(1, 2)"


@pytest.mark.parametrize(
    "body",
    [
        "return self.norm(act(self.first(x)))",
        "x = self.first(x)\n        x = act(x)\n        return self.norm(x)",
        "return self.norm(self.first(x)) + self.first(x)",
        "return self.norm(x)",
        "return self.norm(self.first(x) if x.any() else x)",
    ],
)
def test_attributes_that_it_does_not(body: str) -> None:
    assert before(CLASS.format(body)) is None


def test_neighbours() -> None:
    assert before("nn.Sequential(nn.Linear(1, 2), nn.BatchNorm1d(2))") == "nn.Linear(1, 2)"
    assert before("layers += [nn.Linear(1, 2), nn.BatchNorm1d(2)]") == "nn.Linear(1, 2)"
    assert before("Residual(nn.Linear(1, 2), nn.BatchNorm1d(2))") is None
    assert before("layers.append(nn.BatchNorm1d(2))") is None
