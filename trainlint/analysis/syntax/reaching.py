"""From a use of a name to the bindings that can reach it, by order and nesting."""

from __future__ import annotations

import ast
from bisect import bisect_right
from operator import attrgetter

from trainlint.analysis.syntax.blocks import Binding, Block, BlockKind, How, Position, Scope, outside_with
from trainlint.analysis.syntax.names import position

_POSITION = attrgetter("position")
_MOST = 500
"""How many bindings before a use, and after it in a loop, are looked at; of generated code, the nearest do."""
_OF_THEIR_OWN = (ast.FunctionDef, ast.AsyncFunctionDef, ast.Lambda, ast.ClassDef)


def reaching(name: str, block: Block, at: Position) -> list[Binding]:
    """The bindings of `name` that a use at `at`, inside `block`, may see; empty for an unknown or built-in name.

    Within one scope: back to the nearest earlier binding that surely ran, or to an `if` that binds the name in each
    branch, and, inside a loop, also later ones of that loop. From an inner scope all bindings of the outer scope count,
    since the order is unknown.
    """
    own = scope = block.scope
    bindings = own.bindings.get(name)
    if bindings is None:
        owner = own.owner(name)
        if owner is None:
            return []
        scope, bindings = owner, owner.bindings[name]
        if not _is_comprehension_of(own, scope):
            return bindings
    if len(bindings) == 1 and bindings[0].position <= at:
        return bindings  # nine names of ten
    return _around_use(bindings, block, at, in_order=name not in scope.disordered)


def _around_use(bindings: list[Binding], block: Block, at: Position, *, in_order: bool) -> list[Binding]:
    """Of several bindings in one scope, those that a use may see."""
    if in_order:
        split = bisect_right(bindings, at, key=_POSITION)
    else:
        earlier = [binding for binding in bindings if binding.position <= at]
        later = [binding for binding in bindings if binding.position > at]
        bindings, split = [*earlier, *later], len(earlier)
    found: list[Binding] = []
    settled: Binding | None = None
    branches: dict[ast.AST, Block] = {}
    for number in range(split - 1, max(split - _MOST, 0) - 1, -1):
        binding = bindings[number]
        found.append(binding)
        if binding.how is not How.AUGMENT:
            if block.within(outside_with(binding.block)) or _is_in_each_branch(binding.block, block, branches):
                settled = binding
                break
    loop = _outermost_loop_inside(block, settled.block if settled else None) if split < len(bindings) else None
    if loop is not None:
        found += [binding for binding in bindings[split : split + _MOST] if binding.block.within(loop)]
    return found


def _is_in_each_branch(bound: Block, block: Block, branches: dict[ast.AST, Block]) -> bool:
    """Whether each branch of an `if` before `block` binds the name, now that it is known to be bound in `bound`.

    `branches` are the `if` statements one of whose branches is known to bind it.
    """
    at = outside_with(bound)
    while at.kind is BlockKind.BRANCH and type(at.node) is ast.If and not at.after_exit and at.parent is not None:
        if branches.setdefault(at.node, at).negated is at.negated:
            return False
        at = outside_with(at.parent)
        if block.within(at):
            return True
    return False


def _is_comprehension_of(inner: Scope, outer: Scope) -> bool:
    while inner is not outer:
        if inner.parent is None or isinstance(inner.node, _OF_THEIR_OWN):
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
