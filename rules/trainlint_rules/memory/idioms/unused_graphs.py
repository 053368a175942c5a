"""Whether anything uses the graph that a forward records: its results are followed to where they are cut off.

Unlike `backward`, which asks by names whether a backward may go through a value, this asks for proof that none can:
every use of every name that holds the value counts, and a use that is not understood counts against.
"""

from __future__ import annotations

import ast
from collections.abc import Iterable
from typing import TYPE_CHECKING

from trainlint.analysis.programs.evaluation import results_of
from trainlint.analysis.syntax.blocks import Binding, Block, How, Place, Position
from trainlint.analysis.syntax.names import last_name, nodes_in, position
from trainlint.analysis.syntax.reaching import reaching
from trainlint.analysis.syntax.uses import loads
from trainlint.analysis.types.backward import LEAVES, carries_graph, held_by
from trainlint.patterns import lazy

if TYPE_CHECKING:
    from trainlint.analysis.semantic_model import SemanticModel

_SHOWING = lazy(
    r"^(imshow|imsave|imwrite|savefig|save_image\w*|plot\w*|hist|scatter|show|write\w*|"
    r"add_(scalars?|images?|histogram|figure|text|video|audio))$"
)
"""What is handed to these is looked at and never trained."""
_FILLING = frozenset({"append", "extend", "appendleft", "add"})
_WITH_INDICES = frozenset({"max", "min", "topk", "sort", "median", "kthvalue", "mode"})
"""Functions that return values and, second, whole numbers, which carry no graph."""

_Comprehension = ast.ListComp | ast.SetComp | ast.GeneratorExp | ast.DictComp
_Held = tuple[str, ast.stmt | None]
"""A name, and the statement that stored the value in it; None where it was put into what the name held before."""


def graph_is_unused(file: SemanticModel, place: Place) -> bool:
    """Whether every use of a forward's results cuts them off from their graph, so that no backward can need it."""
    function = file.graph.enclosing(place.block)
    root = function.node if function is not None else file.tree
    waiting: list[_Held] = [(name, place.statement) for name in results_of(place)]
    seen: set[_Held] = set()
    while waiting:
        held = waiting.pop()
        name, stored = held
        if held in seen:
            continue
        seen.add(held)
        if name == LEAVES or "." in name or not _is_local(place.block, name, root):
            return False
        for node, statement in loads(root, name):
            block = file.outline.block_of.get(statement)
            if block is None or not _may_read_store(name, stored, node, block):
                continue
            further = _passed_on(statement, node)
            if further is None:
                return False
            waiting += further
    return True


def _is_local(block: Block, name: str, root: ast.AST) -> bool:
    scope = block.scope.owner(name)
    return scope is not None and (scope.node is root or not isinstance(scope.node, ast.Module))


def _may_read_store(name: str, stored: ast.stmt | None, node: ast.Name, block: Block) -> bool:
    """Whether a use of a name may see what a statement stored in it."""
    if stored is None:
        return True
    bindings = reaching(name, block, position(node))
    return any(item.node is stored and not _is_replaced(item, bindings, position(node)) for item in bindings)


def _is_replaced(binding: Binding, others: Iterable[Binding], at: Position) -> bool:
    """Whether another binding, after this one in the same run of statements, comes before the use."""
    return any(
        other.block is binding.block
        and other.how is not How.AUGMENT
        and other.position > binding.position
        and not binding.position <= at < other.position
        for other in others
    )


def _passed_on(statement: ast.stmt, node: ast.Name) -> list[_Held] | None:
    """Where a statement puts a value with its graph; empty where it cuts it off, None where it is lost from sight."""
    match statement:
        case ast.Assign(value=value, targets=targets):
            return _stored(targets, value, node, statement)
        case ast.AnnAssign(target=target, value=ast.expr() as value) | ast.AugAssign(target=target, value=value):
            return _stored([target], value, node, statement)
        case ast.For(target=target, iter=value) | ast.AsyncFor(target=target, iter=value):
            return _stored([target], value, node, statement)
        case ast.Expr(value=ast.Call() as call) if _carries(call, node):
            if _SHOWING.match(last_name(call.func)):
                return []
            if isinstance(call.func, ast.Attribute) and call.func.attr in _FILLING:
                return _named(held_by(call.func.value), None)
            return None
        case ast.If(test=value) | ast.While(test=value) | ast.Assert(test=value):
            return [] if any(part is node for part in nodes_in(value)) else None
        case ast.Expr(value=value) if not isinstance(value, ast.Yield | ast.YieldFrom | ast.Await):
            return []
        case ast.Delete():
            return []
        case ast.Return(value=ast.expr() as value):
            return None if _carries(value, node) else []
        case _:
            return None


def _stored(targets: Iterable[ast.expr], value: ast.expr, node: ast.Name, statement: ast.stmt) -> list[_Held] | None:
    if not _carries(value, node):
        return []
    found: list[_Held] = []
    for target in targets:
        if isinstance(target, ast.Tuple) and len(target.elts) == 2 and _gives_indices(value):
            target = target.elts[0]
        more = _named(held_by(target), statement if not isinstance(target, ast.Subscript) else None)
        if more is None:
            return None
        found += more
    return found


def _gives_indices(value: ast.expr) -> bool:
    return isinstance(value, ast.Call) and last_name(value.func) in _WITH_INDICES


def _named(names: Iterable[str], statement: ast.stmt | None) -> list[_Held] | None:
    found = list(names)
    return None if LEAVES in found else [(name, statement) for name in found]


def _carries(value: ast.expr, node: ast.Name) -> bool:
    """Whether the graph of a part is part of the whole, also through what a comprehension makes of each element."""
    if any(carries_graph(value, item) for item in _chain(value, node)):
        return True
    for part in nodes_in(value):
        if isinstance(part, ast.Lambda) and any(inner is node for inner in nodes_in(part)):
            return True
        if isinstance(part, _Comprehension) and carries_graph(value, part) and _keeps_elements(part, node):
            return True
    return False


def _chain(value: ast.expr, node: ast.Name) -> list[ast.expr]:
    """A name and the attributes that are taken of it, as `outputs` and `outputs.loss`."""
    found: list[ast.expr] = [node]
    for part in reversed([part for part in nodes_in(value) if isinstance(part, ast.Attribute)]):
        if part.value is found[-1]:
            found.append(part)
    return found


def _keeps_elements(comprehension: _Comprehension, node: ast.Name) -> bool:
    made = comprehension.value if isinstance(comprehension, ast.DictComp) else comprehension.elt
    names: set[str] = set()
    for item in comprehension.generators:
        if any(carries_graph(item.iter, part) for part in _chain(item.iter, node)):
            names.update(held_by(item.target))
    kept = (part for part in nodes_in(made) if isinstance(part, ast.Name) and part.id in names)
    return any(carries_graph(made, item) for part in kept for item in _chain(made, part))
