"""What a loop over parameters does to each of them: an average, an optimizer's step, a change of its gradient."""

from __future__ import annotations

import ast
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from enum import Enum, auto

from trainlint.analysis.effects.parameter_loops import ParameterLoop
from trainlint.analysis.syntax.names import constant, last_name, nodes_in
from trainlint.patterns import lazy

_IN_PLACE = frozenset("add_ sub_ mul_ div_ lerp_ addcmul_ addcdiv_ subtract_ multiply_ divide_ true_divide_".split())
"""Methods that compute in place, one kernel each."""
_ELEMENTWISE = _IN_PLACE | frozenset("add sub mul div lerp addcmul addcdiv maximum sign sign_ sqrt sqrt_ where".split())
_NORMS = frozenset({"norm", "vector_norm"})
_GRADIENT = lazy(r"(^|_)(grads?|gradients?|d_p)$")
"""Attributes of parameters, and names for what functions of optimizers are given beside them."""


class Update(Enum):
    """What is done to each parameter."""

    AVERAGE = auto()
    """It is drawn towards another tensor: a moving average, or a target network."""
    DESCENT = auto()
    """It is moved along its gradient."""
    GRADIENT = auto()
    """Its gradient is scaled or added to."""
    COPY = auto()
    """It, or its gradient, is copied from a second list of parameters."""
    NORM = auto()
    """The norm of it, or of its gradient, is taken."""


@dataclass(frozen=True, slots=True)
class ParameterUpdate:
    """The arithmetic in the body of a loop over parameters."""

    update: Update
    kernels: int
    """How many operations on the device each round starts, at the least."""


def update_of(loop: ParameterLoop) -> ParameterUpdate | None:
    """What a loop computes for each of its parameters; None if it only reads, clears or scales them."""
    tensors = _Round(loop)
    writes, copies = list(tensors.writes()), list(tensors.copies()) if loop.paired else []
    if not writes and not copies:
        norms = sum(tensors.is_norm(part) for part in tensors.parts)
        return ParameterUpdate(Update.NORM, norms) if norms else None
    update = _update(tensors, writes, copies=bool(copies))
    kernels = len(copies) + tensors.kernels(value for _, value in writes)
    return ParameterUpdate(update, kernels) if update is not None else None


def _update(tensors: _Round, writes: list[tuple[ast.expr, ast.AST]], *, copies: bool) -> Update | None:
    """What writes to the tensors of a round amount to."""
    if all(tensors.reads_gradient(target) for target, _ in writes):
        return Update.COPY if copies else Update.GRADIENT
    parts = [part for write in writes for part in write]
    if any(map(tensors.reads_gradient, parts)):
        return Update.DESCENT
    return Update.AVERAGE if len(set().union(*map(tensors.roots, parts))) > 1 else None


