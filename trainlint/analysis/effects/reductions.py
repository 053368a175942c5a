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
    if isinstance(node, ast.Call):
        if isinstance(node.func, ast.Attribute) and node.func.attr in _SAME_VALUES:
            return _parameter(function, node.func.value, block, depth + 1)
        made = last_name(node.func) in _MAKES_TENSOR and node.args
        return _parameter(function, node.args[0], block, depth + 1) if made else ""
    if isinstance(node, ast.Attribute):
        return _parameter(function, node.value, block, depth + 1) if node.attr in _SAME_VALUES else ""
    if isinstance(node, ast.List) and len(node.elts) == 1:
        return _parameter(function, node.elts[0], block, depth + 1)
    if isinstance(node, ast.BinOp):
        return _parameter(function, node.left, block, depth + 1)
    if not isinstance(node, ast.Name):
        return ""
    for binding in reaching(node.id, block, position(node)):
        if binding.how is How.PARAMETER and binding.block is function.body:
            return node.id
        if binding.how is How.ASSIGN and binding.value is not None and not binding.path:
            if found := _parameter(function, binding.value, binding.block, depth + 1):
                return found
    return ""
