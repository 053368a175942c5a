"""Values whose structure is kept: nests that a function maps, and containers whose items are replaced one by one."""

from __future__ import annotations

import ast
from typing import TYPE_CHECKING

from trainlint.analysis.syntax.blocks import Block, BlockKind, Function, Place
from trainlint.analysis.syntax.names import constant, dotted, end_position, last_name, position
from trainlint.analysis.syntax.outline import Outline
from trainlint.analysis.tables.iterables import keeps_container
from trainlint.analysis.tables.structure_maps import MAPS, MOVERS, StructureMap
from trainlint.analysis.types.calls.identity_results import handed_back
from trainlint.analysis.types.named_devices import home_of
from trainlint.analysis.types.values import UNKNOWN, Home, Kind, Value, merge

if TYPE_CHECKING:
    from trainlint.analysis.types.inference import Kinds

_DEEPEST = 4
_MOST_STORES = 40
"""Of what is stored under keys of one name, as much is looked at."""
_MOVES = ("to_device", "to_cuda", "to_gpu")
"""How names of functions end whose result nobody keeps: they replace the items of what they are given."""
_VIEWS_OF_DICT = ("keys", "items")


def mapped(kinds: Kinds, call: ast.Call, block: Block) -> Value | None:
    """What a function gives that maps the leaves of a nest; None for other calls, and where too little is known."""
    name = last_name(call.func)
    row = MAPS.get(name)
    if row is not None and len(call.args) > max(row.function, row.tree):
        tree = kinds.of(call.args[row.tree], block)
        made = _applied(kinds, call, row, _leaf(kinds, tree, row))
        if made.kind is Kind.UNKNOWN:
            return None
        return Value(Kind.CONTAINER, element=made) if row.flat or tree.kind is Kind.CONTAINER else made
    mover = MOVERS.get(name)
    if mover is not None and len(call.args) > max(mover.tree, mover.device):
        home = home_of(kinds, call.args[mover.device], block) or kinds.device
        return moved_to_home(kinds.of(call.args[mover.tree], block), home)
    return None


def moved_to_home(value: Value, home: Home, depth: int = 0) -> Value:
    """A tensor, or a nest of tensors, in another place."""
    if value.is_tensor:
        return value.lying(home)
    if value.kind is Kind.CONTAINER and value.element is not None and depth < _DEEPEST:
        items = tuple([moved_to_home(item, home, depth + 1) for item in value.items])
        return value.holding(moved_to_home(value.element, home, depth + 1), items)
    return value


def _leaf(kinds: Kinds, tree: Value, row: StructureMap) -> Value:
    if row.flat:
        return kinds.element(tree)
    for _ in range(_DEEPEST):
        if tree.kind is not Kind.CONTAINER or tree.element is None:
            break
        tree = tree.element
    return tree


def _applied(kinds: Kinds, call: ast.Call, row: StructureMap, leaf: Value) -> Value:
    """What the mapping function makes of a leaf."""
    given = call.args[row.function]
    if isinstance(given, ast.Lambda):
        function = kinds.outline.function_of.get(given)
        return kinds.of(given.body, function.body) if function is not None else UNKNOWN
    for function in kinds.graph.handed.get(call, ()):
        names = [item.arg for item in function.parameters[function.takes_object :]]
        if names:
            return handed_back(kinds.returned(function), kinds.keys.function(function), {names[0]: leaf})
    return UNKNOWN


def leaf_given(kinds: Kinds, function: Function, name: str, place: Place) -> Value:
    """What a function is given for a parameter by a call that maps it; UNKNOWN for other calls and parameters."""
    call = place.node
    row = MAPS.get(last_name(call.func)) if isinstance(call, ast.Call) else None
    if row is None or not isinstance(call, ast.Call) or len(call.args) <= max(row.function, row.tree):
        return UNKNOWN
    names = [item.arg for item in function.parameters[function.takes_object :]]
    if names[:1] != [name]:
        return UNKNOWN
    return _leaf(kinds, kinds.of(call.args[row.tree], place.block), row)


def calls_of_lambda(kinds: Kinds, function: Function) -> list[Place]:
    """The calls that map a nest by a function without a name."""
    return [
        place
        for name in MAPS
        for place in kinds.outline.calls.get(name, ())
        if isinstance(place.node, ast.Call) and function.node in place.node.args
    ]


def stores_of_all_items(outline: Outline) -> dict[str, list[tuple[Place, Block]]]:
    """Container → the stores into it under each of its own keys, with the loop over these."""
    found: dict[str, list[tuple[Place, Block]]] = {}
    for name, places in outline.fillings.items():
        for place in places[:_MOST_STORES]:
            loop = _loop_over_items(place, name)
            if loop is not None:
                found.setdefault(name, []).append((place, loop))
    return found


