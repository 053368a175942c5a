"""What a loop over parameters does to each of them: a moving average, a descent, a change of its gradient."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from dataclasses import dataclass
from enum import Enum, auto

from trainlint.analysis.effects.parameter_loops import ParameterLoop
from trainlint.analysis.syntax.names import has_name_in, last_name, nodes_in

_ARITHMETIC = frozenset("add_ sub_ mul_ div_ lerp_ addcmul_ addcdiv_ subtract_ multiply_ divide_ true_divide_".split())
"""Methods that compute in place, one kernel each."""
_FUNCTIONS = frozenset({"lerp", "add", "sub", "mul", "div"})
_TENSOR_PARTS = frozenset({"data", "grad"})


class Update(Enum):
    """What is done to each parameter."""

    AVERAGE = auto()
    """It is drawn towards another tensor: a moving average, or a target network."""
    DESCENT = auto()
    """It is moved along its gradient."""
    GRADIENT = auto()
    """Its gradient is scaled or added to."""


@dataclass(frozen=True, slots=True, eq=False)
class ParameterUpdate:
    """The arithmetic in the body of a loop over parameters."""

    update: Update
    kernels: int
    """How many operations on the device each round starts, at the least."""


def update_of(loop: ParameterLoop) -> ParameterUpdate | None:
    """What a loop computes in place for each of its parameters; None if it only reads, copies, clears or clamps."""
    node = loop.block.node
    if not isinstance(node, ast.For):
        return None
    elements = _Elements(node, loop.names)
    writes = list(elements.writes())
    if not writes:
        return None
    if all(_writes_gradient(item) for item in writes):
        if any(_is_copy(item) for item in writes):
            return None  # unpacked from a buffer
        update = Update.GRADIENT
    elif any(_reads_gradient(item) for item in writes):
        update = Update.DESCENT
    elif elements.draws_towards_another(writes):
        update = Update.AVERAGE
    else:
        return None
    return ParameterUpdate(update, sum(elements.kernels(item) for item in writes))


class _Elements:
    """The tensors that one round of a loop is about, by the names that lead to them."""

    def __init__(self, loop: ast.For, names: frozenset[str]) -> None:
        self.loop = loop
        self.names = set(names)
        self.values: dict[str, ast.expr] = {}
        for part in self._parts():
            match part:
                case ast.Assign(targets=[ast.Name(id=name)], value=value):
                    self.values[name] = value
                    if self.is_one(value):
                        self.names.add(name)

    def _parts(self) -> Iterator[ast.AST]:
        for statement in self.loop.body:
            yield from nodes_in(statement)

    def is_one(self, node: ast.expr) -> bool:
        """Whether an expression is a parameter, its data or gradient, or what a table holds for it."""
        match node:
            case ast.Name():
                return node.id in self.names
            case ast.Attribute():
                return node.attr in _TENSOR_PARTS and self.is_one(node.value)
            case ast.Subscript():
                return has_name_in(node.slice, self.names)
            case ast.Call(func=ast.Attribute(attr="detach" | "view_as" | "float", value=value)):
                return self.is_one(value)
        return False

    def writes(self) -> Iterator[ast.AST]:
        for part in self._parts():
            match part:
                case ast.AugAssign(op=ast.Add() | ast.Sub() | ast.Mult() | ast.Div()) if self.is_one(part.target):
                    yield part
                case ast.Assign(targets=[ast.Attribute() | ast.Subscript() as target], value=value):
                    if self.is_one(target) and self._computes(value):
                        yield part
                case ast.Call(func=ast.Attribute(attr=name, value=value)):
                    if self.is_one(_receiver(value)) and (
                        name in _ARITHMETIC or (name == "copy_" and part.args and self._computes(part.args[0]))
                    ):
                        yield part

    def _computes(self, node: ast.expr) -> bool:
        """Whether a value is the result of arithmetic on tensors of this round."""
        node = self._meant(node)
        arithmetic = isinstance(node, ast.BinOp) or (isinstance(node, ast.Call) and last_name(node.func) in _FUNCTIONS)
        return arithmetic and bool(self._roots(node))

    def _meant(self, node: ast.expr) -> ast.expr:
        """A value without `.clone()` and `.detach()`, where a name of this round leads to it."""
        while isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute) and not node.args:
            node = node.func.value
        return self.values.get(node.id, node) if isinstance(node, ast.Name) else node

    def draws_towards_another(self, writes: list[ast.AST]) -> bool:
        """Whether a tensor is changed by itself, scaled, and by another one of the round."""
        read = set().union(*(self._roots(item) for item in writes))
        calls = {last_name(item.func) for item in writes if isinstance(item, ast.Call)}
        scaled = bool(calls & {"mul_", "lerp_", "copy_"}) or any(
            isinstance(item, ast.Assign) or (isinstance(item, ast.AugAssign) and isinstance(item.op, ast.Mult))
            for item in writes
        )
        difference = any(isinstance(part, ast.Sub) for item in writes for part in ast.walk(item))
        return len(read) > 1 and (scaled or difference)

    def kernels(self, write: ast.AST) -> int:
        """How many operations on tensors a write takes: its own, and the arithmetic that it is given."""
        given: list[ast.expr] = []
        own = 1
        match write:
            case ast.AugAssign():
                given = [write.value]
            case ast.Assign():
                given, own = [write.value], 0
            case ast.Call():
                given = [*write.args, *(item.value for item in write.keywords)]
        inner = (part for item in given for part in nodes_in(self._meant(item)) if isinstance(part, ast.BinOp))
        return max(1, own + sum(bool(self._roots(part)) for part in inner))

    def _roots(self, node: ast.AST) -> set[str]:
        """The tensors of the round that an expression names, each by one spelling."""
        found: set[str] = set()
        for part in nodes_in(node):
            match part:
                case ast.Name() if part.id in self.values and part.id not in self.names:
                    inner = self.values[part.id]
                    if not has_name_in(inner, {part.id}):
                        found |= self._roots(inner)
                case ast.Subscript() if self.is_one(part):
                    found.add(ast.unparse(part))
                case ast.Name() if part.id in self.names:
                    found.add(part.id)
        return found


def _receiver(node: ast.expr) -> ast.expr:
    """The tensor that a chain of in-place methods started from: `p` for `p.mul_(a)` in `p.mul_(a).add_(q)`."""
    while isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute) and node.func.attr in _ARITHMETIC:
        node = node.func.value
    return node


def _target(write: ast.AST) -> ast.expr | None:
    match write:
        case ast.AugAssign():
            return write.target
        case ast.Assign():
            return write.targets[0]
        case ast.Call(func=ast.Attribute(value=value)):
            return _receiver(value)
    return None


def _writes_gradient(write: ast.AST) -> bool:
    target = _target(write)
    return target is not None and _reads_gradient(target)


def _reads_gradient(write: ast.AST) -> bool:
    return any(isinstance(part, ast.Attribute) and part.attr == "grad" for part in nodes_in(write))


def _is_copy(write: ast.AST) -> bool:
    return isinstance(write, ast.Call) and last_name(write.func) == "copy_"
