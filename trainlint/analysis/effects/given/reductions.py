"""Functions that sum or average over all ranks what they are given, as helpers for logs do."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from typing import TYPE_CHECKING

from trainlint.analysis.effects.collectives import collective
from trainlint.analysis.effects.effect import Effect, EffectKind
from trainlint.analysis.syntax.blocks import Block, Function, How
from trainlint.analysis.syntax.names import last_name, position
from trainlint.analysis.syntax.reaching import reaching
from trainlint.analysis.tables.collectives import REDUCTIONS

if TYPE_CHECKING:
    from trainlint.analysis.semantic_model import SemanticModel

_SAME_VALUES = frozenset("clone detach contiguous float double to cuda cpu data item mean sum".split())
"""Methods and attributes after which a value is still that of the parameter."""
_MAKES_TENSOR = frozenset("tensor as_tensor FloatTensor DoubleTensor LongTensor".split())
_DEEPEST = 5


def reductions(file: SemanticModel) -> Iterator[tuple[Function, Effect]]:
    """Function → that it reduces what a parameter holds, whenever it is called."""
    for name in sorted(REDUCTIONS & file.outline.calls.keys()):
        for place in file.outline.calls[name]:
            call, function = place.node, file.graph.enclosing(place.block)
            if function is None or not isinstance(call, ast.Call):
                continue
            found = collective(file, call, place.block)
            if found is None or found.tensor is None or found.returns_handle:
                continue
            parameter = _parameter(function, found.tensor, place.block, 0)
            if parameter and not any(condition.rare for condition in file.conditions.around(place.block)):
                yield (
                    function,
                    Effect(EffectKind.REDUCES, file.source.path, call.lineno, file.source.column(call), parameter),
                )


def _parameter(function: Function, node: ast.expr, block: Block, depth: int) -> str:
    """The parameter whose value an expression is, or is computed from, "" where there is none."""
    if depth > _DEEPEST:
        return ""
    if isinstance(node, ast.Name):
        return _parameter_behind(function, node, block, depth)
    source = _source(node)
    return _parameter(function, source, block, depth + 1) if source is not None else ""


def _source(node: ast.expr) -> ast.expr | None:
    """What an expression is computed from; None where it is another value."""
    match node:
        case ast.Call(func=ast.Attribute(value=value, attr=name)) | ast.Attribute(value=value, attr=name) if (
            name in _SAME_VALUES
        ):
            return value
        case ast.Call(args=[first, *_]) if last_name(node.func) in _MAKES_TENSOR:
            return first
        case ast.List(elts=[only]):
            return only
        case ast.BinOp(left=left):
            return left
    return None


def _parameter_behind(function: Function, node: ast.Name, block: Block, depth: int) -> str:
    for binding in reaching(node.id, block, position(node)):
        if binding.how is How.PARAMETER and binding.block is function.body:
            return node.id
        if binding.how is How.ASSIGN and binding.value is not None and not binding.path:
            if found := _parameter(function, binding.value, binding.block, depth + 1):
                return found
    return ""
