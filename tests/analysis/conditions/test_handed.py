"""Which branches ask for a parameter that is None by default, and which calls hand it over?"""

from __future__ import annotations

import ast

import pytest

from tests.analysis.facts import file_model, marked
from trainlint.analysis.conditions.condition import ConditionKind
from trainlint.analysis.conditions.forms.parameters import passed_arguments
from trainlint.finding import Heat


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("f(x, 3)", True),
        ("f(x)", False),
        ("f(x, size=3)", True),
        ("f(x, size=None)", False),
        ("f(x, other=3)", False),
        ("f(*x)", None),
        ("f(x, **options)", None),
        ("f(x, None)", None),
        ("f(x, 1, 2, 3, 4)", None),
    ],
)
def test_what_a_call_hands_over(text: str, said: bool | None) -> None:
    call = ast.parse(text, mode="eval").body
    assert isinstance(call, ast.Call)
    assert passed_arguments(call).passes("size", ("x", "size", "other")) is said


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
