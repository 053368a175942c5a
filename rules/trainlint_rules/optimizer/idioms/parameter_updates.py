"""What a loop over parameters does to each of them: an average, an optimizer's step, a change of its gradient."""

from __future__ import annotations

import ast
from dataclasses import dataclass
from enum import Enum, auto

from trainlint.analysis.effects.parameter_loops import ParameterLoop
from trainlint.analysis.syntax.names import last_name, nodes_in
from trainlint_rules.optimizer.idioms.foreach_functions import foreach_names
from trainlint_rules.optimizer.idioms.round_tensors import RoundTensors, receiver

_CLEANS = frozenset({"nan_to_num", "nan_to_num_"})
_SCALES = frozenset({"mul_", "div_", "multiply_", "divide_", "true_divide_"})


class Update(Enum):
    """What is done to each parameter."""

    AVERAGE = auto()
    """It is drawn towards another tensor: a moving average, or a target network."""
    DESCENT = auto()
    """It is moved along its gradient."""
    DECAY = auto()
    """It is multiplied by a number, as weight decay does."""
    GRADIENT = auto()
    """Its gradient is scaled or added to."""
    CLEANED_GRADIENT = auto()
    """NaN and infinity in its gradient are replaced."""
    COPY = auto()
    """It, or its gradient, is copied from a second list of parameters."""
    NORM = auto()
    """The norm of it, or of its gradient, is taken."""


@dataclass(frozen=True, slots=True, eq=False)
class ParameterUpdate:
    """The arithmetic in the body of a loop over parameters."""

    update: Update
    kernels: int
    """How many operations on the device each round starts, at the least."""
    foreach: tuple[str, ...]
    """The functions of torch that do the same to lists of tensors, in the order of the code."""
    out_of_sight: bool
    """Whether a function that is given two tensors of the round computes the result."""


def update_of(loop: ParameterLoop) -> ParameterUpdate | None:
    """What a loop computes for each of its parameters; None if it only reads, clears or clamps.

    Norms are looked for in loops and comprehensions, everything else in loops.
    """
    tensors = RoundTensors(loop.body, loop.names)
    writes = list(tensors.writes())
    copies = list(tensors.copies()) if loop.paired else []
    update = _update(tensors, writes, copies)
    if update is None:
        return None
    operations = list(tensors.norms()) if update is Update.NORM else writes + copies
    kernels = sum(tensors.kernels(item) for item in operations)
    names = dict.fromkeys(name for item in loop.body for name in foreach_names(item))
    return ParameterUpdate(update, kernels, tuple(names), any(map(_calls_function, writes)))


def _update(tensors: RoundTensors, writes: list[ast.AST], copies: list[ast.AST]) -> Update | None:
    """What the writes of a loop amount to."""
    if not writes and not copies:
        return Update.NORM if any(tensors.norms()) else None
    if any(_cleans(item) for item in writes):
        return Update.CLEANED_GRADIENT if any(map(tensors.reads_gradient, writes)) else None
    if all(_writes_gradient(tensors, item) for item in writes):
        return Update.COPY if copies else _of_gradients(writes)
    return _of_parameters(tensors, writes)


def _of_gradients(writes: list[ast.AST]) -> Update | None:
    """What writes to gradients alone amount to; None where they are unpacked from a buffer."""
    return None if any(_is_copy(item) for item in writes) else Update.GRADIENT


def _of_parameters(tensors: RoundTensors, writes: list[ast.AST]) -> Update | None:
    """What writes amount to of which some change the parameters themselves."""
    if any(map(tensors.reads_gradient, writes)):
        return Update.DESCENT
    if tensors.draws_towards_another(writes):
        return Update.AVERAGE
    return Update.DECAY if all(_scales_by_number(tensors, item) for item in writes) else None


def _target(write: ast.AST) -> ast.expr | None:
    match write:
        case ast.AugAssign():
            return write.target
        case ast.Assign():
            return write.targets[0]
        case ast.Call(func=ast.Attribute(value=value)):
            return receiver(value)
    return None


def _writes_gradient(tensors: RoundTensors, write: ast.AST) -> bool:
    target = _target(write)
    return target is not None and tensors.reads_gradient(target)


def _is_copy(write: ast.AST) -> bool:
    return isinstance(write, ast.Call) and last_name(write.func) == "copy_"


def _cleans(write: ast.AST) -> bool:
    return any(isinstance(part, ast.Call) and last_name(part.func) in _CLEANS for part in nodes_in(write))


def _scales_by_number(tensors: RoundTensors, write: ast.AST) -> bool:
    """Whether a tensor is multiplied or divided by what is no tensor of the round."""
    match write:
        case ast.AugAssign(op=ast.Mult() | ast.Div(), value=value):
            return not tensors.roots(value)
        case ast.Call(func=ast.Attribute(attr=name), args=[value]) if name in _SCALES:
            return not tensors.roots(value)
    return False


def _calls_function(write: ast.AST) -> bool:
    """Whether a write takes what a function returns that torch does not have."""
    match write:
        case (
            ast.Assign(value=ast.Call() as call) | ast.Call(func=ast.Attribute(attr="copy_"), args=[ast.Call() as call])
        ):
            return not foreach_names(call)
    return False
