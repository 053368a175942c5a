"""What callers pass to a function is asked of a bounded number of them."""

from __future__ import annotations

import ast

import pytest

from trainlint.analysis.semantic_model import SemanticModel
from trainlint.analysis.types.values import Kind
from trainlint.config import Config
from trainlint.source import source_from_text


@pytest.mark.parametrize(
    "method",
    [
        "    def log(self, loss):",
        "    def log(this, loss):",
        "    @classmethod\n    def log(cls, loss):",
        "    @staticmethod\n    def log(loss):",
    ],
)
def test_an_argument_is_counted_from_behind_the_object(method: str) -> None:
    text = f"class Logger:\n{method}\n        print(loss)\n\nlogger = Logger()\nlogger.log('started', 3)\n"
    source = source_from_text("train.py", text)
    model = SemanticModel(source, ast.parse(text), Config())
    (function,) = model.outline.functions
    (shown,) = (call for place in model.outline.calls["print"] if isinstance(call := place.node, ast.Call))
    assert model.kinds.of(shown.args[0], function.body).kind is Kind.STRING


UNPACKED = """\
import torch


def tokenize(batch: {annotation}):
    first, second = batch
    print(first, second)


for batch in torch.utils.data.DataLoader(data):
    {call}
"""


@pytest.mark.parametrize("call", ["tokenize(batch)", "pass"])
@pytest.mark.parametrize(
    ("annotation", "kinds"),
    [
        ("tuple[torch.Tensor, list[str]]", (Kind.TENSOR, Kind.CONTAINER)),
        ("Tuple[torch.Tensor, int]", (Kind.TENSOR, Kind.NUMBER)),
        ("typing.Optional[typing.Tuple[dict[str, float], torch.Tensor]]", (Kind.CONTAINER, Kind.TENSOR)),
        ("tuple[torch.Tensor, ...]", (Kind.TENSOR, Kind.TENSOR)),
        ("tuple[torch.Tensor, torch.LongTensor]", (Kind.TENSOR, Kind.TENSOR)),
    ],
)
def test_each_place_of_an_annotated_tuple_has_its_own_kind(
    annotation: str, kinds: tuple[Kind, Kind], call: str
) -> None:
    """`audio, names = batch` of `batch: tuple[Tensor, list[str]]`, whether callers are known or not."""
    text = UNPACKED.format(annotation=annotation, call=call)
    model = SemanticModel(source_from_text("train.py", text), ast.parse(text), Config())
    (function,) = model.outline.functions
    (shown,) = (found for place in model.outline.calls["print"] if isinstance(found := place.node, ast.Call))
    assert tuple(model.kinds.of(item, function.body).kind for item in shown.args) == kinds


def test_a_place_of_an_unknown_class_is_what_the_batch_gives() -> None:
    text = UNPACKED.format(annotation="tuple[torch.Tensor, Graph]", call="tokenize(batch)")
    model = SemanticModel(source_from_text("train.py", text), ast.parse(text), Config())
    (function,) = model.outline.functions
    (shown,) = (found for place in model.outline.calls["print"] if isinstance(found := place.node, ast.Call))
    assert model.kinds.of(shown.args[0], function.body).is_tensor
