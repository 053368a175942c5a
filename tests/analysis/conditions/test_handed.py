"""What do branches need of a parameter, and which calls give it?"""

from __future__ import annotations

import ast

import pytest

from tests.analysis.facts import file_model, marked
from trainlint.analysis.conditions.arguments import ANYTHING, PASSED, passed_arguments
from trainlint.analysis.conditions.condition import ConditionKind
from trainlint.analysis.conditions.settings.required_values import RequiredValue
from trainlint.finding import Heat


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("f(x, y)", PASSED),
        ("f(x, 3)", "3"),
        ("f(x, None)", "None"),
        ("f(x)", "7"),
        ("f(x, size='full')", "'full'"),
        ("f(x, size=None)", "None"),
        ("f(x, size=size)", "=size"),
        ("f(x, size=other)", PASSED),
        ("f(x, other=3)", "7"),
        ("f(*x)", ANYTHING),
        ("f(x, **options)", ANYTHING),
        ("f(x, 1, 2, 3, 4)", ANYTHING),
    ],
)
def test_what_a_call_gives_a_parameter(text: str, said: str) -> None:
    call = ast.parse(text, mode="eval").body
    assert isinstance(call, ast.Call)
    passed = passed_arguments(call, parameters=("size",))
    assert passed.value("size", ("x", "size", "rest"), (("size", "7"),)) == said


@pytest.mark.parametrize(
    ("literal", "holds", "value", "met"),
    [
        ("", True, "True", True),
        ("", True, "0", False),
        ("", False, "''", True),
        ("", True, PASSED, None),
        ("'mean'", True, "'mean'", True),
        ("'mean'", True, "'sum'", False),
        ("'mean'", False, "'sum'", True),
        ("None", True, "None", True),
        ("None", True, PASSED, False),
        ("None", False, PASSED, True),
        ("None", False, ANYTHING, None),
    ],
)
def test_whether_a_value_meets_what_a_branch_needs(literal: str, holds: bool, value: str, met: bool | None) -> None:
    operator = "==" if literal else ""
    assert RequiredValue("reduce", "=reduce", operator, literal, holds).met_by(value) is met


ASKING = """
    def f(x, size=None, other=3, batch=None):
        if size is None:
            a = x  #= size:left
        elif x.numel() and other is not None:
            a = x  #= size:handed
        if not (size is None or batch is None):
            a = x  #= size:handed batch:handed
        if size is None:
            size = 3
        if size is None:
            a = x  #= none
        if other is None:
            a = x  #= none
"""


def test_what_a_branch_asks_for() -> None:
    model = file_model(ASKING)
    for statement, block, said in marked(model):
        found = [item for item in model.conditions.around(block) if item.kind is ConditionKind.PARAMETER]
        words = " ".join(f"{item.name}:{'handed' if item.value else 'left'}" for item in found) or "none"
        assert words == said, statement.lineno


CALLED = """
    import torch
    def scatter(x, index, size=None, weight=None):
        if size is None:
            size = int(index.max())  #= step 0.6
        if weight is not None:
            x = x[weight]  #= rare
        return x
    def gather(x, size=None):
        if size is None:
            size = int(x.max())  #= step 0.9
        return x
    def train(model, loader, optimizer):
        for x, index in loader:
            loss = scatter(model(x), index, x.size(0)) + gather(x)
            loss.backward()
            optimizer.step()
"""


def test_a_branch_is_as_hot_as_the_calls_that_it_needs() -> None:
    model = file_model(CALLED)
    for statement, block, said in marked(model):
        fact = model.heats.of(block)
        if said == "rare":
            assert fact.heat is Heat.RARE, statement.lineno
        else:
            assert fact.heat is Heat.STEP
            assert (fact.confidence < 0.7) is (said == "step 0.6"), (statement.lineno, fact)
