"""Expressions are replaced and extended without changing what stands around them."""

from __future__ import annotations

import ast

import libcst as cst
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.fixing.helpers import call_of, edited, node_of, read
from trainlint.finding import Fix, Safety
from trainlint.fixing.expressions import replace_by_text
from trainlint.fixing.rewrite import (
    Unfixable,
    append_attribute_call,
    attempt,
    expression,
    replace_expression,
    wrap_in_call,
)


def test_a_rewritten_node_keeps_the_comments_and_line_ends_of_what_it_keeps() -> None:
    source, tree = read("if x:\r\n    y = torch.zeros(  # first\r\n        3,\r\n    ).cuda()  # last\r\n")
    call = call_of(tree, "torch.zeros(3).cuda")
    node = expression(source, call)
    assert isinstance(node, cst.Call)
    assert isinstance(node.func, cst.Attribute)
    after = edited(source, replace_expression(source, call, node.func.value))
    assert after == "if x:\r\n    y = torch.zeros(  # first\r\n        3,\r\n    )  # last\r\n"


PARENTHESES = {
    # text, what is replaced, by what: what it becomes
    ("y = x * a\n", "a", "b + c"): "y = x * (b + c)\n",
    ("y = a\n", "a", "b + c"): "y = b + c\n",
    ("y += a  # why\n", "a", "b + c"): "y += b + c  # why\n",
    ("return a\n", "a", "b or c"): "return b or c\n",
    ("f(a)\n", "a", "b or c"): "f(b or c)\n",
    ("f(x, k=a, z=1)\n", "a", "b or c"): "f(x, k=b or c, z=1)\n",
    ("[a, x]\n", "a", "lambda: 0"): "[lambda: 0, x]\n",
    ("f(a)\n", "a", "b, c"): "f((b, c))\n",
    ("f(a)\n", "a", "x for x in y"): "f((x for x in y))\n",
    ("f(a)\n", "a", "(b := c)"): "f((b := c))\n",
    ("(a\n and x)\n", "a", "b or c"): "((b or c)\n and x)\n",
    ("a.item()\n", "a", "b + c"): "(b + c).item()\n",
    ("a.item()\n", "a", "-b"): "(-b).item()\n",
    ("a.real\n", "a", "5"): "(5).real\n",
    ("x = a + 1\n", "a", "5"): "x = 5 + 1\n",
    ("x == a\n", "a", "b < c"): "x == (b < c)\n",
    ("x - a * b\n", "a * b", "c / d"): "x - c / d\n",
    ("x = (a, b)\n", "(a, b)", "c if d else e"): "x = c if d else e\n",
    ("x * (a, b)\n", "(a, b)", "c + d"): "x * (c + d)\n",
    ("x ** a\n", "a", "-1"): "x ** (-1)\n",
    ("await_ = await a\n", "a", "b ** c"): "await_ = await (b ** c)\n",
    ("{a: b}\n", "a", "lambda: 0"): "{(lambda: 0): b}\n",
}


@pytest.mark.parametrize(("text", "old", "new"), PARENTHESES)
def test_parentheses_stand_where_they_are_needed_and_nowhere_else(text: str, old: str, new: str) -> None:
    source, tree = read(text)
    after = edited(source, replace_expression(source, node_of(tree, old), parsed(new)))
    assert after == PARENTHESES[text, old, new]


def parsed(code: str) -> cst.BaseExpression:
    """A LibCST node; a tuple or generator without parentheses, as rules may build them."""
    if code == "x for x in y":
        generator = cst.parse_expression(f"({code})")
        return generator.with_changes(lpar=[], rpar=[])
    return cst.parse_expression(code)


