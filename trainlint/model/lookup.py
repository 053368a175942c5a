"""From a use of a name to the bindings that can reach it, by order and nesting."""

from __future__ import annotations

import ast

from trainlint.model.blocks import Binding, Block, BlockKind, How, Position, Scope
from trainlint.model.names import position


def reaching(name: str, block: Block, at: Position) -> list[Binding]:
    """The bindings of `name` that a use at `at`, inside `block`, may see; empty for an unknown or built-in name.

    Within one scope: back to the nearest earlier binding that surely ran, and, inside a loop, also later ones
    of that loop. From an inner scope all bindings of the outer scope count, since the order is unknown.
    """
    scope = block.scope.owner(name)
    if scope is None:
        return []
    bindings = scope.bindings[name]
    if scope is not block.scope and not _is_comprehension_of(block.scope, scope):
        return bindings
    found: list[Binding] = []
    settled: Binding | None = None
    for binding in reversed(bindings):
        if binding.position > at:
            continue
        found.append(binding)
        if binding.how is not How.AUGMENT and block.within(_settled(binding.block)):
            settled = binding
            break
    loop = _outermost_loop_inside(block, settled.block if settled else None)
    if loop is not None:
        found.extend(binding for binding in bindings if binding.position > at and binding.block.within(loop))
    return found


def _settled(block: Block) -> Block:
    """The block that surely runs whatever stands in a block: a `with` decides nothing."""
    while block.kind is BlockKind.WITH and block.parent is not None:
        block = block.parent
    return block


def _is_comprehension_of(inner: Scope, outer: Scope) -> bool:
    while inner is not outer:
        if (
            isinstance(inner.node, ast.FunctionDef | ast.AsyncFunctionDef | ast.Lambda | ast.ClassDef)
            or inner.parent is None
        ):
            return False
        inner = inner.parent
    return True


def _outermost_loop_inside(block: Block, limit: Block | None) -> Block | None:
    """The outermost loop around `block` that does not also contain `limit`, in the same function."""
    found = None
    current: Block | None = block
    while current is not None and current.kind not in (BlockKind.FUNCTION, BlockKind.MODULE):
        if current.kind is BlockKind.LOOP and not isinstance(current.node, ast.comprehension):
            if limit is not None and limit.within(current):
                break
            found = current
        current = current.parent
    return found


def single_value(node: ast.AST, block: Block) -> ast.expr | None:
    """What a plain name was assigned, where exactly one whole assignment reaches it; None otherwise."""
    if not isinstance(node, ast.Name):
        return None
    found = reaching(node.id, block, position(node))
    if len(found) == 1 and found[0].how is How.ASSIGN and not found[0].path:
        return found[0].value
    return None
