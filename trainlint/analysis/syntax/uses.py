"""All uses of a name in its scope."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from functools import lru_cache
from typing import TYPE_CHECKING

from trainlint.analysis.syntax.blocks import Block, How, Place
from trainlint.analysis.syntax.memo import once
from trainlint.analysis.syntax.names import children, nodes_in

if TYPE_CHECKING:
    from trainlint.analysis.semantic_model import SemanticModel


def loads(root: ast.AST, name: str) -> Iterator[tuple[ast.Name, ast.stmt]]:
    """Each load of a name below a function or module, with the smallest statement that holds it."""
    yield from _loads(root).get(name, ())


@lru_cache(maxsize=4)  # many values of the same function are followed, one after the other
def _loads(root: ast.AST) -> dict[str, list[tuple[ast.Name, ast.stmt]]]:
    found: dict[str, list[tuple[ast.Name, ast.stmt]]] = {}
    for statement in nodes_in(root):
        if isinstance(statement, ast.stmt) and statement is not root:
            for node in own_nodes(statement):
                if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Load):
                    found.setdefault(node.id, []).append((node, statement))
    return found


def mentions(root: ast.AST, name: str) -> Iterator[ast.Name]:
    """Each load, store and deletion of a name below a function or module, scopes inside it included."""
    for node in nodes_in(root):
        if isinstance(node, ast.Name) and node.id == name:
            yield node


def call_of(file: SemanticModel, reference: ast.AST) -> Place | None:
    """The call whose function a reference is, as in `reference(...)`; None where it is not called at this place."""
    return _calls(file).get(reference)


@once
def _calls(file: SemanticModel) -> dict[ast.AST, Place]:
    """The file's calls by what they call."""
    return {place.node.func: place for place in file.outline.all_calls() if isinstance(place.node, ast.Call)}


def assigned_target(statement: ast.AST | None, value: ast.AST) -> ast.expr | None:
    """What a statement assigns an expression to: `x` for `f()` in `x = f()`; None for parts and several targets."""
    if isinstance(statement, ast.Assign) and statement.value is value and len(statement.targets) == 1:
        return statement.targets[0]
    return None


def own_nodes(statement: ast.stmt) -> Iterator[ast.AST]:
    """The nodes of a statement that belong to no statement inside it, but for operators and contexts."""
    stack = [child for child in children(statement) if not isinstance(child, ast.stmt)]
    while stack:
        node = stack.pop()
        yield node
        stack += [child for child in children(node) if not isinstance(child, ast.stmt)]


def enclosing_nodes(file: SemanticModel, node: ast.AST, statement: ast.stmt) -> Iterator[ast.AST]:
    """The nodes that hold one of a statement's own nodes, innermost first, the statement last."""
    parents = _parents(file, statement)
    while node in parents:
        node = parents[node]
        yield node


@once
def _parents(file: SemanticModel, statement: ast.stmt) -> dict[ast.AST, ast.AST]:
    """What each of a statement's own nodes is a part of."""
    nodes = (statement, *own_nodes(statement))
    return {child: node for node in nodes for child in children(node) if not isinstance(child, ast.stmt)}


def reads_of_sum(file: SemanticModel, block: Block, name: str) -> list[ast.Name] | None:
    """Where a running sum is read, if it starts as a literal number and is read nowhere in the step; None otherwise."""
    scope = block.scope.owner(name)
    if scope is None or name in scope.foreign:
        return None
    bindings = scope.bindings[name]
    starts = [item for item in bindings if item.how is How.ASSIGN]
    sums = [item for item in bindings if item.how is How.AUGMENT]
    if len(starts) + len(sums) != len(bindings) or len(sums) != 1 or not starts:
        return None
    if not all(isinstance(item.value, ast.Constant) and isinstance(item.value.value, int | float) for item in starts):
        return None
    found: list[ast.Name] = []
    for node, statement in loads(scope.node, name):
        if file.heats.of(file.outline.block_of[statement]).heat.in_step:
            return None
        found.append(node)
    return sorted(found, key=lambda node: (node.lineno, node.col_offset))
