"""Functions that gather a list of tensors from all ranks and return it."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from typing import TYPE_CHECKING

from trainlint.analysis.effects.collectives import collective
from trainlint.analysis.effects.effect import Effect, EffectKind
from trainlint.analysis.syntax.blocks import Function
from trainlint.analysis.syntax.names import argument, last_name, nodes_in
from trainlint.analysis.tables.collectives import ALL_GATHER

if TYPE_CHECKING:
    from trainlint.analysis.semantic_model import SemanticModel

_SAME_ITEMS = frozenset({"tuple", "list"})


def gathered_lists(file: SemanticModel) -> Iterator[tuple[Function, Effect]]:
    """Function → that it returns the list which an `all_gather` of it fills, and does nothing else with it."""
    for place in file.outline.calls.get(ALL_GATHER.name, ()):
        call, function = place.node, file.graph.enclosing(place.block)
        if function is None or not isinstance(call, ast.Call):
            continue
        found = collective(file, call, place.block)
        filled = argument(call, "tensor_list", 0)
        if found is None or found.returns_handle or not isinstance(filled, ast.Name):
            continue
        if _only_returns(function, filled):
            yield function, Effect(EffectKind.GATHERS, file.source.path, call.lineno, file.source.column(call))


def _only_returns(function: Function, filled: ast.Name) -> bool:
    """Whether a list is read nowhere in a function but where it is filled and where it is returned."""
    nodes = list(nodes_in(function.node))
    returned = [_returned_name(node) for node in nodes if isinstance(node, ast.Return)]
    reads = [
        node for node in nodes if isinstance(node, ast.Name) and node.id == filled.id and isinstance(node.ctx, ast.Load)
    ]
    held = [name for name in returned if name is not None and name.id == filled.id]
    return bool(held) and all(node is filled or any(node is name for name in held) for node in reads)


def _returned_name(node: ast.Return) -> ast.Name | None:
    """`parts` for `return parts` and `return tuple(parts)`."""
    value = node.value
    if isinstance(value, ast.Call) and last_name(value.func) in _SAME_ITEMS and len(value.args) == 1:
        value = value.args[0]
    return value if isinstance(value, ast.Name) else None
