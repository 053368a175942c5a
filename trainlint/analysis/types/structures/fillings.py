"""Containers that start empty or are tables, and what the file puts into them."""

from __future__ import annotations

import ast
import re
from collections.abc import Sequence
from typing import TYPE_CHECKING

from trainlint.analysis.syntax.blocks import Binding, Block, BlockKind, How, Place
from trainlint.analysis.syntax.names import last_name
from trainlint.analysis.types.access_paths import ANY, AccessPath, joined_paths
from trainlint.analysis.types.evidence import Rank
from trainlint.analysis.types.structures.displays import one_of
from trainlint.analysis.types.values import Kind, Value
from trainlint.patterns import lazy

if TYPE_CHECKING:
    from trainlint.analysis.types.inference import Kinds

MOST_FILLINGS = 12
"""Of what is put into a container, as much is looked at."""
_PUTS_ALL = frozenset({"update", "extend"})
_PUTS = _PUTS_ALL | {"append", "add", "insert", "appendleft"}
_REGISTRY = lazy(r"regist", re.IGNORECASE)


def may_be_table(kinds: Kinds, binding: Binding) -> bool:
    """Whether a variable of the module may be a table that other code puts classes or functions into."""
    if binding.block.kind is not BlockKind.MODULE or binding.how is not How.ASSIGN or binding.path:
        return False
    value = binding.value
    if isinstance(value, ast.Call):
        return bool(_REGISTRY.search(last_name(value))) or binding.name in kinds.outline.fillings
    return isinstance(value, (ast.Dict, ast.List)) and (
        bool(value.keys if isinstance(value, ast.Dict) else value.elts) or binding.name in kinds.outline.fillings
    )


def put_into(kinds: Kinds, name: str, block: Block) -> Value | None:
    """What is put, one after the other, into a container that starts empty."""
    scope = block.scope.owner(name)
    places = kinds.outline.fillings.get(name, ())
    return one_of_put(kinds, [place for place in places if place.block.scope.owner(name) is scope], name)


def one_of_put(kinds: Kinds, places: Sequence[Place], name: str) -> Value | None:
    """One of the values that these places put into a container of this name or attribute."""
    put: list[Value] = []
    for place in places[:MOST_FILLINGS]:
        node = place.node
        assert isinstance(node, ast.expr)
        if (
            isinstance(node, ast.Call)
            and isinstance(node.func, ast.Attribute)
            and last_name(node.func.value) == name
            and node.func.attr in _PUTS
        ):
            given = kinds.of(node.args[-1], place.block)
            put.append(kinds.element(given) if node.func.attr in _PUTS_ALL else given)
        else:
            put.append(kinds.of(node, place.block))
    known = [value for value in put if value.kind is not Kind.UNKNOWN] or [value for value in put if value.access_paths]
    return one_of(known) if known else None


def starts_empty(value: Value) -> bool:
    """Whether a value is a container, or a module of modules, of whose items nothing is known so far."""
    if value.kind is Kind.MODULE:
        return value.element is None and not value.access_paths and value.evidence.kind > Rank.NAMED
    return value.kind is Kind.CONTAINER and value.element is None and not value.items


def filled_with(container: Value, item: Value | None) -> Value:
    """A container, or a module of modules, that holds an item."""
    if item is None or container.kind is Kind.CONTAINER:
        return container.holding(item)
    if not item.access_paths:
        return container
    return container.holding(Value(Kind.MODULE).with_access_paths(*item.access_paths))


def as_table(value: Value, table: AccessPath) -> Value:
    """A container or registry that other files, too, may put entries into."""
    element = value.element
    if element is not None and element.access_paths:
        value = value.holding(
            element.with_access_paths(*joined_paths([*element.access_paths, table.then(ANY)])), value.items
        )
    return value.with_access_paths(*joined_paths([*value.access_paths, table]))
