"""Which values a backward pass goes through, by the names they carry.

The order of statements does not count: a variable that reaches a backward anywhere in its function does so everywhere.
Attributes of `self` are one variable for the whole file.
"""

from __future__ import annotations

import ast
from collections.abc import Iterable, Iterator, Mapping
from typing import NamedTuple

from trainlint.analysis.syntax.names import children, constant, dotted, last_name, root_name
from trainlint.analysis.tables.host_reads import TO_NO_TENSOR
from trainlint.analysis.types.vocabulary import DETACHING, SCALER_NAME, TENSOR_NUMBERS

_BACKWARD = frozenset({"backward", "manual_backward"})
_GRADIENT_FUNCTIONS = frozenset({"torch.autograd.grad", "autograd.grad", "grad", "torch.autograd.backward"})
_RETAINING = frozenset({"retain_graph", "create_graph"})
_CUTTING = DETACHING | TENSOR_NUMBERS | TO_NO_TENSOR
"""Methods and functions whose result carries no graph."""
_CUTTING_BUILTINS = frozenset({"float", "int", "bool", "len", "str", "isinstance", "format", "print", "range"})
_CUTTING_ATTRIBUTES = frozenset({"data", "shape", "dtype", "device", "ndim", "requires_grad", "is_cuda"})
_FILLING = frozenset({"append", "extend", "appendleft", "add"})
"""Methods of containers, with the one thing that they put in."""
_KEEPING_PARTS = frozenset(
    "mean sum to float half double clone view reshape squeeze unsqueeze contiguous values items scale div mul add sub "
    "stack cat nan_to_num".split()
)
"""What terms of a loss go through on their way to the backward."""
_ARITHMETIC = ast.BinOp | ast.UnaryOp | ast.List | ast.Tuple | ast.Starred | ast.ListComp | ast.GeneratorExp | ast.Dict
_OWN_OBJECT = frozenset({"self", "cls"})
_FUNCTIONS = (ast.FunctionDef, ast.AsyncFunctionDef, ast.Lambda)
_TELLING = frozenset(
    (ast.Call, ast.Assign, ast.AnnAssign, ast.AugAssign, ast.NamedExpr, ast.For, ast.AsyncFor, ast.comprehension)
) | {ast.Return, ast.Yield, ast.YieldFrom}
"""The nodes in which a value gets a name or a backward may start."""
_LEAVES = frozenset((ast.Name, ast.Constant, ast.Load, ast.Store))
"""The nodes below which is nothing; they are half of a tree."""
LEAVES = "<leaves>"
"""Stands for what leaves the function: by `return`, by `yield`, or into an attribute."""
_STARTED = "<backward>"


class _Flow:
    """The flow of graphs through a file. Names are dotted, and a function's own are marked with where it stands."""

    def __init__(self) -> None:
        self.roots: set[str] = set()
        """What a backward pass is started from."""
        self.retained: set[str] = set()
        """Those roots whose graph is kept for another backward."""
        self.all: dict[str, set[str]] = {}
        """Name → names of values that were computed from it with the graph attached."""
        self.sums: dict[str, set[str]] = {}
        """The part that is plain arithmetic: the name is a term or factor there."""


class Backwards(NamedTuple):
    """What backward passes go through, asked by the names of one function, as in "loss" or "outputs.loss"."""

    flow: _Flow
    names: Mapping[str, str]
    """How the flow calls the function's own variables."""

    def starts_from(self, name: str) -> bool:
        """Whether a backward is started from just what this name holds, as in `loss.backward()`."""
        return _renamed(name, self.names) in self.flow.roots

    def goes_through(self, name: str) -> bool:
        """Whether a backward pass goes through what this name holds."""
        return not self.flow.roots.isdisjoint(self.reached(name))

    def stays_after_backward(self, name: str) -> bool:
        """Whether a backward that goes through it keeps the graph for another one."""
        return not self.flow.retained.isdisjoint(self.reached(name))

    def is_part_of_loss(self, name: str) -> bool:
        """Whether a backward is started from what this name holds, or from a sum of it."""
        return not self.flow.roots.isdisjoint(_closure(self.flow.sums, _renamed(name, self.names)))

    def leaves(self, name: str) -> bool:
        """Whether what this name holds may leave its function with its graph."""
        return LEAVES in self.reached(name)

    def reached(self, name: str) -> set[str]:
        """All names, as the flow calls them, whose values carry the graph of what this name holds; itself included."""
        return _closure(self.flow.all, _renamed(name, self.names))


