"""Loops over the parameters of a model: an optimizer, a clipping or an average written by hand."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from typing import NamedTuple

from trainlint.analysis.syntax.blocks import Block, BlockKind, How
from trainlint.analysis.syntax.names import constant, last_name, nodes_in, position
from trainlint.analysis.syntax.outline import Outline
from trainlint.analysis.syntax.reaching import reaching
from trainlint.analysis.tables.iterables import passes_items_through
from trainlint.patterns import lazy

_LISTS = frozenset({"parameters", "named_parameters", "trainable_parameters", "get_trainable_parameters"})
_STATES = frozenset({"state_dict"})
_OF_DICTS = frozenset({"values", "items", "keys", "dict", "OrderedDict"})
_NAMED = lazy(r"(^|_)(params|parameters)$", re.IGNORECASE)
_FOLLOWED = 3
"""How many names are followed from the loop to the list of parameters."""


class ParameterLoop(NamedTuple):
    """A `for`, or a comprehension, that runs once for each parameter."""

    block: Block
    """The block of its body."""
    iterated: ast.expr
    names: frozenset[str]
    """The names that hold a parameter, or its name, in the body."""
    of_states: bool
    """Whether entries of a state dict are iterated, which include buffers."""
    by_name: bool = False
    """Whether only a name says that these are parameters, as in `for target in target_params`."""
    paired: bool = False
    """Whether `zip` pairs two lists of parameters."""

    @property
    def body(self) -> list[ast.AST]:
        """The statements of a `for`, or the element of a comprehension."""
        if isinstance(self.block.node, ast.For):
            return [*self.block.node.body]
        match self.block.scope.node:
            case ast.ListComp(elt=element) | ast.SetComp(elt=element) | ast.GeneratorExp(elt=element):
                return [element]
        return []


def parameter_loop(outline: Outline, block: Block, *, by_name: bool = False) -> ParameterLoop | None:
    """The innermost loop around a block, if it runs over parameters, gradients or a state dict; else None.

    `model.parameters()` and `named_parameters()`, `group["params"]`, `state_dict().items()`, what `zip`, `list`,
    `dict` or `enumerate` make of them, and names that are bound to any of these in the same function. With `by_name`
    also what a function is given, or an object holds, under a name such as `target_params`.
    """
    loop = next((item for item in block.outwards() if item.kind in (BlockKind.LOOP, BlockKind.FUNCTION)), None)
    if loop is None or not isinstance(loop.node, ast.For | ast.comprehension):
        return None
    around = loop.parent or loop
    iterated = loop.node.iter
    names = frozenset(part.id for part in nodes_in(loop.node.target) if isinstance(part, ast.Name))
    if _holds(outline, iterated, around, _LISTS | _STATES, _FOLLOWED):
        plain = _holds(outline, iterated, around, _LISTS, _FOLLOWED)
        paired = _is_pair(outline, iterated, around, by_name=by_name)
        return ParameterLoop(loop, iterated, names, of_states=not plain, paired=paired)
    if by_name and _is_named_so(iterated, around, _FOLLOWED):
        paired = _is_pair(outline, iterated, around, by_name=True)
        return ParameterLoop(loop, iterated, names, of_states=False, by_name=True, paired=paired)
    return None


def _is_pair(outline: Outline, node: ast.expr, block: Block, *, by_name: bool) -> bool:
    """Whether this is `zip(a, b)` of two lists of parameters."""
    if not isinstance(node, ast.Call) or last_name(node.func) != "zip":
        return False
    lists = [
        _holds(outline, part, block, _LISTS, _FOLLOWED) or (by_name and _is_named_so(part, block, _FOLLOWED))
        for part in node.args
    ]
    return len(lists) > 1 and all(lists)


def _holds(outline: Outline, node: ast.expr, block: Block, methods: frozenset[str], depth: int) -> bool:
    """Whether an expression is a list of parameters, or a pairing with one."""
    match node:
        case ast.Call():
            name = last_name(node.func)
            if name in methods:
                return True
            parts = list(node.args) if _hands_on(name) else []
            if isinstance(node.func, ast.Attribute) and _hands_on(name):
                parts.append(node.func.value)
            return any(_holds(outline, part, block, methods, depth) for part in parts)
        case ast.Subscript():
            return constant(node.slice) == "params"
        case ast.ListComp() | ast.GeneratorExp():
            first = node.generators[0]
            same = isinstance(node.elt, ast.Name | ast.Attribute | ast.Tuple)  # the parameters, or their gradients
            return same and _holds(outline, first.iter, block, methods, depth)
        case ast.Name() if depth:
            if any(_holds(outline, value, block, methods, depth - 1) for value in _bound(node, block)):
                return True
            return _is_filled_with_parameters(outline, node, block, methods, depth - 1)
    return False


def _is_filled_with_parameters(
    outline: Outline, node: ast.Name, block: Block, methods: frozenset[str], depth: int
) -> bool:
    """Whether a loop over parameters appends each of them to a list: `for p in group["params"]: kept.append(p)`."""
    scope = block.scope.owner(node.id)
    for place in outline.fillings.get(node.id, ())[:_FOLLOWED]:
        match place.node:
            case ast.Call(func=ast.Attribute(attr="append"), args=[ast.Name(id=name)]):
                loop = next((item for item in place.block.outwards() if item.kind is BlockKind.LOOP), None)
                if loop is None or not isinstance(loop.node, ast.For) or place.block.scope.owner(node.id) is not scope:
                    continue
                bound = any(isinstance(part, ast.Name) and part.id == name for part in nodes_in(loop.node.target))
                if bound and _holds(outline, loop.node.iter, loop.parent or loop, methods, depth):
                    return True
    return False


def _is_named_so(node: ast.expr, block: Block, depth: int) -> bool:
    """Whether something is called a list of parameters, and nothing in the function says what it is.

    A list may be made of such a list under the same name: `params = [p for p in params if p.requires_grad]`.
    """
    match node:
        case ast.Call(func=ast.Name() | ast.Attribute()) if _hands_on(last_name(node.func)):
            parts = [*node.args, *([node.func.value] if isinstance(node.func, ast.Attribute) else [])]
            return any(_is_named_so(part, block, depth) for part in parts)
        case ast.ListComp(elt=ast.Name(), generators=[first]):
            return _is_named_so(first.iter, block, depth)
        case ast.Attribute():
            return bool(_NAMED.search(node.attr))
        case ast.Name() if depth and _NAMED.search(node.id):
            return all(
                item.how is How.PARAMETER
                or (
                    item.how is How.ASSIGN
                    and item.value is not None
                    and not item.path
                    and _is_one_in_list_or_named(item.value, node.id, item.block, depth - 1)
                )
                for item in reaching(node.id, block, position(node))
            )
    return False


def _is_one_in_list_or_named(node: ast.expr, name: str, block: Block, depth: int) -> bool:
    """Whether a name is bound to itself in a list, as in `params = [params]`, or to a list that is named so."""
    match node:
        case ast.List(elts=[ast.Name(id=inner)]) if inner == name:
            return True
    return _is_named_so(node, block, depth)


def _hands_on(name: str) -> bool:
    """Whether a call hands on the parameters, or a dict of them, that it is given or is a method of."""
    return name in _OF_DICTS or passes_items_through(name)


def _bound(name: ast.Name, block: Block) -> Iterator[ast.expr]:
    """What a name may have been assigned, in the order of the text."""
    for binding in reaching(name.id, block, position(name)):
        if binding.how is How.ASSIGN and binding.value is not None and not binding.path:
            yield binding.value
