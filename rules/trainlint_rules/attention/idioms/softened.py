"""Whether a value has been through a softmax or a log-softmax, here or at the end of the module that made it."""

from __future__ import annotations

import ast
from dataclasses import dataclass

from trainlint.analysis.semantic_model import SemanticModel
from trainlint.analysis.syntax.blocks import Block, Class, How, Place
from trainlint.analysis.syntax.names import argument, constant, dotted, last_name, position
from trainlint.analysis.syntax.reaching import reaching
from trainlint.analysis.tables.waits.device_copies import MOVES

_SHAPING = frozenset({"view", "reshape", "flatten", "squeeze", "unsqueeze", "transpose", "permute", "float", *MOVES})
_MODULES = {"Softmax": "softmax", "LogSoftmax": "log_softmax"}
_FUNCTIONS = frozenset({"softmax", "log_softmax"})
_DEEPEST = 8


@dataclass(frozen=True, slots=True, eq=False)
class Softened:
    """The softmax that a value has been through."""

    function: str
    """"softmax" or "log_softmax"."""
    call: ast.Call
    """Where it is computed, or where the module is built that computes it."""
    given: ast.expr | None
    """What it is computed of; None where a module does it."""
    dimension: object
    """The dimension as a number; Ellipsis or None where it is not written out."""


def softened(file: SemanticModel, node: ast.expr, block: Block) -> Softened | None:
    """The softmax that an expression's value surely has been through; reshaping behind it does not count."""
    return _softened(file, node, block, _DEEPEST)


def _softened(file: SemanticModel, node: ast.expr, block: Block, depth: int) -> Softened | None:
    if depth == 0:
        return None
    if isinstance(node, ast.Name):
        found = reaching(node.id, block, position(node))
        if len(found) != 1 or found[0].how is not How.ASSIGN or found[0].value is None:
            return None
        value, path = found[0].value, found[0].path
        if path:
            return _returned(file, value, found[0].block, depth, path)
        return _softened(file, value, found[0].block, depth - 1)
    if not isinstance(node, ast.Call):
        return None
    name = last_name(node.func)
    if isinstance(node.func, ast.Attribute) and name in _SHAPING:
        return _softened(file, node.func.value, block, depth - 1)
    if name in _FUNCTIONS and isinstance(node.func, ast.Attribute | ast.Name):
        made = _by_function(file, node, block, name)
        if made is not None:
            return made
    return _by_module(file, node, block, depth)


def _by_function(file: SemanticModel, node: ast.Call, block: Block, name: str) -> Softened | None:
    origin = file.kinds.imported(node.func, block) or ""
    if origin.startswith("torch."):
        given = node.args[0] if node.args else argument(node, "input")
        return Softened(name, node, given, constant(argument(node, "dim", 1)))
    if isinstance(node.func, ast.Attribute) and (dotted(node.func.value) or "") not in ("self", "cls") and not origin:
        dimension = argument(node, "dim", 0)
        if isinstance(constant(dimension), int):  # a method of a tensor
            return Softened(name, node, node.func.value, constant(dimension))
    return None


def _by_module(file: SemanticModel, node: ast.Call, block: Block, depth: int) -> Softened | None:
    """The softmax with which a module ends that is called: a `Softmax`, a `Sequential`, a class of the file."""
    builder = _built_by(file, node.func, block)
    ending = _ending(file, *builder) if builder is not None else None
    return ending if ending is not None else _returned(file, node, block, depth, ())


def _returned(file: SemanticModel, node: ast.expr, block: Block, depth: int, path: tuple[int, ...]) -> Softened | None:
    """The softmax behind what the `forward` of a class of the file returns, or behind one element of it."""
    cls = file.graph.instance_class(node.func, block) if isinstance(node, ast.Call) else None
    forward = file.graph.method(cls, "forward") if isinstance(cls, Class) else None
    found = []
    for place in forward.returns if forward is not None else ():
        value = place.node.value if isinstance(place.node, ast.Return) else None
        for index in path:
            value = value.elts[index] if isinstance(value, ast.Tuple) and 0 <= index < len(value.elts) else None
        found.append(_softened(file, value, place.block, depth - 1) if value is not None else None)
    return found[0] if found and all(item is not None for item in found) else None


def _built_by(file: SemanticModel, called: ast.expr, block: Block) -> tuple[ast.Call, Block] | None:
    """The call that builds what is called: a constructor by an imported name, behind one name or attribute."""
    if isinstance(called, ast.Call):
        return called, block
    bindings = []
    if isinstance(called, ast.Name):
        bindings = reaching(called.id, block, position(called))
    elif isinstance(called, ast.Attribute) and isinstance(called.value, ast.Name):
        owner = file.graph.self_class(called.value, block)
        bindings = owner.attributes.get(called.attr, []) if owner is not None else []
    if len(bindings) != 1 or bindings[0].how is not How.ASSIGN or bindings[0].path:
        return None
    value = bindings[0].value
    while isinstance(value, ast.Call) and isinstance(value.func, ast.Attribute) and value.func.attr in _SHAPING:
        value = value.func.value
    return (value, bindings[0].block) if isinstance(value, ast.Call) else None


def _ending(file: SemanticModel, built: ast.Call, block: Block) -> Softened | None:
    name = last_name(built.func)
    origin = file.kinds.imported(built.func, block) or ""
    if not origin.startswith("torch.nn"):
        return None
    if name in _MODULES:
        return Softened(_MODULES[name], built, None, constant(argument(built, "dim", 0)))
    if name == "Sequential" and built.args and not isinstance(built.args[-1], ast.Starred):
        last = built.args[-1]
        return _ending(file, last, block) if isinstance(last, ast.Call) else None
    return None


def loss_given(call: Place) -> ast.expr | None:
    """What a loss function is called with as predictions."""
    return argument(call.node, "input", 0) if isinstance(call.node, ast.Call) else None
