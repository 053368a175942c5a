"""Statements that move a tensor and drop the moved one: only modules, and some batches, move in place."""

from __future__ import annotations

import ast

from trainlint.analysis.semantic_model import SemanticModel
from trainlint.analysis.syntax.blocks import How, Place
from trainlint.analysis.syntax.names import (
    argument,
    has_unpacked_arguments,
    last_name,
    nodes_in,
    position,
)
from trainlint.analysis.syntax.reaching import reaching
from trainlint.analysis.tables.iterables import nests_items
from trainlint.analysis.types.values import Kind, Origin

_SURE = 0.95
_UNPACKED = 0.75


def dropped_move(file: SemanticModel, place: Place) -> float:
    """How sure it is that a call moves a tensor for nothing; 0 for moves that are kept, and for other things.

    A whole batch may move itself, as `BatchEncoding` and PyTorch Geometric's `Data` do. One of several values that
    the head of a loop unpacks is hardly such a thing.
    """
    call, statement = place.node, place.statement
    if not isinstance(statement, ast.Expr) or statement.value is not call or not isinstance(call, ast.Call):
        return 0.0
    if not isinstance(call.func, ast.Attribute) or has_unpacked_arguments(call):
        return 0.0
    if call.func.attr == "copy_":
        return 0.0  # it copies into its owner
    owner = call.func.value
    value = file.kinds.of(owner, place.block)
    if not value.is_tensor or not value.proved or value.origin is Origin.OUTPUT:
        return 0.0
    if _changes_type(file, call, place):
        return 0.0
    if value.origin is not Origin.BATCH:
        return _SURE
    return _UNPACKED if _is_unpacked(owner, place) else 0.0


def _changes_type(file: SemanticModel, call: ast.Call, place: Place) -> bool:
    """Whether `.to(...)` is given a dtype, or no device."""
    given = argument(call, "device", 0)
    return last_name(call.func) == "to" and (given is None or file.kinds.of(given, place.block).kind is Kind.DTYPE)


def _is_unpacked(owner: ast.expr, place: Place) -> bool:
    if not isinstance(owner, ast.Name):
        return False
    bindings = reaching(owner.id, place.block, position(owner))
    return bool(bindings) and all(
        item.how is How.FOR and item.value is not None and len(item.path) > _counters(item.value) for item in bindings
    )


def _counters(iterated: ast.expr) -> int:
    """How many levels of unpacking belong to `enumerate` or `zip`, not to the batch."""
    calls = [part for part in nodes_in(iterated) if isinstance(part, ast.Call)]
    return sum(nests_items(last_name(call.func)) for call in calls)
