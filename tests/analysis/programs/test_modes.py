"""Calls that set the mode of a module."""

from __future__ import annotations

import ast

import pytest

from trainlint.analysis.programs.modes import mode_calls, sets_training, switched
from trainlint.analysis.semantic_model import SemanticModel
from trainlint.config import Config
from trainlint.source import source_from_text


@pytest.mark.parametrize(
    ("code", "mode"),
    [
        ("model.train()", True),
        ("model.train(True)", True),
        ("model.train(mode=False)", False),
        ("model.eval()", False),
        ("model.train(was_training)", None),
        ("trainer.train(loader, epochs)", None),
        ("frame.eval('a + b')", None),
    ],
)
def test_the_mode_that_a_call_sets(code: str, mode: bool | None) -> None:
    file = SemanticModel(source_from_text("train.py", code), ast.parse(code), Config())
    (place,) = mode_calls(file)
    assert sets_training(place) is mode
    assert isinstance(switched(place), ast.Name)


def test_a_function_of_that_name_sets_none() -> None:
    code = "train(model)\neval('1')\n"
    assert not list(mode_calls(SemanticModel(source_from_text("train.py", code), ast.parse(code), Config())))
