"""Whether a copy may go on while the host does: it copies a batch of PyTorch's loader that nothing else uses."""

from __future__ import annotations

import ast
from typing import TYPE_CHECKING

from trainlint.analysis.syntax.blocks import Binding, How, Place
from trainlint.analysis.syntax.memo import once
from trainlint.analysis.syntax.names import argument, constant, last_name, nodes_in, position
from trainlint.analysis.syntax.reaching import reaching
from trainlint.analysis.syntax.uses import loads
from trainlint.analysis.tables.iterables import passes_items_through
from trainlint.analysis.tables.waits.device_copies import MOVES

if TYPE_CHECKING:
    from trainlint.analysis.semantic_model import SemanticModel
    from trainlint.analysis.types.loaders import Loader

_OUT_OF_SIGHT = ("Stream", "ExternalStream", "stream", "set_stream", "exec", "eval", "locals", "globals", "setattr")
"""Calls that queue work on another stream, which does not wait for a copy on this one, or by which names and options
are used that stand nowhere in the code."""


def is_surely_left_alone(file: SemanticModel, copied: ast.expr, copy: Place) -> bool:
    """Whether nothing writes to what a call copies: a batch in memory of its own, of which all uses are such copies."""
    root = copied
    while isinstance(root, ast.Subscript):
        root = root.value
    scope = copy.block.scope.owner(root.id) if isinstance(root, ast.Name) else None
    if not isinstance(root, ast.Name) or scope is None or any(file.outline.calls.get(name) for name in _OUT_OF_SIGHT):
        return False
    if any(binding.how is How.AUGMENT for binding in scope.bindings[root.id]):
        return False
    batches = set(reaching(root.id, copy.block, position(root)))
    if not batches or not all(_is_fresh(file, binding) for binding in batches):
        return False
    moved, blocks = _moved(file), file.outline.block_of
    used = loads(scope.node, root.id)
    return all(
        moved.get(name) == moved.get(root, "")
        or batches.isdisjoint(reaching(root.id, blocks[statement], position(name)))
        for name, statement in used
    )


def _is_fresh(file: SemanticModel, binding: Binding) -> bool:
    """Whether a loop takes its batches straight from loaders of the file that stack items in the usual way."""
    loop = binding.block.parent
    if binding.how is not How.FOR or binding.value is None or loop is None:
        return False
    calls = [part for part in nodes_in(binding.value) if isinstance(part, ast.Call)]
    if not all(part in file.loaders.built or passes_items_through(last_name(part.func)) for part in calls):
        return False
    loaders = file.batches.loaders_behind(binding.value, loop)
    return bool(loaders) and all(_stacks(file, loader) for loader in loaders)


def _stacks(file: SemanticModel, loader: Loader) -> bool:
    """Whether PyTorch's own function stacks the items: without a batch size, a loader hands them on as they are."""
    size = file.loaders.option(loader, "batch_size")
    one_by_one = size.given and (size.value is None or constant(size.value) is None)
    collates = file.loaders.option(loader, "collate_fn").given or bool(file.outline.stores.get("collate_fn"))
    return not one_by_one and not collates


@once
def _moved(file: SemanticModel) -> dict[ast.AST, str]:
    """The names, in the whole file, of which a part or all is copied by a method, each with where it goes.

    A copy to another place may be none, as to the CPU, and give the same tensor another name.
    """
    found: dict[ast.AST, str] = {}
    for method in MOVES:
        for place in file.outline.calls.get(method, ()):
            call = place.node
            assert isinstance(call, ast.Call)
            owner = call.func.value if isinstance(call.func, ast.Attribute) else None
            while isinstance(owner, ast.Subscript):
                owner = owner.value
            if owner is not None:
                found[owner] = method + ast.unparse(argument(call, "device", 0) or ast.Constant(None))
    return found
