"""Layers that run one right after the other: in a list of layers, or call by call in a forward."""

from __future__ import annotations

import ast
from itertools import pairwise
from typing import TYPE_CHECKING

from trainlint.analysis.syntax.blocks import Block, BlockKind, Class, Function, How, Place
from trainlint.analysis.syntax.memo import once
from trainlint.analysis.syntax.names import dotted, nodes_in

if TYPE_CHECKING:
    from trainlint.analysis.semantic_model import SemanticModel


def layer_before(file: SemanticModel, layer: Place) -> ast.Call | None:
    """The call that builds the layer whose output goes straight, and nowhere else, into the one built at a place.

    Both stand side by side in one call or list, as in `nn.Sequential(conv, norm)`, or are attributes of one class
    that its forward applies to each other, as in `self.norm(self.conv(x))`. None where that is not seen each time.
    """
    assert isinstance(layer.node, ast.Call)
    beside = _neighbours(file, layer.statement).get(layer.node)
    if beside is not None:
        return beside
    attribute = _attribute(layer)
    owner = _owner(file, layer.block)
    if attribute is None or owner is None:
        return None
    before = {name for method in owner.methods.values() for name in _applied_before(method, attribute)}
    if len(before) != 1:
        return None
    name = before.pop()
    return _built_as(owner, name) if name is not None and _runs_once(owner, name) else None


@once
def _neighbours(file: SemanticModel, statement: ast.stmt) -> dict[ast.expr, ast.Call]:
    """For each item of a list or argument of a sequence in a statement, the call that stands right before it."""
    found: dict[ast.expr, ast.Call] = {}
    for node in nodes_in(statement):
        items = node.elts if isinstance(node, ast.List | ast.Tuple) else []
        if isinstance(node, ast.Call) and "equential" in (dotted(node.func) or ""):
            items = node.args
        found |= {item: before for before, item in pairwise(items) if isinstance(before, ast.Call)}
    return found


def _attribute(layer: Place) -> str | None:
    statement = layer.statement
    if not isinstance(statement, ast.Assign) or statement.value is not layer.node or len(statement.targets) != 1:
        return None
    target = statement.targets[0]
    return target.attr if isinstance(target, ast.Attribute) and dotted(target) == f"self.{target.attr}" else None


def _owner(file: SemanticModel, block: Block) -> Class | None:
    function = file.graph.enclosing(block)
    return function.owner if function is not None else None


def _applied_before(method: Function, attribute: str) -> set[str | None]:
    """The attributes whose output a method gives to one, each time it does so; None among them for other inputs."""
    found: set[str | None] = set()
    for call in _calls_of(method.node, attribute):
        given = call.args[0] if len(call.args) == 1 else None
        if isinstance(given, ast.Name):
            given = _assigned_right_before(method.node, call, given.id)
        found.add(_called_attribute(given))
    return found


def _calls_of(node: ast.AST, attribute: str) -> list[ast.Call]:
    return [part for part in nodes_in(node) if isinstance(part, ast.Call) and dotted(part.func) == f"self.{attribute}"]


def _assigned_right_before(method: ast.AST, call: ast.Call, name: str) -> ast.expr | None:
    """What a name was assigned by the statement right above that of the call."""
    for node in nodes_in(method):
        for _, body in ast.iter_fields(node):
            if not isinstance(body, list):
                continue
            for above, statement in pairwise(body):
                if isinstance(statement, ast.stmt) and any(part is call for part in nodes_in(statement)):
                    if isinstance(above, ast.Assign) and [dotted(item) for item in above.targets] == [name]:
                        return above.value
    return None


def _called_attribute(node: ast.expr | None) -> str | None:
    if isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute) and dotted(node.func.value) == "self":
        return node.func.attr
    return None


def _runs_once(owner: Class, attribute: str) -> bool:
    """Whether the class applies a layer at one place only, so that its output goes nowhere else."""
    return sum(len(_calls_of(method.node, attribute)) for method in owner.methods.values()) == 1


def _built_as(owner: Class, attribute: str) -> ast.Call | None:
    bindings = owner.attributes.get(attribute, [])
    values = [item.value for item in bindings if item.how is How.ASSIGN and not item.path]
    value = values[0] if len(values) == len(bindings) == 1 else None
    function = bindings[0].block if bindings else None
    surely = function is not None and function.kind is BlockKind.FUNCTION
    return value if isinstance(value, ast.Call) and surely else None
