"""A loop that averages two models parameter by parameter, rewritten for lists of tensors."""

from __future__ import annotations

import ast
from dataclasses import dataclass
from functools import lru_cache

from trainlint.analysis.syntax.names import argument, last_name
from trainlint.finding import Edit
from trainlint.fixing.imports import ensure_import
from trainlint.fixing.layout import Unfixable, extent, statement_place
from trainlint.source import SourceFile


@dataclass(frozen=True, slots=True)
class _ListOperand:
    """One of the two lists."""

    name: str
    """The loop's name for an element."""
    source: str
    """The expression that is iterated."""
    data: bool
    """Whether the body takes `.data` of the elements."""

    @property
    def list_name(self) -> str:
        return f"{self.name}_list"

    def built(self) -> str:
        return f"[{self.name}.data for {self.name} in {self.source}]" if self.data else f"list({self.source})"


def foreach_average(source: SourceFile, tree: ast.Module, loop: ast.For) -> tuple[Edit, ...]:
    """Rewrite `for a, b in zip(x, y): a.mul_(d).add_(b, alpha=w)`, or with `lerp_`, for all tensors at once.

    Raises Unfixable for any other loop, for one with comments, and where a name that is needed is taken.
    """
    match loop:
        case ast.For(
            target=ast.Tuple(elts=[ast.Name(id=first), ast.Name(id=second)]),
            iter=ast.Call(func=ast.Name(id="zip"), args=[one, other], keywords=[]),
            body=[ast.Expr(value=ast.Call() as last)],
            orelse=[],
        ):
            pass
        case _:
            raise Unfixable(f"the loop at line {loop.lineno} of {source.path} is no plain average of two lists")
    lists = {first: ast.unparse(one), second: ast.unparse(other)}
    receiver, given, steps = _steps(source, loop, last)
    sides = [_list_operand(source, loop, node, lists) for node in (receiver, given)]
    read = [node.id for node in ast.walk(last) if isinstance(node, ast.Name)]
    if any(read.count(name) != 1 for name in lists):
        raise Unfixable(f"the weights of the loop at line {loop.lineno} of {source.path} differ by parameter")
    start, stop = extent(source, loop)
    taken = _names(tree)
    if sides[0].name == sides[1].name or "#" in source.text[start:stop] or taken & {side.list_name for side in sides}:
        raise Unfixable(f"the loop at line {loop.lineno} of {source.path} has comments or names that would be lost")
    name, imported = ensure_import(source, tree, "torch", "_foreach_mul_")
    place = statement_place(source, loop)
    if not place.begins_line:
        raise Unfixable(f"the loop at line {loop.lineno} of {source.path} shares its line")
    prefix = name.removesuffix("_foreach_mul_")
    lines = [f"{side.list_name} = {side.built()}" for side in sides]
    lines += [f"{prefix}{step.format(*(side.list_name for side in sides))}" for step in steps]
    return tuple(sorted((*imported, Edit(start, stop, f"{source.newline}{place.indentation}".join(lines)))))


@lru_cache(maxsize=2)
def _names(tree: ast.Module) -> frozenset[str]:
    return frozenset(node.id for node in ast.walk(tree) if isinstance(node, ast.Name))


def _steps(source: SourceFile, loop: ast.For, last: ast.Call) -> tuple[ast.expr, ast.expr, list[str]]:
    """The tensor that is written, the one that is read, and the calls for lists of them."""
    method = last.func
    if isinstance(method, ast.Attribute) and method.attr == "lerp_" and len(last.args) == 2 and not last.keywords:
        weight = ast.unparse(last.args[1])
        return method.value, last.args[0], [f"_foreach_lerp_({{0}}, {{1}}, {_escaped(weight)})"]
    weight_given = argument(last, "alpha")
    before = method.value if isinstance(method, ast.Attribute) and method.attr == "add_" else None
    if (
        isinstance(before, ast.Call)
        and isinstance(before.func, ast.Attribute)
        and last_name(before.func) == "mul_"
        and len(before.args) == 1
        and not before.keywords
        and len(last.args) == 1
        and len(last.keywords) == 1
        and weight_given is not None
    ):
        decay, weight = ast.unparse(before.args[0]), ast.unparse(weight_given)
        return (
            before.func.value,
            last.args[0],
            [f"_foreach_mul_({{0}}, {_escaped(decay)})", f"_foreach_add_({{0}}, {{1}}, alpha={_escaped(weight)})"],
        )
    raise Unfixable(f"the loop at line {loop.lineno} of {source.path} averages in another way")


def _escaped(text: str) -> str:
    return text.replace("{", "{{").replace("}", "}}")


def _list_operand(source: SourceFile, loop: ast.For, node: ast.expr, lists: dict[str, str]) -> _ListOperand:
    data = isinstance(node, ast.Attribute) and node.attr == "data"
    inner = node.value if isinstance(node, ast.Attribute) and data else node
    if not isinstance(inner, ast.Name) or inner.id not in lists:
        raise Unfixable(f"the loop at line {loop.lineno} of {source.path} computes with more than its parameters")
    return _ListOperand(inner.id, lists[inner.id], data)
