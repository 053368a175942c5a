"""What a file's own generators and iterator classes yield."""

from __future__ import annotations

import ast
from typing import TYPE_CHECKING

from trainlint.analysis.syntax.blocks import Block, Class, Function
from trainlint.analysis.types.access_paths import Start
from trainlint.analysis.types.values import UNKNOWN, Kind, Origin, Value, limited_depth, merge

if TYPE_CHECKING:
    from trainlint.analysis.types.inference import Kinds

_NO_ITERATORS = ("contextmanager", "asynccontextmanager", "fixture")
"""Decorators that make something else of a generator."""
_DEEPEST = 3
"""Containers in containers of what is yielded: one more than of results, as pairs of a list and a number are common."""


def made_by_generator(kinds: Kinds, function: Function) -> Value:
    """What a call of a generator gives."""
    if any(map(function.is_decorated, _NO_ITERATORS)):
        return UNKNOWN
    return iterating(kinds.yielded(function))


def iterating(item: Value) -> Value:
    """Something that yields such items one by one; UNKNOWN where nothing is known of them."""
    if holds_batch(item):
        return Value(Kind.LOADER, element=item)
    known = item.kind is not Kind.UNKNOWN or any(each.start is not Start.NAME for each in item.access_paths)
    return Value(Kind.CONTAINER, element=item) if known else UNKNOWN


def holds_batch(item: Value, depth: int = _DEEPEST) -> bool:
    """Whether a value is a batch, or holds one."""
    if item.is_tensor:
        return item.origin is Origin.BATCH
    if item.kind is not Kind.CONTAINER or depth == 0:
        return False
    parts = item.items or ((item.element,) if item.element is not None else ())
    return any(holds_batch(part, depth - 1) for part in parts)


def yielded_by(kinds: Kinds, function: Function) -> Value:
    """What a generator yields, by all its `yield` and `yield from`."""
    found = []
    for place in function.yields:
        node = place.node
        if isinstance(node, ast.Yield) and node.value is not None:
            found.append(kinds.of(node.value, place.block))
        elif isinstance(node, ast.YieldFrom):
            found.append(kinds.iterated(node.value, place.block))
    return limited_depth(merge(found), _DEEPEST)


def yielded_by_object(kinds: Kinds, cls: Class) -> Value:
    """What iterating an object of a class of the file gives: by its `__iter__`, or by its own `__next__`."""
    method = cls.methods.get("__iter__")
    if method is None:
        return UNKNOWN
    if method.yields:
        return kinds.yielded(method)
    follows = cls.methods.get("__next__")
    returned = [place.node.value for place in method.returns if isinstance(place.node, ast.Return)]
    if follows is not None and any(isinstance(item, ast.Name) and _is_self(kinds, item, method) for item in returned):
        return kinds.returned(follows)
    items = [kinds.iterated(item, method.body) for item in returned if item is not None]
    return merge(items)


def _is_self(kinds: Kinds, node: ast.Name, method: Function) -> bool:
    return kinds.graph.self_class(node, method.body) is method.owner


def iterated_object(kinds: Kinds, node: ast.expr, block: Block) -> Value:
    """What iterating an expression gives that is an object of a class of the file; else UNKNOWN."""
    cls = kinds.graph.instance_class(node, block)
    return kinds.yielded_by_object(cls) if cls is not None else UNKNOWN