class BackwardFlow:
    """The answers for one file, or for a piece of one, from one walk over its tree."""

    def __init__(self, tree: ast.AST) -> None:
        """`tree` is a parsed file, or a piece of one to be looked at alone."""
        self._flow = _Flow()
        self._names: dict[ast.AST, Mapping[str, str]] = {}
        self._visit_below(tree, {})

    def seen_from(self, function: ast.AST | None) -> Backwards:
        """The answers for names as one function uses them; None for module level."""
        return Backwards(self._flow, self._names.get(function, {}) if function is not None else {})

    def _visit_below(self, root: ast.AST, names: Mapping[str, str]) -> None:
        stack = children(root)
        while stack:
            node = stack.pop()
            if type(node) in _LEAVES:
                continue
            if isinstance(node, _FUNCTIONS):
                self._names[node] = {**names, **_own_names(node)}
                self._visit_below(node, self._names[node])
                continue
            if type(node) in _TELLING:
                self._visit(node, names)
            stack += children(node)

    def _visit(self, node: ast.AST, names: Mapping[str, str]) -> None:
        if isinstance(node, ast.Call):
            self._call(node, names)
        elif isinstance(node, ast.Assign):
            self._add([node.value], (name for target in node.targets for name in held_by(target)), names)
        elif isinstance(node, (ast.AnnAssign, ast.AugAssign, ast.NamedExpr)) and node.value is not None:
            self._add([node.value], held_by(node.target), names)
        elif isinstance(node, (ast.For, ast.AsyncFor, ast.comprehension)):
            self._add([node.iter], held_by(node.target), names)
            # An element of a container of losses is a part of what the container is summed to.
            for whole in graph_names(node.iter, terms_only=True):
                for part in held_by(node.target):
                    self._flow.sums.setdefault(_renamed(part, names), set()).add(_renamed(whole, names))
        elif isinstance(node, (ast.Return, ast.Yield, ast.YieldFrom)) and node.value is not None:
            self._add([node.value], [LEAVES], names)

    def _call(self, call: ast.Call, names: Mapping[str, str]) -> None:
        started = _started_by(call)
        roots = {_renamed(name, names) for source in started for name in graph_names(source, terms_only=True)}
        if started:
            self._flow.roots |= {*roots, _STARTED}
            self._add(started, [_STARTED], names)
            if any(item.arg in _RETAINING and constant(item.value) is not False for item in call.keywords):
                self._flow.retained |= roots
        elif isinstance(call.func, ast.Attribute) and call.func.attr in _FILLING and len(call.args) == 1:
            self._add(call.args, held_by(call.func.value), names)

    def _add(self, sources: Iterable[ast.expr], targets: Iterable[str], names: Mapping[str, str]) -> None:
        """Record that the values of expressions are in what the target names hold."""
        into = {_renamed(target, names) for target in targets}
        for source in sources:
            for name in graph_names(source):
                known = _renamed(name, names)
                self._flow.all.setdefault(known, set()).update(into)
                first = known.partition(".")[0]
                if first not in _OWN_OBJECT and first != known:
                    self._flow.all.setdefault(first, set()).add(known)
            for name in graph_names(source, terms_only=True):
                self._flow.sums.setdefault(_renamed(name, names), set()).update(into)


def _own_names(function: ast.FunctionDef | ast.AsyncFunctionDef | ast.Lambda) -> dict[str, str]:
    """A function's own variables, those of its comprehensions included, each with a name that no other one has."""
    arguments = function.args
    extra = [item for item in (arguments.vararg, arguments.kwarg) if item is not None]
    own = {item.arg for item in (*arguments.posonlyargs, *arguments.args, *arguments.kwonlyargs, *extra)}
    outer: set[str] = set()
    stack = children(function)
    while stack:
        node = stack.pop()
        if isinstance(node, (ast.Global, ast.Nonlocal)):
            outer.update(node.names)
        elif type(node) is ast.Name:
            if type(node.ctx) is ast.Store:
                own.add(node.id)
        elif type(node) not in _LEAVES and not isinstance(node, _FUNCTIONS):
            stack += children(node)
    place = f"@{function.lineno}:{function.col_offset}"
    return {name: name + place for name in own - outer - _OWN_OBJECT}


