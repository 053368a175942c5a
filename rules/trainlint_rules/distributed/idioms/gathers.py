"""The list that `all_gather` fills: how it is made, and whether one concatenation is all that becomes of it."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from dataclasses import dataclass

from trainlint.analysis.semantic_model import SemanticModel
from trainlint.analysis.site import Site
from trainlint.analysis.syntax.blocks import Binding, Block, BlockKind, How, Place
from trainlint.analysis.syntax.names import (
    argument,
    dotted,
    end_position,
    has_name_in,
    has_unpacked_arguments,
    last_name,
    nodes_in,
    position,
)
from trainlint.analysis.syntax.reaching import reaching
from trainlint.analysis.syntax.uses import assigned_target, mentions
from trainlint.analysis.tables.collectives import ALL_GATHER_INTO_TENSOR
from trainlint.analysis.tables.waits.device_copies import MOVES

_CREATING = frozenset({"empty", "zeros", "ones", "full", "rand", "randn"})
_RENAMED_IN = (2, 13)
_JOINING = ("cat", "concat", "concatenate", "stack")
"""Functions of torch that put a list of tensors together."""
_JOINING_OF_TORCH = frozenset(f"torch.{name}" for name in _JOINING)
_SAME_SHAPE = frozenset({"contiguous", "detach", "clone", *MOVES})


@dataclass(frozen=True, slots=True, eq=False)
class GatheredList:
    """A list of equal tensors that one `all_gather` fills and one concatenation reads."""

    name: str
    tensor: ast.expr
    """The gathered tensor, without `.contiguous()` and the like."""
    joining: Place
    """The call of torch.cat or torch.stack."""
    spliced: bool
    """Whether the local tensor itself is put into the list, so that gradients flow through it."""


def gathered_list(file: SemanticModel, gather: Place) -> GatheredList | None:
    """The list that an `all_gather` call fills, if it is made for it alone and only joined afterwards; else None."""
    call, block = gather.node, gather.block
    if not isinstance(call, ast.Call) or has_unpacked_arguments(call):
        return None
    target, given = argument(call, "tensor_list", 0), argument(call, "tensor", 1)
    if not isinstance(target, ast.Name) or given is None:
        return None
    tensor = _same_shape(given)
    made = reaching(target.id, block, position(call))
    if len(made) != 1 or made[0].how is not How.ASSIGN or not _is_like(made[0].value, tensor):
        return None
    if _loop(made[0].block) is not _loop(block) or not block.within(made[0].block):
        return None
    found = _later_uses(file, target, made[0], gather, tensor)
    return GatheredList(target.id, tensor, *found) if found is not None else None


def _same_shape(node: ast.expr) -> ast.expr:
    """A tensor expression without the methods that keep its shape."""
    while isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute) and node.func.attr in _SAME_SHAPE:
        node = node.func.value
    return node.value if isinstance(node, ast.Attribute) and node.attr == "data" else node


def _is_like(made: ast.expr | None, tensor: ast.expr) -> bool:
    """Whether a list is made of tensors with the shape of one: `[torch.empty_like(tensor) for _ in range(n)]`."""
    if not isinstance(made, ast.ListComp) or len(made.generators) != 1:
        return False
    element, varying = _same_shape(made.elt), nodes_in(made.generators[0].target)
    if not isinstance(element, ast.Call) or has_name_in(element, {v.id for v in varying if isinstance(v, ast.Name)}):
        return False
    creates = last_name(element.func).removeprefix("new_").removesuffix("_like") in _CREATING
    return creates and any(dotted(part) == dotted(tensor) for part in nodes_in(element))


def _later_uses(
    file: SemanticModel, target: ast.Name, creation: Binding, gather: Place, tensor: ast.expr
) -> tuple[Place, bool] | None:
    """The one concatenation, and whether the local tensor is spliced in before it; None for any other use."""
    uses = _uses(target, creation, gather.block)
    joined = [(use, place) for place in joinings(file) for use in uses if joins(file, place, use)]
    if not joined:
        return None
    read, found = min(joined, key=lambda pair: position(pair[0]))
    others = [use for use in uses if use is not read and not _means_result(found, gather, target.id, use)]
    # Before the gather it is no splice: the gather fills that tensor too.
    if len(others) > 1 or not all(_splices(file, use, tensor) and position(use) > position(target) for use in others):
        return None
    if not found.block.within(gather.block) or _loop(found.block) is not _loop(gather.block):
        return None
    return (found, bool(others)) if position(found.statement) > position(gather.statement) else None


def _uses(target: ast.Name, creation: Binding, block: Block) -> list[ast.Name]:
    """Where the list's name stands, but for where the list is made and where it is gathered."""
    scope = block.scope.owner(target.id)
    found = mentions(scope.node, target.id) if scope is not None else ()
    return [node for node in found if node is not target and not _is_target(node, creation)]


def joinings(file: SemanticModel) -> Iterator[Place]:
    """The calls that may put a list of tensors together; `joins` says whether one does."""
    for name in _JOINING:
        yield from file.outline.calls.get(name, ())


def _means_result(joining: Place, gather: Place, name: str, use: ast.Name) -> bool:
    """Whether the joined tensor takes over the list's name, so that a use means the tensor."""
    statement = joining.statement
    target = assigned_target(statement, joining.node)
    takes_over = isinstance(target, ast.Name) and target.id == name and joining.block is gather.block
    return takes_over and (use is target or position(use) > end_position(statement))


def _is_target(node: ast.Name, creation: Binding) -> bool:
    return (
        isinstance(node.ctx, ast.Store)
        and isinstance(creation.node, ast.stmt)
        and (position(creation.node) <= position(node) <= creation.position)
    )


def joins(file: SemanticModel, place: Place, held: ast.AST) -> bool:
    """Whether a call only puts the list together that an expression holds."""
    call = place.node
    return (
        isinstance(call, ast.Call)
        and argument(call, "tensors", 0) is held
        and file.outline.imported(call.func, place.block) in _JOINING_OF_TORCH
        and not has_unpacked_arguments(call)
        and argument(call, "out") is None
    )


def _splices(file: SemanticModel, use: ast.Name, tensor: ast.expr) -> bool:
    """Whether a use is `list[rank] = tensor`."""
    for statement in file.outline.block_of:
        if isinstance(statement, ast.Assign) and len(statement.targets) == 1:
            target = statement.targets[0]
            if isinstance(target, ast.Subscript) and target.value is use:
                return not isinstance(target.slice, ast.Slice) and dotted(statement.value) == dotted(tensor)
    return False


def _loop(block: Block) -> Block | None:
    """The innermost loop or function around a block."""
    return next((item for item in block.outwards() if item.kind in (BlockKind.LOOP, BlockKind.FUNCTION)), None)


def newest_function(site: Site) -> str:
    """The newest name of the function that all targeted versions surely have."""
    return ALL_GATHER_INTO_TENSOR.newest if site.has(_RENAMED_IN) else ALL_GATHER_INTO_TENSOR.name