def with_replaced_items(
    kinds: Kinds,
    stores: list[tuple[Place, Block]],
    node: ast.Name,
    block: Block,
    value: Value,
    since: tuple[int, int],
) -> Value:
    """A container at a place behind a loop that replaces each of its items: `for k in d: d[k] = d[k].cuda()`.

    `stores` are such stores into it. `since` is where the name was bound.
    """
    for place, loop in stores:
        if loop.parent is None or not since < position(place.statement) < position(node):
            continue
        if loop.scope is not block.scope or block.within(loop) or not block.within(loop.parent):
            continue
        if isinstance(place.node, ast.expr):
            stored = kinds.of(place.node, place.block)
            if stored.is_tensor and stored.home is not Home.UNKNOWN:
                value = moved_to_home(value, stored.home)
    return value


def calls_moving_in_place(kinds: Kinds) -> dict[str, list[Place]]:
    """Name → the statements that only hand it to a function which, by its own name, moves what it is given."""
    found: dict[str, list[Place]] = {}
    for name, places in kinds.outline.calls.items():
        for place in places if name.endswith(_MOVES) else ():
            call = place.node
            if isinstance(call, ast.Call) and isinstance(place.statement, ast.Expr) and place.statement.value is call:
                if len(call.args) > 1 and isinstance(call.args[0], ast.Name):
                    found.setdefault(call.args[0].id, []).append(place)
    return found


def is_moved_before(places: list[Place], node: ast.Name, block: Block, since: tuple[int, int]) -> bool:
    """Whether one of these statements surely runs between the binding of a name and its use."""
    return any(
        since < position(place.statement) < position(node)
        and place.block.scope is block.scope
        and block.within(place.block)
        for place in places
        if end_position(place.statement) <= position(node)
    )


def _loop_over_items(place: Place, name: str) -> Block | None:
    """The loop over all items of a container, around a store under its own key."""
    target = _target(place)
    if target is None or not isinstance(target.slice, ast.Name):
        return None
    for outer in place.block.outwards():
        loop = outer.node
        if outer.kind is BlockKind.LOOP and isinstance(loop, ast.For):
            return outer if _key_name(loop) == target.slice.id and dotted(_iterated_container(loop)) == name else None
    return None


def _key_name(loop: ast.For) -> str | None:
    """The name that a loop binds to each key: its target, or the first of several."""
    key = loop.target.elts[0] if isinstance(loop.target, ast.Tuple) and loop.target.elts else loop.target
    return key.id if isinstance(key, ast.Name) else None


def _iterated_container(loop: ast.For) -> ast.expr:
    """What a loop iterates, without calls around it such as `list(...)` and `.items()`."""
    source = loop.iter
    if isinstance(source, ast.Call) and source.args and keeps_container(last_name(source.func)):
        source = source.args[0]
    if isinstance(source, ast.Call) and last_name(source.func) in _VIEWS_OF_DICT:
        source = source.func.value if isinstance(source.func, ast.Attribute) else source
    return source


def _target(place: Place) -> ast.Subscript | None:
    """The item that a statement stores into."""
    targets = place.statement.targets if isinstance(place.statement, ast.Assign) else []
    return next((item for item in targets if isinstance(item, ast.Subscript)), None)


def stored_in_attribute(kinds: Kinds, node: ast.Subscript, block: Block, otherwise: Value) -> Value:
    """What the methods of a class store under the constant key that is read: `self.kept["scores"]`.

    `otherwise` is what the container itself tells of its items.
    """
    container = node.value
    if not isinstance(container, ast.Attribute) or not isinstance(container.value, ast.Name):
        return otherwise
    owner = kinds.graph.self_class(container.value, block)
    found: list[Value] = []
    for place in owner.fillings.get(container.attr, ())[:_MOST_STORES] if owner is not None else ():
        target = _target(place)
        if target is not None and constant(target.slice) == constant(node.slice) and isinstance(place.node, ast.expr):
            found.append(kinds.of(place.node, place.block))
    return merge(found) if found else otherwise


def stored_item(kinds: Kinds, node: ast.Subscript, block: Block, otherwise: Value) -> Value:
    """What was stored before under the constant key that is read: `d["x"] = d["x"].cuda()`.

    `otherwise` is what the container itself tells of its items.
    """
    assert isinstance(node.value, ast.Name)
    name, key = node.value.id, constant(node.slice)
    since = kinds.bound_before(node.value, block)
    found: list[Value] = []
    for place in reversed(kinds.outline.fillings[name][:_MOST_STORES]):
        target = _target(place)
        if target is None or constant(target.slice) != key or isinstance(target.slice, ast.Name):
            continue
        if not since < position(place.statement) or end_position(place.statement) > position(node):
            continue
        if place.block.scope is block.scope and isinstance(place.node, ast.expr):
            found.append(kinds.of(place.node, place.block))
            if block.within(place.block):
                return merge(found)
    return merge([*found, otherwise]) if found else otherwise
