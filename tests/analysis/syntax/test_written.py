"""Pieces of the user's code, as sentences quote them."""

from __future__ import annotations

import ast

import pytest

from trainlint.analysis.syntax.written import written
from trainlint.source import source_from_text


@pytest.mark.parametrize(
    ("code", "quoted"),
    [
        ("f(\n    x,\n    y\n)", "f(x, y)"),
        ("x\\\n  .sum()", "x.sum()"),
        ("(a +\n    b)  [\n 0]", "(a + b) [0]"),
        ("f( x)", "f( x)"),
    ],
)
def test_code_of_several_lines_is_written_as_on_one(code: str, quoted: str) -> None:
    [statement] = ast.parse(code).body
    assert isinstance(statement, ast.Expr)
    assert written(source_from_text("code.py", code), statement) == quoted
