"""The quick ways through a tree find what the standard library's slow ones find."""

from __future__ import annotations

import ast
from pathlib import Path

import pytest

import trainlint.analysis.syntax
from trainlint.analysis.syntax.names import has_name_in, nodes_in

SOURCES = [
    path.read_text("utf-8") for path in sorted(Path(trainlint.analysis.syntax.__file__).parent.glob("*.py"))[::10]
]
EVERY_SORT = """
import a.b as c
@d(1, *e, f=2, **g)
async def h(i, /, j: int = 1, *k, l=None, **m) -> n:
    global o
    async with p as q, r: await s
    return [t async for t in u if v], {w: x for w in y}, {*z}, (yield), f"{a!r:>{b}}", a[1:2, ::3], lambda b: b
match a:
    case C(1, x=2) | [b, *_] | {"k": 1, **rest} if not d < e <= f: del g[0], h.i
class D(E, metaclass=F): a: int = 1 if b else c; d += (e := -f); assert g, h
"""


@pytest.mark.parametrize("text", [EVERY_SORT, *SOURCES])
def test_all_nodes_but_operators_and_contexts_are_found_in_the_order_of_the_standard_library(text: str) -> None:
    tree = ast.parse(text)
    signs = (ast.expr_context, ast.operator, ast.unaryop, ast.cmpop, ast.boolop)
    assert nodes_in(tree) == [node for node in ast.walk(tree) if not isinstance(node, signs)]


@pytest.mark.parametrize(
    ("text", "found"),
    [("a", True), ("f(x[a])", True), ("a.grad", True), ("x.a", False), ("f(a=1)", False), ("'a'", False)],
)
def test_only_variables_count_as_names(text: str, found: bool) -> None:
    assert has_name_in(ast.parse(text), {"a", "b"}) is found
