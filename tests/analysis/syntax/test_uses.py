"""What becomes of an expression in its statement."""

from __future__ import annotations

import ast

import pytest

from trainlint.analysis.syntax.uses import assigned_target


@pytest.mark.parametrize(
    ("statement", "target"),
    [
        ("x = f()", "x"),
        ("self.x = f()", "self.x"),
        ("a, b = f()", "(a, b)"),
        ("x = y = f()", None),
        ("x = f() + 1", None),
        ("x += f()", None),
        ("f()", None),
    ],
)
def test_an_expression_is_assigned_to_its_one_target(statement: str, target: str | None) -> None:
    tree = ast.parse(statement)
    call = next(node for node in ast.walk(tree) if isinstance(node, ast.Call))
    found = assigned_target(tree.body[0], call)
    assert (ast.unparse(found) if found is not None else None) == target
