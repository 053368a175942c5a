"""Copies to the host that only are queued, and who reads them too early.

`tensor.to("cpu", non_blocking=True)` of a device tensor fills pinned memory later; see
https://docs.pytorch.org/tutorials/intermediate/pinmem_nonblock.html
"""

from __future__ import annotations

import ast
from dataclasses import dataclass

from trainlint.analysis.semantic_model import SemanticModel
from trainlint.analysis.syntax.blocks import Block, Function, Place
from trainlint.analysis.syntax.names import argument, constant, dotted, end_position, last_name, nodes_in, position
from trainlint.analysis.syntax.uses import loads
from trainlint.analysis.tables.host_reads import SIZED_BY_DATA, TO_NO_TENSOR
from trainlint.analysis.tables.iterables import iterates_lazily
from trainlint.analysis.types.values import Home, Kind, Origin

_READING_METHODS = (
    TO_NO_TENSOR
    | SIZED_BY_DATA
    | frozenset(
        "mean sum max min norm float double int long bool any all std var argmax argmin sort topk "
        "cumsum clone view reshape add sub mul div".split()
    )
)
_VIEWING = frozenset({"numpy", "view", "reshape"})
"""Methods that share the memory of the copy: they read nothing themselves, but whoever gets their result may."""
_ORDERS_STREAMS = frozenset({"record_stream", "current_stream", "Stream", "wait_stream", "record_event", "wait_event"})
_READING_FUNCTIONS = frozenset({"cat", "stack", "vstack", "hstack", "concat", "concatenate", "save", "mean", "sum"})
_READING_BUILTINS = frozenset({"print", "float", "int", "bool", "list", "str", "sum", "max", "min"})
_HARMLESS = frozenset(
    "append extend size dim numel to detach pin_memory copy_ len items keys values isinstance "
    "zeros empty ones empty_like zeros_like getattr record_function start stop update_progress set_description".split()
)
"""Calls that surely do not wait for the device. All others may."""


@dataclass(frozen=True, slots=True, eq=False)
class QueuedCopy:
    """A copy to the host that is not waited for."""

    call: ast.Call
    name: str | None
    """The name, or the list, in which the copy is found; None where it is used in the same expression."""
    is_list: bool
    confidence: float


def queued_copy(file: SemanticModel, call: ast.Call, place: Place) -> QueuedCopy | None:
    """The copy that a call queues; None for other calls and for those that are not surely to the host."""
    if constant(argument(call, "non_blocking")) is not True or not isinstance(call.func, ast.Attribute):
        return None
    given = _copied_to_host(file, call, call.func, place.block)
    source = file.kinds.of(given, place.block) if given is not None else None
    if source is None or not source.is_tensor or source.home is Home.HOST or source.origin is Origin.NAME:
        return None
    confidence = 0.9 if source.home is Home.DEVICE else 0.75
    if call.func.attr == "copy_":
        name = dotted(call.func.value)
        return QueuedCopy(call, name, False, confidence) if name else None
    return _stored_copy(call, place, confidence)


def _copied_to_host(file: SemanticModel, call: ast.Call, method: ast.Attribute, block: Block) -> ast.expr | None:
    """What a method call copies to the host: the tensor itself by `to`, the first argument by those of host tensors."""
    if method.attr == "to":
        return method.value if file.kinds.device_argument(call, block) is Home.HOST else None
    target = file.kinds.of(method.value, block)
    on_host = target.kind is Kind.TENSOR and target.home is Home.HOST
    return call.args[0] if on_host and call.args else None


def _stored_copy(call: ast.Call, place: Place, confidence: float) -> QueuedCopy | None:
    statement = place.statement
    if isinstance(statement, ast.Assign) and statement.value is call and isinstance(statement.targets[0], ast.Name):
        return QueuedCopy(call, statement.targets[0].id, False, confidence)
    if isinstance(statement, ast.Expr) and isinstance(statement.value, ast.Call):
        outer = statement.value
        if isinstance(outer.func, ast.Attribute) and outer.func.attr == "append" and outer.args == [call]:
            name = dotted(outer.func.value)
            return QueuedCopy(call, name, True, confidence) if name is not None and "." not in name else None
    return QueuedCopy(call, None, False, confidence)


