"""Where a module that is built here, and held by one name, is called."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from trainlint.analysis.semantic_model import SemanticModel
from trainlint.analysis.syntax.blocks import Place
from trainlint.analysis.syntax.names import dotted, last_name, nodes_in

_MOVING = frozenset({"to", "cuda", "float", "half", "bfloat16", "train", "eval"})


def calls_of(file: SemanticModel, built: Place) -> Iterator[Place]:
    """The calls of what a call builds: where its name, or its attribute of an object, is given no other value.

    `criterion = nn.CrossEntropyLoss().cuda()` and `self.attention = nn.MultiheadAttention(8, 2)` are followed within
    the scope and the class, and `nn.CrossEntropyLoss()(x, y)` itself.
    """
    assert isinstance(built.node, ast.Call)
    node, statement = _moved(built), built.statement
    yield from (place for place in file.outline.calls.get(last_name(node), ()) if _function(place) is node)
    if not isinstance(statement, ast.Assign) or statement.value is not node or len(statement.targets) != 1:
        return
    target = statement.targets[0]
    if isinstance(target, ast.Name):
        scope = built.block.scope.owner(target.id)
        if scope is None or len(scope.bindings[target.id]) != 1:
            return
        for place in file.outline.calls.get(target.id, ()):
            if isinstance(_function(place), ast.Name) and place.block.scope.owner(target.id) is scope:
                yield place
    elif isinstance(target, ast.Attribute):
        builder = file.graph.enclosing(built.block)
        owner = builder.owner if builder is not None else None
        if owner is None or dotted(target) != f"self.{target.attr}" or len(owner.attributes.get(target.attr, ())) != 1:
            return
        for place in file.outline.calls.get(target.attr, ()):
            caller = file.graph.enclosing(place.block)
            function = _function(place)
            if caller is not None and caller.owner is owner and function is not None:
                if dotted(function) == dotted(target):
                    yield place


def _function(place: Place) -> ast.expr | None:
    return place.node.func if isinstance(place.node, ast.Call) else None


def _moved(built: Place) -> ast.AST:
    """The expression around a call of a constructor that only moves or casts what it builds."""
    node = built.node
    for part in nodes_in(built.statement):
        if isinstance(part, ast.Call) and isinstance(part.func, ast.Attribute) and part.func.attr in _MOVING:
            inner: ast.expr = part
            while isinstance(inner, ast.Call) and isinstance(inner.func, ast.Attribute) and inner.func.attr in _MOVING:
                inner = inner.func.value
            if inner is built.node:
                return part
    return node