APPENDED = {
    ("total += loss\n", "loss"): "total += loss.detach()\n",
    ("total += f(x)[0]\n", "f(x)[0]"): "total += f(x)[0].detach()\n",
    ("total += a + b\n", "a + b"): "total += (a + b).detach()\n",
    ("total += (a + b)\n", "a + b"): "total += (a + b).detach()\n",
    ("total += (  # sum\n    a + b\n)\n", "a + b"): "total += (  # sum\n    (a + b).detach()\n)\n",
    ("total += (\n    a + b\n)\n", "a + b"): "total += (\n    a + b\n).detach()\n",
    ("x.append(a + b)\n", "a + b"): "x.append((a + b).detach())\n",
    ("x.append (a + b)\n", "a + b"): "x.append ((a + b).detach())\n",
    ("x = [f\n (a + b)]\n", "a + b"): "x = [f\n ((a + b).detach())]\n",
    ("x = [f  # or +\n (a + b)]\n", "a + b"): "x = [f  # or +\n ((a + b).detach())]\n",
    ("x.append(-a)\n", "-a"): "x.append((-a).detach())\n",
    ("x = 5\n", "5"): "x = (5).detach()\n",
    ("x = a, b\n", "(a, b)"): "x = (a, b).detach()\n",
    ("x = (a, b)\n", "(a, b)"): "x = (a, b).detach()\n",
    ("return (a + b)\n", "a + b"): "return (a + b).detach()\n",
    ("(a + b)\n", "a + b"): "(a + b).detach()\n",
    ("x[a + b]\n", "a + b"): "x[(a + b).detach()]\n",
}


@pytest.mark.parametrize(("text", "old"), APPENDED)
def test_a_method_call_is_put_behind_the_whole_expression(text: str, old: str) -> None:
    source, tree = read(text)
    assert edited(source, append_attribute_call(source, node_of(tree, old), ".detach()")) == APPENDED[text, old]


WRAPPED = {
    ("x = a + b\n", "a + b"): "x = float(a + b)\n",
    ("x = (a + b) * c\n", "a + b"): "x = (float(a + b)) * c\n",
    ("x = a, b\n", "(a, b)"): "x = float((a, b))\n",
    ("x = (a, b)\n", "(a, b)"): "x = float((a, b))\n",
    ("x = (y for y in z)\n", "(y for y in z)"): "x = float((y for y in z))\n",
    ("print(total)\n", "total"): "print(float(total))\n",
}


@pytest.mark.parametrize(("text", "old"), WRAPPED)
def test_a_call_is_put_around_the_whole_expression(text: str, old: str) -> None:
    source, tree = read(text)
    assert edited(source, wrap_in_call(source, node_of(tree, old), "float")) == WRAPPED[text, old]


def test_a_generator_that_shares_the_parentheses_of_a_call_is_refused() -> None:
    source, tree = read("sum(x for x in y)\n")
    generator = node_of(tree, "(x for x in y)")
    with pytest.raises(Unfixable, match="shares the parentheses"):
        wrap_in_call(source, generator, "list")
    with pytest.raises(Unfixable, match="shares the parentheses"):
        replace_expression(source, generator, cst.Name("z"))


def test_an_unfixable_place_makes_a_finding_without_a_fix() -> None:
    source, tree = read('print(f"{loss.item()}", loss.item())\n')
    inside, outside = [
        node for node in ast.walk(tree) if ast.unparse(node) == "loss.item()" and isinstance(node, ast.expr)
    ]
    if inside.col_offset > outside.col_offset:
        inside, outside = outside, inside

    def fix(node: ast.expr) -> Fix:
        return Fix("Wrap it", wrap_in_call(source, node, "float"), Safety.SAFE)

    assert attempt(lambda: fix(inside)) is None
    assert attempt(lambda: fix(outside)) is not None


FORMS = (
    """
a / 5 / a.b / f(a) / -a / a + b / a * b / a ** b / not a / a and b / a or b / a < b / (a, b) / a if b else c / lambda: a
[a] / a[0] / 's' / (yield) / (c := a) / await a / a @ b / a | b / ~a / {a: b} / [a for a in b] / a is not b / a << b
""".strip()
    .replace("\n", " / ")
    .split(" / ")
)