@dataclass(frozen=True, slots=True, eq=False)
class FirstRead:
    """The first expression of a function that reads a copy."""

    node: ast.AST
    use: ast.expr
    """The name of the copy in it, or the copy itself."""
    statement: ast.stmt


def first_read(file: SemanticModel, copy: QueuedCopy, place: Place) -> FirstRead | None:
    """Who reads the copy first, after it in the same function; None where it is handed on, stored or moved back."""
    if copy.name is None:
        read = _read_around(copy.call, place.statement)
        return FirstRead(read, copy.call, place.statement) if read is not None else None
    function = file.graph.enclosing(place.block)
    if function is None or "." in copy.name:
        return None
    after = _end_of_copying(copy, place.block)
    uses = (item for item in loads(function.node, copy.name) if position(item[0]) > after)
    for use, statement in sorted(uses, key=lambda item: position(item[0])):
        read = _read_around(use, statement)
        if read is not None:
            block = file.outline.block_of.get(statement)
            follows = block is not None and _runs_with(block, place.block)
            return FirstRead(read, use, statement) if follows else None
        if isinstance(statement, ast.Return):
            return None
    return None


def may_wait_between(file: SemanticModel, copy: QueuedCopy, read: FirstRead, place: Place) -> bool:
    """Whether a call between a copy and its first read may wait for the device."""
    function = file.graph.enclosing(place.block)
    if read.use is copy.call or function is None:
        return False
    return _may_wait(file, function, end_position(copy.call), position(read.use))


def leaves_wait_to_callers(file: SemanticModel, read: FirstRead, place: Place) -> bool:
    """Whether a function that works with streams by hand only hands back what shares the memory of a copy."""
    function = file.graph.enclosing(place.block)
    return function is not None and _only_views(read.node, read.statement) and _orders_streams(file, function)


def _end_of_copying(copy: QueuedCopy, block: Block) -> tuple[int, int]:
    """Where the copy is complete in the text: behind its call, or behind the loop that fills a list with copies."""
    loop = block.innermost_loop() if copy.is_list else None
    return end_position(loop.node) if loop is not None and isinstance(loop.node, ast.stmt) else end_position(copy.call)


def _only_views(read: ast.AST, statement: ast.stmt) -> bool:
    """Whether a statement does nothing but keep, or hand back, what shares the memory of the copy."""
    return isinstance(read, ast.Call) and last_name(read.func) in _VIEWING and getattr(statement, "value", None) is read


def _orders_streams(file: SemanticModel, function: Function) -> bool:
    """Whether a function works with streams by hand: then the wait is its caller's, as after a recorded event."""
    return any(
        file.graph.enclosing(place.block) is function
        for name in _ORDERS_STREAMS
        for place in file.outline.calls.get(name, ())
    )


def _runs_with(block: Block, other: Block) -> bool:
    """Whether one of two blocks holds the other, so that the read follows the copy."""
    return block.within(other) or other.within(block)


def _read_around(node: ast.expr, statement: ast.stmt) -> ast.AST | None:
    """The expression of a statement that reads what another expression in it holds."""
    for outer in nodes_in(statement):
        match outer:
            case ast.Call(func=ast.Attribute(value=inner, attr=name)) if inner is node and name in _READING_METHODS:
                return outer
            case ast.Call(func=ast.Attribute() as func) if func.attr in _READING_FUNCTIONS and node in outer.args:
                return outer
            case ast.Call(func=ast.Name(id=name)) if name in _READING_BUILTINS and node in outer.args:
                return outer
            case ast.BinOp(left=left, right=right) if left is node or right is node:
                return outer
            case ast.Compare(left=left) if left is node:
                return outer
    return None


def _may_wait(file: SemanticModel, function: Function, start: tuple[int, int], stop: tuple[int, int]) -> bool:
    """Whether a call between two positions of a function is anything but surely harmless."""
    for place in file.outline.all_calls():
        call = place.node
        if isinstance(call, ast.Call) and start < position(call) < stop and end_position(call) < stop:
            name = last_name(call.func)
            harmless = name in _HARMLESS or iterates_lazily(name)
            if not harmless and file.graph.enclosing(place.block) is function:
                return True
    return False
