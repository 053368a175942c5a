"""Where a module that is built here, and held by one name, is called."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from trainlint.analysis.semantic_model import SemanticModel
from trainlint.analysis.site import Site
from trainlint.analysis.syntax.blocks import Block, Place
from trainlint.analysis.syntax.names import dotted, last_name, nodes_in
from trainlint.analysis.syntax.uses import assigned_target
from trainlint.analysis.tables.module_methods import RETURN_SELF

CROSS_ENTROPY = ("torch.nn.*.cross_entropy", "torch.nn.*.CrossEntropyLoss")
"""For `on` of a rule; see `losses_at`."""


def calls_of(file: SemanticModel, built: Place) -> Iterator[Place]:
    """The calls of what a call builds: where its name, or its attribute of an object, is given no other value.

    `criterion = nn.CrossEntropyLoss().cuda()` and `self.attention = nn.MultiheadAttention(8, 2)` are followed within
    the scope and the class, and `nn.CrossEntropyLoss()(x, y)` itself.
    """
    assert isinstance(built.node, ast.Call)
    node = _outermost_move(built)
    yield from (place for place in file.outline.calls.get(last_name(node), ()) if _function(place) is node)
    target = assigned_target(built.statement, node)
    if isinstance(target, ast.Name):
        yield from _calls_of_name(file, target.id, built.block)
    elif isinstance(target, ast.Attribute):
        yield from _calls_of_attribute(file, target, built.block)


def losses_at(site: Site) -> Iterator[Site]:
    """The calls of a cross-entropy: the site's own, or those of the loss that it builds."""
    builds = last_name(site.call.func) == "CrossEntropyLoss"
    for place in calls_of(site.file, site.place) if builds else [site.place]:
        yield Site(site.file, place)


def _calls_of_name(file: SemanticModel, name: str, block: Block) -> Iterator[Place]:
    scope = block.scope.owner(name)
    if scope is None or len(scope.bindings[name]) != 1:
        return
    for place in file.outline.calls.get(name, ()):
        if isinstance(_function(place), ast.Name) and place.block.scope.owner(name) is scope:
            yield place


def _calls_of_attribute(file: SemanticModel, target: ast.Attribute, block: Block) -> Iterator[Place]:
    owner, path = file.graph.owner(block), f"self.{target.attr}"
    if owner is None or dotted(target) != path or len(owner.attributes.get(target.attr, ())) != 1:
        return
    for place in file.outline.calls.get(target.attr, ()):
        function = _function(place)
        if function is not None and dotted(function) == path and file.graph.owner(place.block) is owner:
            yield place


def _function(place: Place) -> ast.expr | None:
    return place.node.func if isinstance(place.node, ast.Call) else None


def _outermost_move(built: Place) -> ast.AST:
    """The expression around a call of a constructor that only moves or casts what it builds."""
    node = built.node
    for part in nodes_in(built.statement):
        if isinstance(part, ast.Call) and isinstance(part.func, ast.Attribute) and part.func.attr in RETURN_SELF:
            inner: ast.expr = part
            while (
                isinstance(inner, ast.Call) and isinstance(inner.func, ast.Attribute) and inner.func.attr in RETURN_SELF
            ):
                inner = inner.func.value
            if inner is built.node:
                return part
    return node