class _Round:
    """The tensors of one round of a loop, by the names that lead to them."""

    def __init__(self, loop: ParameterLoop) -> None:
        self.parts = [part for item in loop.body for part in nodes_in(item)]
        self._of = {name: {name} for name in loop.names}
        """The tensors of the round that each name holds, or is computed from."""
        self._values: dict[str, ast.expr] = {}
        self._gradients: set[str] = set()
        for _ in range(2):  # the parts are not in the order of the text
            for part in self.parts:
                if isinstance(part, ast.Assign):
                    self._assigned(part.targets[0], part.value)

    def _assigned(self, target: ast.expr, value: ast.expr) -> None:
        match target, value:
            case ast.Name(id=name), _ if name not in self._of or name in self._values:
                self._values[name] = value
                self._of[name] = self.roots(value)
                if self.reads_gradient(value):
                    self._gradients.add(name)
            case ast.Tuple(elts=targets), ast.Tuple(elts=values) if len(targets) == len(values):
                for one, other in zip(targets, values, strict=True):
                    self._assigned(one, other)

    def roots(self, node: ast.AST) -> set[str]:
        """The tensors of the round that an expression reads: what the loop binds, and what tables hold for it."""
        match node:
            case ast.Name():
                return self._of.get(node.id, set())
            case ast.Subscript():
                return {ast.unparse(node)} if self.roots(node.value) or self.roots(node.slice) else set()
        return set().union(*(self.roots(item) for item in ast.iter_child_nodes(node)))

    def reads_gradient(self, node: ast.AST) -> bool:
        """Whether a gradient is read, directly or through names of the round."""
        named = {item.id for item in nodes_in(node) if isinstance(item, ast.Name)}
        named |= {item.attr for item in nodes_in(node) if isinstance(item, ast.Attribute)}
        return bool(named & self._gradients) or any(map(_GRADIENT.search, named))

    def writes(self) -> Iterator[tuple[ast.expr, ast.AST]]:
        """Where a tensor of the round is computed anew, in place or by assignment: it, and what computes it."""
        for part in self.parts:
            target, value = self._write(part)
            if target is not None and value is not None and self.roots(target):
                yield target, value

    def _write(self, part: ast.AST) -> tuple[ast.expr | None, ast.AST | None]:
        match part:
            case ast.AugAssign(target=target) if not isinstance(constant(part.value), int):  # else a counter
                return target, part
            case ast.Assign(targets=[ast.Attribute(attr="data" | "grad") | ast.Subscript() as target], value=value):
                return target, self._result(target, value)
            case ast.Call(func=ast.Attribute(attr="copy_", value=target), args=[value, *_]):
                # What is copied into gradients mostly comes from one buffer.
                return (None, None) if self.reads_gradient(target) else (_receiver(target), self._result(target, value))
            case ast.Call(keywords=[*_, ast.keyword(arg="out", value=target)]):
                return target, part
            case ast.Call(func=ast.Attribute(attr=name, value=target)) if name in _IN_PLACE:
                return _receiver(target), part
        return None, None

    def copies(self) -> Iterator[ast.AST]:
        """Where one tensor of the round is copied into another."""
        for part in self.parts:
            match part:
                case ast.Call(func=ast.Attribute(attr="copy_", value=target), args=[value, *_]):
                    if self._result(target, value) is None and self.roots(value) - self.roots(target):
                        yield part

    def is_norm(self, part: ast.AST) -> bool:
        """Whether the norm of a tensor of the round is taken."""
        return isinstance(part, ast.Call) and last_name(part.func) in _NORMS and bool(self.roots(part))

    def _result(self, target: ast.expr, value: ast.expr) -> ast.expr | None:
        """The arithmetic on tensors of the round that a value is; None for a copy, and for what is no tensor."""
        while isinstance(value, ast.Call) and isinstance(value.func, ast.Attribute) and not value.args:
            value = value.func.value  # .clone() and .detach()
        value = self._values.get(value.id, value) if isinstance(value, ast.Name) else value
        if isinstance(value, ast.Call):
            read = self.roots(value)
            is_blend = len(read) > 1 and self.roots(target) <= read
            return value if is_blend or (read and last_name(value.func) in _ELEMENTWISE) else None
        return value if isinstance(value, ast.BinOp) and self.roots(value) else None

    def kernels(self, computed: Iterable[ast.AST]) -> int:
        """How many operations on tensors of the round some arithmetic takes, each counted once."""
        parts = {part for one in computed for item in (one, *self._named(one)) for part in nodes_in(item)}
        return sum(self._is_kernel(part) and bool(self.roots(part)) for part in parts)

    def _named(self, node: ast.AST) -> Iterator[ast.expr]:
        for part in nodes_in(node):
            if isinstance(part, ast.Name) and part.id in self._values:
                yield self._values[part.id]

    @staticmethod
    def _is_kernel(part: ast.AST) -> bool:
        is_call = isinstance(part, ast.Call) and last_name(part.func) in _ELEMENTWISE
        return is_call or isinstance(part, ast.BinOp | ast.AugAssign)


def _receiver(node: ast.expr) -> ast.expr:
    """The tensor that a chain of in-place methods started from: `p` for `p.mul_(a)` in `p.mul_(a).add_(q)`."""
    while isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute) and node.func.attr in _IN_PLACE:
        node = node.func.value
    return node
