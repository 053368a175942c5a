"""The list that `all_gather` fills: how it is made, and whether one concatenation is all that becomes of it."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from dataclasses import dataclass

from trainlint.analysis.semantic_model import SemanticModel
from trainlint.analysis.syntax.blocks import Binding, Block, BlockKind, How, Place
from trainlint.analysis.syntax.names import (
    argument,
    constant,
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
from trainlint.analysis.tables.waits.device_copies import MOVES

_LIKE = frozenset({"empty_like", "zeros_like", "ones_like", "full_like", "rand_like", "randn_like"})
_SHAPED = frozenset({"empty", "zeros", "ones"})
_NEW = frozenset({"new_empty", "new_zeros", "new_ones"})
_JOINING = ("cat", "concat", "concatenate", "stack")
"""Functions of torch that put a list of tensors together."""
_JOINING_OF_TORCH = frozenset(f"torch.{name}" for name in _JOINING)
_SAME_VALUES = frozenset({"contiguous", "detach", "clone"})


@dataclass(frozen=True, slots=True, eq=False)
class GatheredList:
    """A list of equal tensors that one `all_gather` fills and one concatenation reads."""

    name: str
    creation: Binding
    count: ast.expr
    """How many tensors: the number of processes in the group."""
    tensor: ast.expr
    """The gathered tensor, a name or a chain of names, without `.contiguous()` and the like."""
    joining: Place
    """The call of torch.cat or torch.stack."""
    spliced: bool
    """Whether the local tensor itself is put into the list, so that gradients flow through it."""
    moved: bool
    """Whether a copy of the tensor on another device or in another type is what is gathered."""

    @property
    def stacks(self) -> bool:
        """Whether the list is stacked along a new dimension."""
        return last_name(self._call.func) == "stack"

    @property
    def dimension(self) -> ast.expr | None:
        """The dimension that is written out; None where the default, the first, holds."""
        return argument(self._call, "dim", 1) or argument(self._call, "axis")

    @property
    def joins_first_dimension(self) -> bool:
        """Whether the tensors are joined along the first dimension, as they lie in memory."""
        return self.dimension is None or (constant(self.dimension) == 0 and constant(self.dimension) is not False)

    @property
    def _call(self) -> ast.Call:
        assert isinstance(self.joining.node, ast.Call)
        return self.joining.node


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
    if dotted(tensor) is None or len(made) != 1 or made[0].how is not How.ASSIGN or made[0].path:
        return None
    creation = made[0]
    count = _count(file, creation, tensor)
    if count is None or _loop(creation.block) is not _loop(block) or not block.within(creation.block):
        return None
    if not _unchanged(file, tensor, creation, gather):
        return None
    found = _later_uses(file, target, creation, gather, tensor)
    if found is None:
        return None
    joining, spliced = found
    moved = dotted(_same_values(given)) is None
    return GatheredList(target.id, creation, count, tensor, joining, spliced, moved)


def _same_values(node: ast.expr) -> ast.expr:
    """A tensor expression without the methods that keep values and shape."""
    while isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute) and node.func.attr in _SAME_VALUES:
        node = node.func.value
    return node.value if isinstance(node, ast.Attribute) and node.attr == "data" else node


def _same_shape(node: ast.expr) -> ast.expr:
    """A tensor expression without the methods that keep its shape."""
    node = _same_values(node)
    while isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute) and node.func.attr in MOVES:
        node = _same_values(node.func.value)
    return node


def _count(file: SemanticModel, creation: Binding, tensor: ast.expr) -> ast.expr | None:
    """The `n` of `[torch.empty_like(tensor) for _ in range(n)]`; None for another way to make the list."""
    made = creation.value
    if not isinstance(made, ast.ListComp) or len(made.generators) != 1 or made.generators[0].ifs:
        return None
    generator = made.generators[0]
    source = generator.iter
    if not isinstance(source, ast.Call) or last_name(source.func) != "range" or len(source.args) != 1:
        return None
    varying = {node.id for node in nodes_in(generator.target) if isinstance(node, ast.Name)}
    if has_name_in(made.elt, varying):
        return None
    return source.args[0] if _has_shape_of(file, made.elt, tensor, creation.block) else None


def _has_shape_of(file: SemanticModel, made: ast.expr, tensor: ast.expr, block: Block) -> bool:
    """Whether an element of the list is created with the shape of the gathered tensor."""
    made = _same_shape(made)
    if not isinstance(made, ast.Call) or _has_unpacked_keywords(made):
        return False
    name = last_name(made.func)
    if any(keyword.arg in ("size", "out", "requires_grad") for keyword in made.keywords) or not _same_type(
        made, tensor
    ):
        return False
    if name in _NEW and isinstance(made.func, ast.Attribute):
        return _is(_same_values(made.func.value), tensor) and _is_shape(made.args, tensor)
    origin = file.kinds.imported(made.func, block)
    if origin == f"torch.{name}" and name in _LIKE:
        return bool(made.args) and _is(_same_values(made.args[0]), tensor)
    return origin == f"torch.{name}" and name in _SHAPED and _is_shape(made.args, tensor)


def _has_unpacked_keywords(call: ast.Call) -> bool:
    """Whether `**kwargs` could give an argument that is not written out."""
    return any(keyword.arg is None for keyword in call.keywords)


def _same_type(made: ast.Call, tensor: ast.expr) -> bool:
    """Whether a type, where one is given, is the tensor's own."""
    given = argument(made, "dtype")
    return given is None or (isinstance(given, ast.Attribute) and given.attr == "dtype" and _is(given.value, tensor))