CONTEXTS = (
    """
x = zz / x += zz / f(zz, 1) / f(k=zz) / f(*zz, **zz) / x = [1, zz] / x = zz.m / x = zz(1) / x = -zz / x = 1 - zz
x = zz - 1 / x = zz * zz / x = zz ** 2 / x = 2 ** zz / x = {1: zz, zz: 2} / x = not zz / x = zz if zz else zz
x = y[zz:1] / x = y[zz] / assert zz, 1 / x = [i for i in zz if zz] / return zz / x = lambda: zz / x = zz < zz < 2
x = zz and zz / for i in zz: pass / with zz as y: pass / x = zz # why / x = (zz) / if zz: pass / x = await zz
x = {zz, zz} / del y[zz] / x: zz = zz / raise zz from zz / x = [*zz] / x = zz; zz
""".strip()
    .replace("\n", " / ")
    .split(" / ")
)
CONTEXTS += ["x = (1,\n zz\n or 2)", "print(zz\n  # why\n  , zz)", "x = (\n  zz  # why\n)"]


def placed(context: str, old: str) -> str:
    """The context with the form in it: bare where that means the same, else in parentheses."""
    bare, grouped = (f"async def g():\n    {context.replace('zz', form)}\n" for form in (old, f"({old})"))
    try:
        return bare if ast.dump(ast.parse(bare)) == ast.dump(ast.parse(grouped)) else grouped
    except SyntaxError:
        return grouped


@pytest.mark.filterwarnings("ignore::SyntaxWarning")
@settings(max_examples=500, deadline=None)
@given(st.sampled_from(CONTEXTS), st.sampled_from(FORMS), st.sampled_from(FORMS), st.integers(0, 3))
def test_whatever_is_replaced_by_whatever_the_tree_is_the_one_that_was_meant(
    context: str, old: str, new: str, which: int
) -> None:
    source, tree = read(placed(context, old))
    form = ast.unparse(ast.parse(old, mode="eval"))
    targets = [node for node in ast.walk(tree) if isinstance(node, ast.expr) and ast.unparse(node) == form]
    target = targets[which % len(targets)]
    after = edited(source, replace_expression(source, target, cst.parse_expression(new)))
    meant = _Replacement(target, ast.parse(new, mode="eval").body).visit(tree)
    assert ast.unparse(ast.parse(after)) == ast.unparse(ast.fix_missing_locations(meant))


class _Replacement(ast.NodeTransformer):
    def __init__(self, old: ast.expr, new: ast.expr) -> None:
        self.old, self.new = old, new

    def visit(self, node: ast.AST) -> ast.AST:
        if node is self.old:
            return self.new
        return self.generic_visit(node)


@pytest.mark.parametrize(
    ("before", "after"),
    [
        ("y = wrap(  # why\n    x,\n)\n", None),
        ("y = wrap(\n    x,  # why\n)\n", None),
        ("y = wrap(\n    # why\n    x\n)\n", None),
        ("y = wrap(x)  # why\n", "y = x  # why\n"),
        ("y = [  # why\n    wrap(x),\n]\n", "y = [  # why\n    x,\n]\n"),
        ("y = wrap('# no comment', x)\n", "y = x\n"),
    ],
)
def test_no_comment_is_lost(before: str, after: str | None) -> None:
    source, tree = read(before)
    call = call_of(tree, "wrap")
    if after is None:
        with pytest.raises(Unfixable, match="would lose the comment '# why'"):
            replace_expression(source, call, cst.Name("x"))
        with pytest.raises(Unfixable, match="would lose the comment '# why'"):
            replace_by_text(source, call, "x")
    else:
        assert edited(source, replace_expression(source, call, cst.Name("x"))) == after
        assert edited(source, replace_by_text(source, call, "x")) == after


def test_a_comment_that_stands_twice_is_kept_twice() -> None:
    source, tree = read("y = wrap(\n    f(  # why\n        x,\n    ),  # why\n)\n")
    call = call_of(tree, "wrap")
    with pytest.raises(Unfixable):
        replace_expression(source, call, cst.parse_expression("f(  # why\n    x,\n)"))
