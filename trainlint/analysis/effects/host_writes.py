"""Whether host memory is written to after it was copied from, through whatever name.

A copy that the host does not wait for may read the memory later. Names share memory where one was made of the other by
assignment, indexing, a view, `.numpy()`, a container or an unknown function. The order of statements counts, and within
a loop whatever the loop does to memory from outside of it.
"""

from __future__ import annotations

import ast
from collections.abc import Iterable, Iterator
from typing import TYPE_CHECKING, NamedTuple

from trainlint.analysis.syntax.blocks import BlockKind, Function, How, Place, Position
from trainlint.analysis.syntax.memo import once
from trainlint.analysis.syntax.names import (
    argument,
    constant,
    end_position,
    has_unpacked_arguments,
    last_name,
    nodes_in,
    position,
)
from trainlint.analysis.syntax.reaching import reaching
from trainlint.analysis.tables.host_reads import ITEM, NONZERO, TOLIST
from trainlint.analysis.tables.loaders import TORCH_CLASSES
from trainlint.analysis.types.batches import passed

if TYPE_CHECKING:
    from trainlint.analysis.semantic_model import SemanticModel

_OF_NO_MEMORY = frozenset("shape dtype device ndim requires_grad is_cuda layout".split())
_NEW_MEMORY = frozenset(
    "clone copy size numel dim sum mean max min argmax argmin std var norm abs add sub mul div eq ne gt lt "
    "ge le any all index_select gather repeat cuda new_zeros new_ones new_empty keys is_pinned stride "
    "element_size data_ptr nelement count_nonzero softmax log_softmax sigmoid tanh exp log sqrt matmul".split()
) | {ITEM.name, TOLIST.name, NONZERO.name}
"""Methods whose result shares no memory with the tensor."""
_READS_ONLY = frozenset(
    "print len isinstance type id repr str int float bool list tuple dict set zip enumerate range sum max min any all "
    "sorted hasattr getattr is_tensor".split()
)
_LIBRARIES = frozenset({"torch", "numpy", "math", "logging"})
"""Functions of these write to what they are given only by `out=`, `inplace=True` or a name that ends in `_`."""
_DEEPEST = 4


_WRITING = ast.AugAssign | ast.Assign | ast.Call
"""Nodes that may write to memory."""


class _Sharing(NamedTuple):
    """Names that share memory with others from a place on, all of it or as the elements of a container."""

    names: frozenset[str]
    others: frozenset[str]
    at: Position
    elements: bool = False


class _Write(NamedTuple):
    """Names whose memory code at a place writes to, or may write to."""

    names: frozenset[str]
    at: Position


def written_afterwards(file: SemanticModel, copied: ast.expr, place: Place, depth: int = 0) -> bool:
    """Whether what a statement copies from is written to later, here or in a caller that hands the memory over."""
    function = file.outline.enclosing(place.block)
    root = function.node if function is not None else file.tree
    start = position(place.statement)
    names = _aliases(file, root, _shared(copied))
    loops = [block.node for block in place.block.outwards() if block.kind is BlockKind.LOOP]
    for write in _writes(file, root):
        hit = frozenset(name for name in write.names & names if not _is_new(file, name, write.at))
        if not hit:
            continue
        if write.at >= start and not _is_within(place.statement, write.at):
            return True
        if any(_is_within(loop, write.at) and not hit <= _made_in(file, loop) for loop in loops):
            return True
    return function is not None and depth < _DEEPEST and _written_by_callers(file, function, names, depth)


def _written_by_callers(file: SemanticModel, function: Function, names: frozenset[str], depth: int) -> bool:
    """Whether a caller in the file writes to what it handed over for one of the names."""
    for parameter in function.parameters:
        for given, block in passed(file.graph, function, parameter.arg) if parameter.arg in names else ():
            statement = _statement_at(file, position(given))
            if statement is not None and _shared(given):
                if written_afterwards(file, given, Place(given, block, statement), depth + 1):
                    return True
    return False


@once
def _is_new(file: SemanticModel, name: str, at: Position) -> bool:
    """Whether a name holds memory of its own at a place, as after `x = x.to(device)`."""
    statement = _statement_at(file, at)
    if statement is None:
        return False
    bindings = reaching(name, file.outline.block_of[statement], position(statement))
    return bool(bindings) and all(
        item.how is How.ASSIGN and item.value is not None and not _shared(item.value) for item in bindings
    )


def _statement_at(file: SemanticModel, at: Position) -> ast.stmt | None:
    """The smallest statement at a place."""
    on_line = _statements(file).get(at[0], [])
    return next((item for item in reversed(on_line) if position(item) <= at), on_line[0] if on_line else None)


@once
def _statements(file: SemanticModel) -> dict[int, list[ast.stmt]]:
    """Line → the statements there, smaller ones behind those that hold them."""
    found: dict[int, list[ast.stmt]] = {}
    for statement in sorted(file.outline.block_of, key=position):
        last = statement.body[0].lineno if hasattr(statement, "body") and statement.body else None
        end = statement.end_lineno or statement.lineno
        for line in range(statement.lineno, max(last, statement.lineno + 1) if last else end + 1):
            found.setdefault(line, []).append(statement)
    return found


