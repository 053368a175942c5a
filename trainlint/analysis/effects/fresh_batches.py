"""Whether a copy may go on while the host does: it copies a batch of PyTorch's loader that nothing writes to."""

from __future__ import annotations

import ast
from typing import TYPE_CHECKING

from trainlint.analysis.syntax.blocks import Binding, How, Place
from trainlint.analysis.syntax.memo import once
from trainlint.analysis.syntax.names import last_name, nodes_in, position
from trainlint.analysis.syntax.reaching import reaching
from trainlint.analysis.tables.iterables import passes_items_through

if TYPE_CHECKING:
    from trainlint.analysis.semantic_model import SemanticModel

_STREAMS = ("Stream", "ExternalStream", "stream", "set_stream")
"""Calls that queue work on another stream of the device, which does not wait for a copy on this one."""


def is_surely_left_alone(file: SemanticModel, copied: ast.expr, copy: Place) -> bool:
    """Whether nothing writes to what a call copies: a batch in memory of its own, which the function only reads."""
    root = copied
    while isinstance(root, ast.Subscript):
        root = root.value
    if not isinstance(root, ast.Name) or any(file.outline.calls.get(name) for name in _STREAMS):
        return False
    bindings = reaching(root.id, copy.block, position(root))
    function = file.outline.enclosing(copy.block)
    written = _written(file, file.tree if function is None else function.node)
    return bool(bindings) and root.id not in written and all(_is_fresh(file, binding) for binding in bindings)


def _is_fresh(file: SemanticModel, binding: Binding) -> bool:
    """Whether a loop takes its batches straight from loaders of the file that stack items in the usual way."""
    loop = binding.block.parent
    if binding.how is not How.FOR or binding.value is None or loop is None:
        return False
    calls = [part for part in nodes_in(binding.value) if isinstance(part, ast.Call)]
    if not all(part in file.loaders.built or passes_items_through(last_name(part.func)) for part in calls):
        return False
    loaders = file.batches.loaders_behind(binding.value, loop)
    return bool(loaders) and not any(file.loaders.option(loader, "collate_fn").given for loader in loaders)


@once
def _written(file: SemanticModel, root: ast.AST) -> frozenset[str]:
    """The names in a function whose memory it may write to: by methods in place, by items, by `+=`, by `out=`."""
    found: list[ast.expr] = []
    for node in nodes_in(root):
        match node:
            case ast.Call(func=ast.Attribute(value=owner, attr=name)) if name.endswith("_"):
                found.append(owner)
            case ast.keyword(arg="out", value=value):
                found.append(value)
            case ast.Subscript(ctx=ast.Store(), value=value) | ast.AugAssign(target=value):
                found.append(value)
    return frozenset(part.id for value in found for part in nodes_in(value) if isinstance(part, ast.Name))
