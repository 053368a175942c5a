"""Losses that are divided before their backward, or would have to be."""

from __future__ import annotations

import ast
from typing import TYPE_CHECKING

from trainlint.analysis.effects.accumulation import Accumulation, accumulation
from trainlint.analysis.syntax.names import argument, constant, dotted, last_name, names_in, nodes_in
from trainlint.analysis.tables.signs import DIVIDED_LOSSES
from trainlint.analysis.types.backward import graph_names
from trainlint.contract.guard import guard

if TYPE_CHECKING:
    from trainlint.analysis.site import Site
    from trainlint.analysis.syntax.blocks import Place

_UNTOLD = frozenset({"range", "print", "len", "info", "format", "debug", "set_description", "set_postfix", "log"})
"""Calls that are given the number of batches and divide nothing by it."""
_SCALING = ("div", "div_", "mul", "mul_", "sum")


@guard
def divided_otherwise(site: Site) -> bool:
    """The file divides gradients or losses in another way (by tokens, for example), or sums losses."""
    return site.file.names.show(DIVIDED_LOSSES) or any(
        constant(argument(place.node, "reduction")) == "sum"
        for place in site.file.outline.all_calls()
        if isinstance(place.node, ast.Call)
    )


def own_quotient(node: ast.AST) -> ast.BinOp | None:
    """`x / n` in `x += x / n`, `x = x + x / n` and `x = x / n + x`."""
    match node:
        case ast.AugAssign(op=ast.Add(), target=target, value=ast.BinOp(op=ast.Div()) as added):
            return added if _same(target, added.left) else None
        case ast.Assign(targets=[target], value=ast.BinOp(op=ast.Add(), left=left, right=right)):
            for kept, other in ((left, right), (right, left)):
                if isinstance(other, ast.BinOp) and isinstance(other.op, ast.Div):
                    if _same(target, kept) and _same(target, other.left):
                        return other
    return None


def _same(one: ast.expr, other: ast.expr) -> bool:
    return dotted(one) is not None and dotted(one) == dotted(other)


def loss_of(backward: Place) -> ast.expr | None:
    """What a backward starts from: `loss` in `loss.backward()`, `scaler.scale(loss).backward()`; None for engines."""
    match backward.node:
        case ast.Call(func=ast.Attribute(value=ast.Call(func=scale, args=[loss]), attr="backward")):
            if last_name(scale) == "scale":
                return loss
    match backward.node:
        case ast.Call(func=ast.Attribute(value=loss, attr="backward"), args=[]):
            return loss
    return None


@guard
def divided_by_engine(site: Site) -> bool:
    """An engine (Accelerate, Fabric, DeepSpeed) runs the backward and divides the loss."""
    found = _accumulation(site)
    return found is not None and any(loss_of(place) is None for place in found.backwards)


@guard
def count_is_used(site: Site) -> bool:
    """The file divides or multiplies by the number of batches, or passes it to a function."""
    found = _accumulation(site)
    return found is not None and any(
        found.count.rpartition(".")[2] in _numbers(operand)
        for node in nodes_in(site.file.tree)
        for operand in _operands(node, found)
    )


@guard
def scaled(site: Site) -> bool:
    """A loss is divided or scaled by something else, or summed."""
    found = _accumulation(site)
    if found is None:
        return False
    losses = [loss for place in found.backwards if (loss := loss_of(place)) is not None]
    names = {name for loss in losses for name in graph_names(loss)}
    texts = [*losses]
    for node in nodes_in(found.loop.node):
        if isinstance(node, ast.Assign | ast.AugAssign):
            targets = node.targets if isinstance(node, ast.Assign) else [node.target]
            if any(last_name(target) in names for target in targets):
                texts.append(node.value)
                if isinstance(node, ast.AugAssign) and isinstance(node.op, ast.Div | ast.Mult):
                    return True
    return any(_scales(part) for text in texts for part in nodes_in(text))


def _accumulation(site: Site) -> Accumulation | None:
    loop = site.block.innermost_loop()
    return accumulation(site.file, loop) if loop is not None else None


def _operands(node: ast.AST, found: Accumulation) -> tuple[ast.AST, ...]:
    """What a node divides or multiplies by, or hands to a function in the loop."""
    match node:
        case ast.BinOp(op=ast.Div() | ast.Mult(), left=left, right=right):
            return left, right
        case ast.AugAssign(op=ast.Div() | ast.Mult(), value=value):
            return (value,)
        case ast.Call() if last_name(node.func) not in _UNTOLD and _is_in(node, found.loop.node):
            given = (*node.args, *(keyword.value for keyword in node.keywords))
            return tuple(item for item in given if isinstance(item, ast.Name | ast.Attribute | ast.Constant))
    return ()


def _is_in(node: ast.expr, loop: ast.AST | None) -> bool:
    """Whether a node stands in a loop's own text, below its first line."""
    return isinstance(loop, ast.stmt) and loop.lineno < node.lineno <= (loop.end_lineno or 0)


def _numbers(node: ast.AST) -> list[str]:
    """The names and the written-out numbers in an operand."""
    constants = [str(part.value) for part in nodes_in(node) if isinstance(part, ast.Constant)]
    return names_in(node) + constants


def _scales(node: ast.AST) -> bool:
    if isinstance(node, ast.BinOp):
        return isinstance(node.op, ast.Div | ast.Mult)
    return isinstance(node, ast.Call) and last_name(node.func) in _SCALING