@once
def _aliases(file: SemanticModel, root: ast.AST, names: frozenset[str]) -> frozenset[str]:
    """All names that may share memory with some: with all of it, with a part of it, or with what it is a part of."""
    parts = _closure(file, root, names, down=True)
    return parts | _closure(file, root, names, down=False)


def _closure(file: SemanticModel, root: ast.AST, names: frozenset[str], *, down: bool) -> frozenset[str]:
    while True:
        found = set(names)
        for sharing in _sharings(file, root):
            if sharing.others & names and (down or not sharing.elements):
                found |= sharing.names
            if sharing.names & names and (not down or not sharing.elements):
                found |= sharing.others
        if found == names:
            return names
        names = frozenset(found)


@once
def _sharings(file: SemanticModel, root: ast.AST) -> tuple[_Sharing, ...]:
    """What shares memory in some code, without names that hold memory of their own by then."""
    found = [item for node in nodes_in(root) for item in _shared_by(node) if item.names and item.others]
    lasting = ((item, [name for name in item.others if not _is_new(file, name, item.at)]) for item in found)
    return tuple([item._replace(others=frozenset(others)) for item, others in lasting if others])


def _shared_by(node: ast.AST) -> Iterator[_Sharing]:
    match node:
        case ast.Assign(targets=targets, value=value):
            for target in targets:
                yield from _pairs(target, value, position(node))
        case ast.AnnAssign(target=target, value=ast.expr() as value) | ast.NamedExpr(target=target, value=value):
            yield from _pairs(target, value, position(node))
        case ast.For(target=target, iter=over):
            yield from (_Sharing(frozenset({name}), _shared(over), position(node), True) for name in _stored(target))
        case ast.comprehension(target=target, iter=over):
            yield from (_Sharing(frozenset({name}), _shared(over), position(over), True) for name in _stored(target))
        case ast.Call(func=ast.Attribute(value=holder, attr="append" | "extend" | "add" | "put"), args=[given, *_]):
            yield _Sharing(_shared(given), _shared(holder), position(node), True)


def _pairs(target: ast.expr, value: ast.expr, at: Position) -> Iterator[_Sharing]:
    """What an assignment makes share memory: item by item where both sides are written out."""
    if isinstance(target, ast.Tuple | ast.List):
        if isinstance(value, ast.Tuple | ast.List) and len(target.elts) == len(value.elts):
            for left, right in zip(target.elts, value.elts, strict=True):
                yield from _pairs(left, right, at)
        else:
            yield from (_Sharing(frozenset({name}), _shared(value), at, True) for name in _stored(target))
        return
    is_element = isinstance(value, ast.Subscript) and isinstance(constant(value.slice), str | int)
    yield _Sharing(_stored(target), _shared(value), at, is_element)


def _stored(target: ast.expr) -> frozenset[str]:
    if isinstance(target, ast.Tuple | ast.List):
        return frozenset(name for item in target.elts for name in _stored(item))
    return _shared(target.value if isinstance(target, ast.Starred) else target)


def _shared(node: ast.expr | None) -> frozenset[str]:
    """The names whose memory an expression may share."""
    match node:
        case ast.Name(id=name):
            return frozenset({name})
        case ast.Attribute(value=ast.Name(id="self"), attr=attr):
            return frozenset({f"self.{attr}"})
        case ast.Attribute(attr=attr) if attr in _OF_NO_MEMORY:
            return frozenset()
        case ast.Attribute(value=value) | ast.Subscript(value=value) | ast.Starred(value=value):
            return _shared(value)
        case ast.NamedExpr(value=value):
            return _shared(value)
        case ast.IfExp(body=first, orelse=second):
            return _shared(first) | _shared(second)
        case ast.Tuple(elts=items) | ast.List(elts=items) | ast.Set(elts=items) | ast.BoolOp(values=items):
            return _shared_by_any(items)
        case ast.Dict(values=items):
            return _shared_by_any(items)
        case ast.Call():
            return _shared_by_call(node)
    return frozenset()


def _shared_by_any(items: Iterable[ast.expr]) -> frozenset[str]:
    return frozenset(name for item in items for name in _shared(item))


def _shared_by_call(call: ast.Call) -> frozenset[str]:
    name = last_name(call.func)
    if name in _NEW_MEMORY or _copies_to_device(call) or _makes_batches(call):
        return frozenset()
    receiver = call.func.value if isinstance(call.func, ast.Attribute) else None
    return _shared(receiver) | _shared_by_any(call.args)