def _is_shape(given: list[ast.expr], tensor: ast.expr) -> bool:
    """`x.shape`, `x.size()`, or one of them starred."""
    if len(given) != 1:
        return False
    shape = given[0].value if isinstance(given[0], ast.Starred) else given[0]
    if isinstance(shape, ast.Call) and not shape.args and not shape.keywords:
        shape = shape.func
        return isinstance(shape, ast.Attribute) and shape.attr == "size" and _is(shape.value, tensor)
    return isinstance(shape, ast.Attribute) and shape.attr == "shape" and _is(shape.value, tensor)


def _is(node: ast.expr, tensor: ast.expr) -> bool:
    return dotted(node) == dotted(tensor)


def _unchanged(file: SemanticModel, tensor: ast.expr, creation: Binding, gather: Place) -> bool:
    """Whether the tensor's name means the same where the list is made and where it is filled."""
    root = tensor
    while isinstance(root, ast.Attribute):
        if any(_between(place.statement, creation, gather) for place in file.outline.stores.get(root.attr, ())):
            return False
        root = root.value
    assert isinstance(root, ast.Name)
    call = gather.node
    assert isinstance(call, ast.Call)
    then = reaching(root.id, creation.block, creation.position)
    now = reaching(root.id, gather.block, position(call))
    return {id(item) for item in then} == {id(item) for item in now}


def _between(statement: ast.stmt, creation: Binding, gather: Place) -> bool:
    return creation.position <= position(statement) <= position(gather.statement)


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
        and file.kinds.imported(call.func, place.block) in _JOINING_OF_TORCH
        and not has_unpacked_arguments(call)
        and argument(call, "out") is None
    )


def _splices(file: SemanticModel, use: ast.Name, tensor: ast.expr) -> bool:
    """Whether a use is `list[rank] = tensor`."""
    for statement in file.outline.block_of:
        if isinstance(statement, ast.Assign) and len(statement.targets) == 1:
            target = statement.targets[0]
            if isinstance(target, ast.Subscript) and target.value is use:
                return not isinstance(target.slice, ast.Slice) and _is(statement.value, tensor)
    return False


def _loop(block: Block) -> Block | None:
    """The innermost loop or function around a block."""
    return next((item for item in block.outwards() if item.kind in (BlockKind.LOOP, BlockKind.FUNCTION)), None)
