"""Whether a call that waits for the device, or empties its cache, can be taken away, and with which statement.

It cannot where it is all that a helper is for: callers ask for just this. Nor where the statement would leave an empty
block behind, unless that block is an `if` whose test does nothing by itself: then the `if` goes, too.
"""

from __future__ import annotations

import ast
from typing import TYPE_CHECKING

from trainlint.analysis.syntax.memo import once
from trainlint.analysis.syntax.names import argument, constant, last_name, nodes_in
from trainlint.analysis.tables.host_reads import SYNCHRONIZE
from trainlint.analysis.tables.waits.clocks import reads_time

if TYPE_CHECKING:
    from trainlint.analysis.semantic_model import SemanticModel
    from trainlint.analysis.syntax.blocks import Block, Function, Place

_UPKEEP = frozenset(
    "empty_cache collect ipc_collect reset_peak_memory_stats reset_max_memory_allocated malloc_trim".split()
) | {SYNCHRONIZE.name}
_BESIDE_UPKEEP = frozenset({"print", "debug", "info", "warning", "is_available", "device", "current_device"})
_QUESTIONS = frozenset("is_available is_initialized device_count hasattr isinstance len startswith".split())
"""Functions and methods that only look at something."""
_BLOCKS = ("body", "orelse", "finalbody")
_OF_STREAMS = frozenset(
    "stream Stream current_stream wait_stream record_stream Event wait_event record_event isend irecv "
    "batch_isend_irecv pin_memory".split()
)


def removable(file: SemanticModel, place: Place) -> ast.stmt | None:
    """The statement to take away for a call to be gone; None where the call has to stay."""
    function = file.outline.enclosing(place.block)
    statement = place.statement
    if not isinstance(statement, ast.Expr) or statement.value is not place.node:
        return None
    if function is not None and _is_for_upkeep(function):
        return None
    return _without_empty_blocks(statement, place.block)


def wait_is_used(file: SemanticModel, place: Place) -> bool:
    """Whether the function around a wait reads a clock or copies to the host without waiting.

    Or whether the file works with streams, events or collectives that go on by themselves: the wait may be for them.
    """
    if _works_beside_the_host(file):
        return True
    function = file.outline.enclosing(place.block)
    root = function.node if function is not None else file.tree
    return any(
        reads_time(last_name(node.func)) or _may_be_unfinished(file, node)
        for node in nodes_in(root)
        if isinstance(node, ast.Call)
    )


@once
def _works_beside_the_host(file: SemanticModel) -> bool:
    """Whether a call of the file makes or uses a stream or an event, or starts a collective and goes on."""
    return any(
        last_name(place.node.func) in _OF_STREAMS
        or ((goes_on := argument(place.node, "async_op")) is not None and constant(goes_on) is not False)
        for place in file.outline.all_calls()
        if isinstance(place.node, ast.Call)
    )


def _may_be_unfinished(file: SemanticModel, call: ast.Call) -> bool:
    """Whether a call copies without waiting, and not surely to the device."""
    if argument(call, "non_blocking") is None:
        return False
    statements = file.outline.calls.get(last_name(call.func), ())
    blocks = (item.block for item in statements if item.node is call)
    return last_name(call.func) != "cuda" and not any(file.kinds.goes_to_device(call, block) for block in blocks)


def _is_for_upkeep(function: Function) -> bool:
    """Whether a function waits for the device or empties caches, and does nothing else but test and report."""
    node = function.node
    if isinstance(node, ast.Lambda):
        return True
    return all(map(_is_upkeep, node.body))


def _is_upkeep(statement: ast.stmt) -> bool:
    match statement:
        case ast.If(body=body, orelse=otherwise) | ast.Try(body=body, orelse=otherwise):
            handlers = [item for handler in getattr(statement, "handlers", ()) for item in handler.body]
            return all(map(_is_upkeep, [*body, *otherwise, *handlers, *getattr(statement, "finalbody", ())]))
        case ast.With(body=body):
            return all(map(_is_upkeep, body))
        case ast.Pass() | ast.Import() | ast.ImportFrom() | ast.Return(value=None):
            return True
        case ast.Expr(value=ast.Constant()):
            return True
        case ast.Expr(value=ast.Call(func=func)):
            return last_name(func) in _UPKEEP | _BESIDE_UPKEEP
        case ast.Assign(value=value):
            calls = (part for part in nodes_in(value) if isinstance(part, ast.Call))
            return all(last_name(call.func) in _BESIDE_UPKEEP for call in calls)
    return False


def _without_empty_blocks(statement: ast.stmt, block: Block) -> ast.stmt | None:
    """The statement, or the outermost `if` that would be empty without it; None where another block would be."""
    for outer in block.outwards():
        field = next((name for name in _BLOCKS if _holds(outer.node, name, statement)), None)
        if field is None:
            continue
        if len(getattr(outer.node, field)) > 1:
            return statement
        if field != "body" or not isinstance(outer.node, ast.If) or outer.node.orelse or not _is_pure(outer.node.test):
            return None
        statement = outer.node
    return None


def _holds(node: ast.AST, field: str, statement: ast.stmt) -> bool:
    held = getattr(node, field, None)
    return isinstance(held, list) and statement in held


def _is_pure(test: ast.expr) -> bool:
    """Whether a test does nothing but look."""
    return not any(
        isinstance(part, ast.Await | ast.NamedExpr | ast.Yield | ast.YieldFrom)
        or (isinstance(part, ast.Call) and last_name(part.func) not in _QUESTIONS)
        for part in nodes_in(test)
    )
