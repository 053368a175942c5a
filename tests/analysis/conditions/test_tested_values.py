"""What tests find out about values. Marks name those that are tensors where the line runs; `?` where they may be."""

from __future__ import annotations

import ast

import pytest

from tests.analysis.facts import file_model, marked
from trainlint.analysis.conditions.tested_values import asks_only_for_gradient, tensors_tested

TENSORS = """
    def read(x, y, flag):
        if isinstance(x, torch.Tensor) and flag:
            act()  #= x
        else:
            act()  #= none
        if isinstance(x, (torch.Tensor, float)):
            act()  #= x?
        if isinstance(x, float):
            act()  #= none
        if not isinstance(x, torch.Tensor):
            act()  #= none
            return
        act()  #= x
        if torch.is_tensor(y):
            act()  #= y x
"""


def test_tensors_that_tests_tell() -> None:
    for statement, block, expected in marked(file_model(TENSORS)):
        found = [ast.unparse(test.value) + ("" if test.is_certain else "?") for test in tensors_tested(block)]
        assert (" ".join(found) or "none") == expected, statement.lineno


def test_tests_around_a_function_count_where_they_are_asked_for() -> None:
    code = """
        if torch.is_tensor(table):
            def read():
                act()  #= inside
    """
    _, block, _ = marked(file_model(code))[0]
    assert not list(tensors_tested(block))
    assert len(list(tensors_tested(block, everywhere=True))) == 1


@pytest.mark.parametrize(
    ("test", "expected"),
    [
        ("p.grad is not None", True),
        ("p.requires_grad and p.grad is not None", True),
        ("p.grad.norm() > 0", False),
        ("p.ndim", False),
    ],
)
def test_tests_for_a_gradient_alone(test: str, expected: bool) -> None:
    _, block, _ = marked(file_model(f"for p in parameters:\n    if {test}:\n        act()  #= here\n"))[0]
    assert asks_only_for_gradient(block) is expected
