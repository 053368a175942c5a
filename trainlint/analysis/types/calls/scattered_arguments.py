"""What a call hands over: wrappers such as `DataParallel` move what they are given to the device of the model."""

from __future__ import annotations

import ast
from typing import TYPE_CHECKING

from trainlint.analysis.syntax.blocks import Block
from trainlint.analysis.syntax.names import argument, constant
from trainlint.analysis.tables.parallel import Wrapper, called_as
from trainlint.analysis.types.structures.structure import moved_to_home
from trainlint.analysis.types.values import Home, Kind, Value

if TYPE_CHECKING:
    from trainlint.analysis.types.inference import Kinds

_SCATTER = called_as(Wrapper.DATA_PARALLEL)
_SCATTER_TO_ONE = called_as(Wrapper.DDP)
_PLAIN = Value(Kind.MODULE)
_MOVING = Value(Kind.MODULE, prepared=True)


def wrapped_model(call: ast.Call, name: str) -> Value:
    """What a call of a wrapper of models gives: `DataParallel` moves its inputs, DDP only where it is told devices."""
    if name in _SCATTER:
        return _MOVING
    devices = argument(call, "device_ids", 1) if name in _SCATTER_TO_ONE else None
    return _MOVING if devices is not None and constant(devices) is not None else _PLAIN


def handed_over(kinds: Kinds, call: ast.Call, given: ast.expr, block: Block) -> Value:
    """The value of an argument as the function gets it that a call runs."""
    found = kinds.of(given, block)
    if not (found.is_tensor or found.kind is Kind.CONTAINER):
        return found
    called = kinds.of(call.func, block)
    return moved_to_home(found, Home.DEVICE) if called.kind is Kind.MODULE and called.prepared else found