def _makes_batches(call: ast.Call) -> bool:
    """Whether a call builds a loader whose batches are copies of what the dataset holds: stacked, or pinned."""
    if last_name(call.func) not in TORCH_CLASSES or has_unpacked_arguments(call):
        return False
    pinned, size = argument(call, "pin_memory", 7), argument(call, "batch_size", 1)
    if pinned is not None and constant(pinned) is True:
        return True
    is_batch = size is None or (constant(size) is not None or not isinstance(size, ast.Constant))
    return is_batch and argument(call, "collate_fn", 6) is None


def _copies_to_device(call: ast.Call) -> bool:
    """Whether a call is a move to a device: `.to(...)` of anything but a type or the CPU."""
    if not isinstance(call.func, ast.Attribute) or call.func.attr != "to":
        return False
    given = [*call.args, *(item.value for item in call.keywords if item.arg == "device")]
    return any(not str(constant(item)).startswith("cpu") and "torch." not in ast.unparse(item) for item in given)


@once
def _writes(file: SemanticModel, root: ast.AST) -> tuple[_Write, ...]:
    """The writes in a function or module, those of helpers included."""
    nodes = [node for node in nodes_in(root) if isinstance(node, _WRITING)]
    return tuple(_Write(names, position(node)) for node in nodes for names in _written(file, node) if names)


def _written(file: SemanticModel, node: ast.AST) -> Iterator[frozenset[str]]:
    match node:
        case ast.AugAssign(target=target):
            yield _shared(target)
        case ast.Assign(targets=targets):
            for stored in targets:
                if isinstance(stored, ast.Subscript) and not isinstance(constant(stored.slice), str):
                    yield _shared(stored)
        case ast.Call():
            yield from _written_by_call(file, node)


def _written_by_call(file: SemanticModel, call: ast.Call) -> Iterator[frozenset[str]]:
    name = last_name(call.func)
    given = [*call.args, *(keyword.value for keyword in call.keywords)]
    receiver = call.func.value if isinstance(call.func, ast.Attribute) else None
    if name.endswith("_") and not name.endswith("__") and name != "requires_grad_":
        yield _shared(receiver) or _shared_by_any(call.args[:1])
    for keyword in call.keywords:
        if keyword.arg == "out":
            yield _shared(keyword.value)
        elif keyword.arg == "inplace" and constant(keyword.value) is not False:
            yield _shared(receiver) | _shared_by_any(call.args)
    edge = file.graph.callee.get(call)
    if edge is not None:
        yield from _written_by_helper(file, call, edge.function)
    elif not _only_reads(file, call, name, receiver):
        yield _shared_by_any(given)


def _written_by_helper(file: SemanticModel, call: ast.Call, function: Function) -> Iterator[frozenset[str]]:
    """What a function of the file writes to, of what a call gives it."""
    for parameter in function.parameters:
        given = function.argument_in(call, parameter.arg)
        shared = _shared(given)
        if shared and parameter.arg in _written_parameters(file, function):
            yield shared


@once
def _written_parameters(file: SemanticModel, function: Function) -> frozenset[str]:
    """The parameters whose memory a function writes to. A function that calls itself is asked about its own code."""
    found = set()
    for parameter in function.parameters:
        names = _aliases(file, function.node, frozenset({parameter.arg}))
        if any(write.names & names for write in _own_writes(file, function)):
            found.add(parameter.arg)
    return frozenset(found)


@once
def _own_writes(file: SemanticModel, function: Function) -> tuple[_Write, ...]:
    """The writes in a helper's own code. What it hands on to others of the file counts as written."""
    found: list[_Write] = []
    for node in nodes_in(function.node):
        if isinstance(node, ast.Call) and file.graph.callee.get(node) is not None:
            found.append(_Write(_shared_by_any([*node.args, *(item.value for item in node.keywords)]), position(node)))
        elif isinstance(node, _WRITING):
            found += [_Write(names, position(node)) for names in _written(file, node) if names]
    return tuple(found)


def _only_reads(file: SemanticModel, call: ast.Call, name: str, receiver: ast.expr | None) -> bool:
    """Whether a call of no function of the file leaves what it is given as it is: PyTorch's, NumPy's, built in."""
    if name in _READS_ONLY:
        return True
    package = file.outline.package(call.func)
    if package is not None:
        return package in _LIBRARIES
    return isinstance(receiver, ast.expr) and bool(_shared(receiver)) and _is_method_of_tensor(call)


def _is_method_of_tensor(call: ast.Call) -> bool:
    """Whether a method is given no tensor but the one that it is called on, as in `x.view(-1)`."""
    return not _shared_by_any([*call.args, *(keyword.value for keyword in call.keywords)])


def _is_within(node: ast.AST, at: Position) -> bool:
    return isinstance(node, ast.stmt | ast.expr) and position(node) <= at < end_position(node)


@once
def _made_in(file: SemanticModel, loop: ast.AST) -> frozenset[str]:
    """The names that a loop binds in each round."""
    stored = (part for part in nodes_in(loop) if isinstance(part, ast.Name) and isinstance(part.ctx, ast.Store))
    return frozenset(part.id for part in stored)
