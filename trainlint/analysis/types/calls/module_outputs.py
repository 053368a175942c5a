"""What a module returns, by what it is given."""

from __future__ import annotations

import ast
from typing import TYPE_CHECKING

from trainlint.analysis.syntax.blocks import Block, Function
from trainlint.analysis.tables.parallel import Wrapper, called_as
from trainlint.analysis.tables.waits.device_copies import MOVES
from trainlint.analysis.types.evidence import Rank
from trainlint.analysis.types.values import Home, Kind, Origin, Value

if TYPE_CHECKING:
    from trainlint.analysis.types.inference import Kinds

_MADE = frozenset({Origin.FACTORY, Origin.OUTPUT, Origin.LOSS, Origin.OTHER})
"""Where a tensor comes from that code has made or computed, unlike one that it was handed."""

_DEEPEST = 3
"""How deep tensors are sought in what a module returns."""
_DATA_PARALLEL = called_as(Wrapper.DATA_PARALLEL)


def output(kinds: Kinds, call: ast.Call, block: Block, given: list[Value], confidence: float, *, loss: bool) -> Value:
    """What a module returns: on the device of its inputs, with a graph unless autograd is off."""
    origin = Origin.LOSS if loss else Origin.OUTPUT
    found = Value(Kind.TENSOR, kinds.device, not kinds.gradients.off(block, call.lineno), origin, confidence)
    return _lying(found, Home.HOST, _home_rank(given)) if runs_on_host(kinds, call, block, given) else found


def where_given(kinds: Kinds, call: ast.Call, block: Block, found: Value, given: list[Value]) -> Value:
    """What a module returns, as its code says: on the host if all that this call gives it is there.

    Where only the arguments of other calls put it on the host, as those of a module's demonstration do, it is where
    this file computes.
    """
    if runs_on_host(kinds, call, block, given):
        return _lying(found, Home.HOST, _home_rank(given))
    return _lying(found, kinds.device, Rank.NAMED, instead_of_passed=True)


def _home_rank(given: list[Value]) -> Rank:
    """How well is known where all tensors are that a module is given."""
    return min([value.evidence.home for value in given if value.is_tensor])


def _lying(value: Value, home: Home, rank: Rank, depth: int = 0, *, instead_of_passed: bool = False) -> Value:
    """A tensor or nest of tensors in another place; of some, those that only other calls put on the host."""
    if value.is_tensor:
        if instead_of_passed and not (value.home is Home.HOST and value.evidence.home is Rank.PASSED):
            return value
        return value.lying(home).known_by(value.evidence._replace(home=rank))
    if value.kind is not Kind.CONTAINER or value.element is None or depth == _DEEPEST:
        return value
    each = [
        _lying(item, home, rank, depth + 1, instead_of_passed=instead_of_passed)
        for item in (value.element, *value.items)
    ]
    return value.holding(each[0], tuple(each[1:]))


def runs_on_host(kinds: Kinds, call: ast.Call, block: Block, given: list[Value]) -> bool:
    """Whether all tensors that a module is given surely are on the host, so that its weights are there, too."""
    tensors = [value for value in given if value.is_tensor]
    return bool(tensors) and all(map(_is_made_on_host, tensors)) and not _moves_inputs(kinds, call, block)


def _moves_tensors(kinds: Kinds, function: Function) -> bool:
    """Whether a function of the file moves tensors to some place itself."""
    calls = kinds.outline.calls
    return any(place.block.within(function.body) for name in MOVES for place in calls.get(name, ()))


def _is_made_on_host(value: Value) -> bool:
    """Whether a tensor is surely on the host, and no batch, which wrappers of models and of loaders move."""
    return value.home is Home.HOST and value.evidence.home > Rank.NAMED and value.origin in _MADE


def _moves_inputs(kinds: Kinds, call: ast.Call, block: Block) -> bool:
    """Whether a module moves what it is given itself: in its `forward`, or since the file wraps models so."""
    if any(name in kinds.outline.calls for name in _DATA_PARALLEL):
        return True
    owner = kinds.graph.instance_class(call.func, block)
    forward = owner.methods.get("forward") if owner is not None else None
    return forward is not None and _moves_tensors(kinds, forward)
