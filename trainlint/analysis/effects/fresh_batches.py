"""Whether a copy may go on while the host does: it copies a batch of PyTorch's loader that nothing else uses."""

from __future__ import annotations

import ast
import builtins
from typing import TYPE_CHECKING

from trainlint.analysis.programs.proved_torch import means_only
from trainlint.analysis.syntax.blocks import Binding, Block, How, Place
from trainlint.analysis.syntax.names import argument, last_name, position
from trainlint.analysis.syntax.reaching import reaching
from trainlint.analysis.syntax.uses import enclosing_nodes, loads
from trainlint.analysis.tables.iterables import PACKAGES, passes_items_through, reads_all_items
from trainlint.analysis.tables.loaders import TORCH_ORIGINS
from trainlint.analysis.tables.waits.device_copies import MOVES
from trainlint.analysis.types.batches import passed

if TYPE_CHECKING:
    from trainlint.analysis.semantic_model import SemanticModel
    from trainlint.analysis.types.loaders import Loader

_OUT_OF_SIGHT = ("Stream", "ExternalStream", "stream", "set_stream", "exec", "eval", "locals", "globals", "setattr")
"""Calls that queue work on another stream, which does not wait for a copy on this one, or by which names and options
are used that stand nowhere in the code."""
_MEASURES = frozenset("shape size dim ndim numel dtype".split())
"""What a tensor tells of itself without its memory."""
_FORMS = frozenset("view reshape flatten unsqueeze squeeze permute transpose contiguous float long".split())
"""Methods that write nothing, and whose result may be the same memory."""


def is_surely_left_alone(file: SemanticModel, copied: ast.expr, copy: Place) -> bool:
    """Whether nothing writes to what a call copies: a batch in memory of its own, of which all uses are such copies."""
    root = _root(copied)
    scope = copy.block.scope.owner(root.id) if isinstance(root, ast.Name) else None
    if not isinstance(root, ast.Name) or scope is None or _hides_uses(file):
        return False
    if any(binding.how is How.AUGMENT for binding in scope.bindings[root.id]):
        return False
    batches = set(reaching(root.id, copy.block, position(root)))
    used, blocks = dict(loads(scope.node, root.id)), file.outline.block_of
    target = _copied_to(file, root, copy.statement)
    if not target or root not in used or not batches or not all(_is_fresh(file, binding) for binding in batches):
        return False
    return all(
        _copied_to(file, name, statement) in (target, "")
        or batches.isdisjoint(reaching(root.id, blocks[statement], position(name)))
        for name, statement in used.items()
    )


def _root(node: ast.expr) -> ast.expr:
    while isinstance(node, ast.Subscript | ast.Attribute | ast.Call):
        node = node.func if isinstance(node, ast.Call) else node.value
    return node


def _hides_uses(file: SemanticModel) -> bool:
    calls = [place.node for name in _OUT_OF_SIGHT for place in file.outline.calls.get(name, ())]
    named = [call.func for call in calls if isinstance(call, ast.Call)]
    return any(not isinstance(item, ast.Attribute) or item.attr != "eval" for item in named)  # `model.eval()` is none


def _copied_to(file: SemanticModel, name: ast.Name, statement: ast.stmt) -> str | None:
    """Where a copy puts what a use names, in whole or in part; empty where it is only measured; None for other uses.

    A copy to another place may be none, as to the CPU, and give the same tensor another name.
    """
    node: ast.AST = name
    for parent in enclosing_nodes(file, name, statement):
        match parent:
            case ast.Attribute(attr=attr, ctx=ast.Load()) if attr in _MEASURES:
                return ""
            case ast.Call(func=ast.Name(id="len"), args=[held]) if held is node:
                return ""
            case ast.Call(func=ast.Attribute(attr=attr) as func) if func is node and attr in MOVES:
                return attr + ast.unparse(argument(parent, "device", 0) or ast.Constant(None))
            case ast.Call(func=ast.Attribute(attr=attr) as func) if func is node and attr in _FORMS:
                node = parent
            case ast.Subscript(value=held, ctx=ast.Load()) | ast.Attribute(value=held, ctx=ast.Load()) if held is node:
                node = parent
            case _:
                return None
    return None


