"""The tensors that one round of a loop over parameters is about, and what the round does to them."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from trainlint.analysis.syntax.names import constant, has_name_in, last_name, nodes_in
from trainlint.patterns import lazy
from trainlint_rules.optimizer.idioms.foreach_functions import ELEMENTWISE

IN_PLACE = frozenset(
    "add_ sub_ mul_ div_ lerp_ addcmul_ addcdiv_ subtract_ multiply_ divide_ true_divide_ nan_to_num_".split()
)
"""Methods that compute in place, one kernel each."""
_FUNCTIONS = frozenset({"lerp", "add", "sub", "mul", "div", "nan_to_num", "where"})
_NORMS = frozenset({"norm", "vector_norm"})
_TENSOR_PARTS = frozenset({"data", "grad"})
_GRADIENT = lazy(r"(^|_)(grads?|gradients?|d_p)$")
"""Attributes of parameters, and names for what functions of optimizers are given beside them."""
_SAME_TENSOR = frozenset({"detach", "view_as", "float", "double", "type_as"})
"""Methods whose result stands for the tensor itself."""


class RoundTensors:
    """The tensors of one round, by the names that lead to them."""

    def __init__(self, body: list[ast.AST], names: frozenset[str]) -> None:
        """`body` are the statements of the loop, or the element of a comprehension; `names` what the loop binds."""
        self.parts = [part for item in body for part in nodes_in(item)]
        self.names = set(names)
        self.gradients: set[str] = set()
        """Names that hold a gradient, or what is computed from one."""
        self.values: dict[str, ast.expr] = {}
        self.counters = {
            ast.unparse(part.target)
            for part in self.parts
            if isinstance(part, ast.AugAssign) and isinstance(constant(part.value), int)
        }
        """What is counted up by whole numbers, such as `state["step"]`: no tensor that an update is about."""
        known = -1
        while known < len(self.names) + len(self.gradients):  # the parts are not in the order of the text
            known = len(self.names) + len(self.gradients)
            for part in self.parts:
                if isinstance(part, ast.Assign):
                    self._assigned(part.targets[0], part.value)

    def _assigned(self, target: ast.expr, value: ast.expr) -> None:
        match target, value:
            case ast.Name(id=name), _:
                self.values[name] = value
                if self.reads_gradient(value):
                    self.gradients.add(name)
                if self.is_one(value):
                    self.names.add(name)
            case ast.Tuple(elts=targets), ast.Tuple(elts=values) if len(targets) == len(values):
                for one, other in zip(targets, values, strict=True):
                    self._assigned(one, other)

    def is_one(self, node: ast.expr) -> bool:
        """Whether an expression is a parameter, its data or gradient, or what a table holds for it."""
        match node:
            case ast.Name():
                return node.id in self.names
            case ast.Attribute():
                return node.attr in _TENSOR_PARTS and self.is_one(node.value)
            case ast.Subscript():
                held = has_name_in(node.slice, self.names) or self.is_one(node.value)
                return held and ast.unparse(node) not in self.counters
            case ast.Call(func=ast.Attribute(attr=name, value=value)) if name in _SAME_TENSOR:
                return self.is_one(value)
        return False

    def writes(self) -> Iterator[ast.AST]:
        """Where a tensor of the round is computed anew, in place or by assignment."""
        for part in self.parts:
            match part:
                case ast.AugAssign(op=ast.Add() | ast.Sub() | ast.Mult() | ast.Div(), target=target):
                    written = self.is_one(target) and ast.unparse(target) not in self.counters
                case ast.Assign(targets=[ast.Attribute() | ast.Subscript() as target], value=value):
                    written = self.is_one(target) and self._is_result(target, value)
                case ast.Call():
                    written = self._is_written_by(part)
                case _:
                    written = False
            if written:
                yield part

    def _is_written_by(self, call: ast.Call) -> bool:
        """Whether a call computes a tensor of the round: an in-place method, `copy_` of a result, or `out=`."""
        if any(item.arg == "out" and self.is_one(item.value) for item in call.keywords):
            return True
        match call:
            case ast.Call(func=ast.Attribute(attr="copy_", value=value), args=[given, *_]):
                return self.is_one(receiver(value)) and self._is_result(value, given)
            case ast.Call(func=ast.Attribute(attr=name, value=value)):
                return name in IN_PLACE and self.is_one(receiver(value))
        return False

    def copies(self) -> Iterator[ast.AST]:
        """Where one tensor of the round is copied into another."""
        for part in self.parts:
            match part:
                case ast.Call(func=ast.Attribute(attr="copy_", value=value), args=[given, *_]):
                    if self.is_one(value) and self.is_one(given) and self.roots(value) != self.roots(given):
                        yield part

    def norms(self) -> Iterator[ast.AST]:
        """Where the norm of a tensor of the round is taken."""
        for part in self.parts:
            match part:
                case ast.Call(func=ast.Attribute(attr=name, value=value)) if name in _NORMS:
                    if self.is_one(value) or (part.args and self.is_one(part.args[0])):
                        yield part

    def _is_result(self, target: ast.expr, value: ast.expr) -> bool:
        return self._computes(value) or self.is_blended(target, value)

    def is_blended(self, target: ast.expr, value: ast.expr) -> bool:
        """Whether a function is given a tensor of the round and another one, and its result replaces the first."""
        value = self._meant(value)
        if not isinstance(value, ast.Call):
            return False
        given = [item for item in value.args if self.is_one(item)]
        read = set().union(*(self.roots(item) for item in given))
        return len(given) > 1 and len(read) > 1 and self.roots(target) <= read

    def _computes(self, node: ast.expr) -> bool:
        """Whether a value is the result of arithmetic on tensors of this round."""
        node = self._meant(node)
        arithmetic = isinstance(node, ast.BinOp) or (isinstance(node, ast.Call) and last_name(node.func) in _FUNCTIONS)
        return arithmetic and bool(self.roots(node))

    def _meant(self, node: ast.expr) -> ast.expr:
        """A value without `.clone()` and `.detach()`, where a name of this round leads to it."""
        while isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute) and not node.args:
            if last_name(node.func) in _FUNCTIONS:
                return node
            node = node.func.value
        return self.values.get(node.id, node) if isinstance(node, ast.Name) else node

    def reads_gradient(self, node: ast.AST) -> bool:
        """Whether a gradient is read, directly or through names of the round."""
        named = (
            part.attr if isinstance(part, ast.Attribute) else part.id
            for part in nodes_in(node)
            if isinstance(part, ast.Attribute | ast.Name)
        )
        return any(map(_GRADIENT.search, named)) or has_name_in(node, self.gradients)

    def draws_towards_another(self, writes: list[ast.AST]) -> bool:
        """Whether a tensor is changed by itself, scaled, and by another one of the round."""
        read = set().union(*(self.roots(item) for item in writes))
        calls = {last_name(item.func) for item in writes if isinstance(item, ast.Call)}
        scaled = bool(calls & {"mul_", "lerp_", "copy_"}) or any(
            isinstance(item, ast.Assign) or (isinstance(item, ast.AugAssign) and isinstance(item.op, ast.Mult))
            for item in writes
        )
        difference = any(isinstance(part, ast.Sub) for item in writes for part in ast.walk(item))
        return len(read) > 1 and (scaled or difference)

    def kernels(self, operation: ast.AST) -> int:
        """How many operations on tensors one of these takes: its own, and the arithmetic that it is given."""
        given: list[ast.expr] = []
        own = 1
        match operation:
            case ast.AugAssign():
                given = [operation.value]
            case ast.Assign():
                given, own = [operation.value], 0
            case ast.Call():
                given = [*operation.args, *(item.value for item in operation.keywords)]
        inner = (part for item in given for part in nodes_in(self._meant(item)) if self._is_kernel(part))
        return max(1, own + sum(bool(self.roots(part)) for part in inner))

    def _is_kernel(self, part: ast.AST) -> bool:
        """Whether a part of what an operation is given is arithmetic of its own, and none of the writes."""
        match part:
            case ast.BinOp():
                return True
            case ast.Call(func=ast.Attribute(attr=name)) if name in ELEMENTWISE:
                return not self._is_written_by(part)
        return False

    def roots(self, node: ast.AST) -> set[str]:
        """The tensors of the round that an expression names, each by one spelling."""
        found: set[str] = set()
        for part in nodes_in(node):
            match part:
                case ast.Name() if part.id in self.values and part.id not in self.names:
                    inner = self.values[part.id]
                    if not has_name_in(inner, {part.id}):
                        found |= self.roots(inner)
                case ast.Name() if part.id in self.values and (named := self._named(part.id)) is not None:
                    found.add(named)
                case ast.Subscript() if self.is_one(part):
                    found.add(ast.unparse(part))
                case ast.Name() if part.id in self.names:
                    found.add(part.id)
        return found

    def _named(self, name: str) -> str | None:
        """The name of the loop that another name is bound to, as `old` in `old = p.data`; None for any other value."""
        value: ast.expr = self.values[name]
        while isinstance(value, ast.Attribute) and value.attr in _TENSOR_PARTS:
            value = value.value
        return value.id if isinstance(value, ast.Name) and value.id in self.names and value.id != name else None


def receiver(node: ast.expr) -> ast.expr:
    """The tensor that a chain of in-place methods started from: `p` for `p.mul_(a)` in `p.mul_(a).add_(q)`."""
    while isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute) and node.func.attr in IN_PLACE:
        node = node.func.value
    return node
