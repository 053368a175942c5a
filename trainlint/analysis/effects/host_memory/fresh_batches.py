"""Whether a batch lies in host memory of its own, as each batch does that PyTorch's loader stacks.

A batch from anywhere else may be a buffer that its maker fills again, so only what is listed here counts.
"""

from __future__ import annotations

import ast
import builtins
from typing import TYPE_CHECKING

from trainlint.analysis.programs.proved_torch import may_be_starred_anew, proved_name
from trainlint.analysis.syntax.blocks import Binding, Block, Function, How
from trainlint.analysis.syntax.names import constant, last_name, position
from trainlint.analysis.syntax.reaching import reaching
from trainlint.analysis.tables.iterables import PACKAGES, numbers_items, passes_items_through, reads_all_items, shortens
from trainlint.analysis.tables.loaders import DEFAULT_COLLATES, TORCH_ORIGINS
from trainlint.analysis.types.batches import passed

if TYPE_CHECKING:
    from trainlint.analysis.semantic_model import SemanticModel
    from trainlint.analysis.types.loaders import Loader

_DEEPEST = 8


def yields_fresh_batches(file: SemanticModel, node: ast.expr, block: Block, depth: int = _DEEPEST) -> bool:
    """Whether whatever an expression may be yields the batches of PyTorch's loaders, each in new memory."""
    if not depth:
        return False
    if isinstance(node, ast.Name | ast.Attribute):
        bindings = file.outline.bindings(node, block)
        return bool(bindings) and all(_is_bound_to_loader(file, item, depth - 1) for item in bindings)
    if isinstance(node, ast.IfExp):
        return all(yields_fresh_batches(file, item, block, depth - 1) for item in (node.body, node.orelse))
    return isinstance(node, ast.Call) and _call_yields_fresh_batches(file, node, block, depth)


def _call_yields_fresh_batches(file: SemanticModel, node: ast.Call, block: Block, depth: int) -> bool:
    """Whether a call gives a loader that does, hands one on, or is of a function of this file that returns one."""
    loader = file.loaders.built.get(node)
    if loader is not None:
        return _stacks(file, loader)
    edge = file.graph.callee.get(node)
    if edge is None:
        name = last_name(node.func)
        given = node.args[:1] if numbers_items(name) or shortens(name) else node.args
        return _hands_on(file, node, block) and all(
            yields_fresh_batches(file, item, block, depth - 1) for item in given
        )
    values = [(item.node.value, item.block) for item in edge.function.returns if isinstance(item.node, ast.Return)]
    return bool(values) and all(
        value is not None and yields_fresh_batches(file, value, outer, depth - 1) for value, outer in values
    )


def _is_bound_to_loader(file: SemanticModel, binding: Binding, depth: int) -> bool:
    if binding.how is How.ASSIGN and binding.value is not None:
        loaders = _picked(file, binding)
        return bool(loaders) and all(yields_fresh_batches(file, item, block, depth) for item, block in loaders)
    function = file.outline.function_of.get(binding.block.node)
    if binding.how is not How.PARAMETER or function is None or _may_be_called_elsewhere(file, function):
        return False  # calls in other files may pass anything
    given = list(passed(file.graph, function, binding.name))
    return bool(given) and all(yields_fresh_batches(file, item, block, depth) for item, block in given)


def _may_be_called_elsewhere(file: SemanticModel, function: Function) -> bool:
    """Whether other files take the function, or the class or function that it stands in, from this file."""
    return function.qualified_name.partition(".")[0] in file.outside.taken_names


def _picked(file: SemanticModel, binding: Binding) -> list[tuple[ast.expr, Block]]:
    """What an assignment gives a name: where a tuple is unpacked, also one that a function returns, that part of it."""
    assert binding.value is not None
    whole: list[tuple[ast.expr | None, Block]] = [(binding.value, binding.block)]
    edge = file.graph.callee.get(binding.value)
    if binding.path and edge is not None:
        whole = [(item.node.value, item.block) for item in edge.function.returns if isinstance(item.node, ast.Return)]
    found: list[tuple[ast.expr, Block]] = []
    for value, block in whole:
        for index in binding.path:
            value = value.elts[index] if isinstance(value, ast.Tuple) and 0 <= index < len(value.elts) else None
        if value is None:
            return []
        found.append((value, block))
    return found


def _hands_on(file: SemanticModel, call: ast.Call, block: Block) -> bool:
    """Whether a call is of a function that is known to hand on, one by one, the items of what it is given."""
    name = last_name(call.func)
    if not call.args or not passes_items_through(name) or reads_all_items(name):
        return False
    if isinstance(call.func, ast.Name) and hasattr(builtins, name):
        return block.scope.owner(name) is None and not may_be_starred_anew(file, name)
    return (file.outline.imported(call.func, block) or "").partition(".")[0] in PACKAGES


def _stacks(file: SemanticModel, loader: Loader) -> bool:
    """Whether PyTorch's own function surely stacks the items of a loader: without a batch size it hands them on."""
    if not proved_name(file, loader.call.func, loader.block, TORCH_ORIGINS) or _gets_another_collate(file, loader):
        return False
    collate, size = (file.loaders.option(loader, name) for name in ("collate_fn", "batch_size"))
    if collate.given and (collate.value is None or not _is_default(file, collate.value, loader.block)):
        return False
    return not size.given or (size.value is not None and _is_number(size.value, loader.block))


def _is_default(file: SemanticModel, collate: ast.expr, block: Block) -> bool:
    is_none = isinstance(collate, ast.Constant) and collate.value is None
    return is_none or file.outline.imported(collate, block) in DEFAULT_COLLATES


def _is_number(size: ast.expr, block: Block) -> bool:
    """Whether a size is a number, as far as the file tells: only None would be anything else."""
    bound = reaching(size.id, block, position(size)) if isinstance(size, ast.Name) else ()
    values = [binding.value for binding in bound] or [size]
    return not any(isinstance(value, ast.Constant) and type(constant(value)) is not int for value in values)


def _gets_another_collate(file: SemanticModel, loader: Loader) -> bool:
    """Whether the file sets the function of a loader once that is built."""
    if file.outline.stores.get("collate_fn"):
        return True
    calls = ((item.node, item.block) for item in file.outline.calls.get("setattr", ()))
    return any(
        isinstance(call, ast.Call) and call.args and loader in file.batches.loaders_behind(call.args[0], block)
        for call, block in calls
    )