def _renamed(name: str, names: Mapping[str, str]) -> str:
    first, dot, rest = name.partition(".")
    return f"{names.get(first, first)}{dot}{rest}"


def graph_names(node: ast.expr, *, terms_only: bool = False) -> Iterator[str]:
    """The names in an expression whose graph is part of its value's graph.

    With `terms_only`, those alone that are summed or scaled on the way, and not put through a function.
    """
    for part in _graph_parts(node, terms_only):
        name = dotted(part) if isinstance(part, (ast.Name, ast.Attribute)) else None
        if name is not None:
            yield name


def carries_graph(node: ast.expr, of: ast.expr) -> bool:
    """Whether the graph of a part of an expression is part of the whole value's graph."""
    return any(part is of for part in _graph_parts(node, terms_only=False))


def _graph_parts(node: ast.expr, terms_only: bool) -> Iterator[ast.expr]:
    stack = [node]
    while stack:
        part = stack.pop()
        if isinstance(part, ast.Attribute) and part.attr in _CUTTING_ATTRIBUTES:
            continue
        yield part
        if isinstance(part, ast.Attribute):
            if dotted(part) is None:
                stack.append(part.value)
        elif isinstance(part, ast.Subscript):
            stack.append(part.value)
        elif isinstance(part, ast.Call):
            stack.extend(_through_call(part, terms_only))
        elif isinstance(part, ast.IfExp):
            stack += (part.body, part.orelse)
        elif isinstance(part, (ast.Compare, ast.Lambda, ast.Constant, ast.JoinedStr)):
            continue
        elif not terms_only or isinstance(part, _ARITHMETIC):
            stack += [child for child in children(part) if isinstance(child, ast.expr)]


def _through_call(call: ast.Call, terms_only: bool) -> Iterator[ast.expr]:
    """What of a call carries its graph into the result."""
    name = last_name(call.func)
    if name in _CUTTING or (isinstance(call.func, ast.Name) and name in _CUTTING_BUILTINS):
        return
    if terms_only and name not in _KEEPING_PARTS:
        return
    if isinstance(call.func, ast.Attribute):
        yield call.func.value
    yield from call.args
    yield from (keyword.value for keyword in call.keywords)


def _started_by(call: ast.Call) -> list[ast.expr]:
    """What a call starts a backward pass from.

    Of `a.backward(b)` either may be the loss: `accelerator.backward(loss)`, `loss.backward(weights)`.
    """
    name = last_name(call.func)
    if isinstance(call.func, ast.Attribute) and name in _BACKWARD:
        return [] if root_name(call.func) == "super" else [call.func.value, *call.args[:1]]
    if (name in _BACKWARD or dotted(call.func) in _GRADIENT_FUNCTIONS) and call.args:
        return call.args[:1]
    if SCALER_NAME.search(name) and len(call.args) >= 2:  # a scaler that is called with loss and optimizer
        return call.args[:1]
    return []


def held_by(target: ast.expr) -> Iterator[str]:
    """The names that hold what is stored in a target: "totals" for `totals["loss"]`. An attribute outlives a call."""
    if isinstance(target, (ast.Tuple, ast.List)):
        for item in target.elts:
            yield from held_by(item)
        return
    while isinstance(target, (ast.Subscript, ast.Starred)):
        target = target.value
    name = dotted(target)
    if name is not None:
        yield name
    if isinstance(target, ast.Attribute):
        yield LEAVES


def _closure(edges: dict[str, set[str]], start: str) -> set[str]:
    found = {start}
    waiting = [start]
    while waiting:
        for name in edges.get(waiting.pop(), ()):
            if name not in found:
                found.add(name)
                waiting.append(name)
    return found