def _is_fresh(file: SemanticModel, binding: Binding) -> bool:
    """Whether a name is bound to batches that come straight from loaders of the file that stack items as usual."""
    match binding.how, binding.value:
        case How.FOR, ast.expr() as taken if binding.block.parent is not None:
            return _yields_stacked(file, taken, binding.block.parent)
        case How.ASSIGN, ast.Call(func=ast.Name(id="next"), args=[taken], keywords=[]):
            return _yields_stacked(file, taken, binding.block)
    return False


def _yields_stacked(file: SemanticModel, node: ast.expr, block: Block) -> bool:
    """Whether all that an expression may be are such loaders, or hand on the batches of one."""
    waiting, seen = [(node, block)], set()
    while waiting:
        node, block = waiting.pop()
        loader = file.loaders.built.get(node)
        if loader is None and node not in seen:
            behind = _behind(file, node, block)
            if not behind:
                return False
            seen.add(node)
            waiting += behind
        elif loader is not None and not _stacks(file, loader):
            return False
    return True


def _behind(file: SemanticModel, node: ast.expr, block: Block) -> list[tuple[ast.expr, Block]]:
    """What an expression has its batches from; nothing where some of that may be out of sight."""
    edge = file.graph.callee.get(node)
    if edge is not None:
        values = [(item.node.value, item.block) for item in edge.function.returns if isinstance(item.node, ast.Return)]
        return [(value or ast.Constant(None), outer) for value, outer in values]
    if isinstance(node, ast.Call):
        return [(node.args[0], block)] if _hands_on(file, node, block) else []
    bindings = file.outline.bindings(node, block) if isinstance(node, ast.Name | ast.Attribute) else ()
    given = [_given(file, binding) for binding in bindings]
    return [item for items in given for item in items] if all(given) else []


def _given(file: SemanticModel, binding: Binding) -> list[tuple[ast.expr, Block]]:
    """What a name is bound to; nothing where that is out of sight, as calls in other files are."""
    function = file.outline.function_of.get(binding.block.node)
    if binding.how is How.ASSIGN and binding.value is not None and not binding.path:
        return [(binding.value, binding.block)]
    if binding.how is not How.PARAMETER or function is None:
        return []
    is_taken = function.qualified_name.partition(".")[0] in file.outside.taken_names
    return [] if is_taken else list(passed(file.graph, function, binding.name))


def _hands_on(file: SemanticModel, call: ast.Call, block: Block) -> bool:
    """Whether a call is of a function, built in or of a known package, that hands on what it is given first."""
    name, package = last_name(call.func), (file.outline.imported(call.func, block) or "").partition(".")[0]
    is_built_in = isinstance(call.func, ast.Name) and hasattr(builtins, name) and block.scope.owner(name) is None
    if not call.args or not all(isinstance(item, ast.Constant) for item in call.args[1:]):
        return False
    return passes_items_through(name) and not reads_all_items(name) and (is_built_in or package in PACKAGES)


def _stacks(file: SemanticModel, loader: Loader) -> bool:
    """Whether PyTorch's own function stacks the items: without a batch size, a loader hands them on as they are."""
    size = file.loaders.option(loader, "batch_size")
    bound = reaching(size.value.id, loader.block, position(size.value)) if isinstance(size.value, ast.Name) else ()
    sizes = [size.value, *(binding.value for binding in bound if binding.value is not None)] if size.given else []
    one_by_one = any(item is None or (isinstance(item, ast.Constant) and item.value is None) for item in sizes)
    collates = file.loaders.option(loader, "collate_fn").given or bool(file.outline.stores.get("collate_fn"))
    return not one_by_one and not collates and means_only(loader.call.func, loader.block, TORCH_ORIGINS)
