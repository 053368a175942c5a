"""The text of expressions is what Python itself writes."""

from __future__ import annotations

import ast
from pathlib import Path

import pytest

from trainlint.interpreter.text import text

PACKAGE = Path(__file__).parents[2] / "trainlint" / "interpreter"
FORMS = r"""
a.b.c(1, "x", None, key=True, *rest, **more)
f(x for x in y)(u"old", 1.5, -1, 'it\'s', "a\nb")
(1).real + (a or b).c
(a < b) == c
not_in not in {1}
x[1][a, b][1:2][:]
int | None | list[str]
(lambda: 0)() is not (yield)
f"{a!r}".join(...)
"""


def expressions(code: str) -> list[ast.expr]:
    return [node for node in ast.walk(ast.parse(code)) if isinstance(node, ast.expr)]


@pytest.mark.parametrize("code", [FORMS, *(path.read_text(encoding="utf-8") for path in PACKAGE.rglob("*.py"))])
def test_the_text_is_what_python_writes(code: str) -> None:
    for node in expressions(code):
        if not isinstance(node, ast.FormattedValue):  # of which Python writes no code outside of a string
            assert text(node) == ast.unparse(node)
