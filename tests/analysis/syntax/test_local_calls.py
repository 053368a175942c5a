"""What the calls and classes of one file say of a place."""

from __future__ import annotations

import ast

import pytest

from tests.analysis.facts import file_model, marked, value_of

CODE = """
class Loop:
    def __init__(self):
        self.rate = 0.1

    def step(self, other):
        rate = 0.2
        {expression}  #= here


class Other:
    def __init__(self):
        self.rate = 0.3


def alone():
    pass  #= outside
"""


@pytest.mark.parametrize(
    ("expression", "values"),
    [
        ("rate", [0.2]),
        ("self.rate", [0.1]),
        ("other.rate", []),  # nothing says of which class it is
        ("self.missing", []),
        ("self.rate.item", []),
        ("self.rate()", []),
    ],
)
def test_bindings_are_those_of_a_name_or_of_the_object_itself(expression: str, values: list[float]) -> None:
    model = file_model(CODE.format(expression=expression))
    statement, block, _ = marked(model)[0]
    found = model.outline.bindings(value_of(statement), block)
    assert [ast.literal_eval(item.value) for item in found if item.value is not None] == values


def test_the_owner_is_the_class_of_the_method_around() -> None:
    model = file_model(CODE.format(expression="rate"))
    owners = [model.graph.owner(block) for _, block, _ in marked(model)]
    assert [owner.name if owner is not None else None for owner in owners] == ["Loop", None]
    assert model.graph.owner(model.outline.module) is None
