"""What loops bind: elements of containers, batches of loaders, names and parameters of modules."""

from __future__ import annotations

import ast
from typing import TYPE_CHECKING

from trainlint.analysis.syntax.blocks import Block, How
from trainlint.analysis.syntax.names import branches, last_name
from trainlint.analysis.tables import iterables, loaders
from trainlint.analysis.types.batch_sources import is_batch_source, is_wrapper, iterated_by
from trainlint.analysis.types.structures.iterators import iterated_object
from trainlint.analysis.types.structures.structure import moved_to_home
from trainlint.analysis.types.values import NUMBER, STRING, UNKNOWN, Kind, Origin, Value, merge

if TYPE_CHECKING:
    from trainlint.analysis.types.inference import Kinds

_NAMED_TENSORS = frozenset({"named_parameters", "named_buffers"})
_NAMED_MODULES = frozenset({"named_modules", "named_children"})
_Seen = dict[tuple[ast.Call, tuple[int, ...]], Value]


def iterated(kinds: Kinds, source: ast.expr, path: tuple[int, ...], block: Block) -> Value:
    """What a loop over `source` binds at a place of its target. `block` is the loop's."""
    return iterated_item(kinds, source, path, block.parent or block)


def iterated_item(kinds: Kinds, source: ast.expr, path: tuple[int, ...], block: Block) -> Value:
    """The same for an iterable that stands in a block."""
    return _element(kinds, source, path, block, {})


def _element(kinds: Kinds, source: ast.expr, path: tuple[int, ...], block: Block, seen: _Seen) -> Value:
    """The same from where the loop stands; `seen` holds what this question has come by."""
    found: Value | None = None
    if isinstance(source, ast.Call):
        found = _of_call(kinds, source, path, block, seen)
    elif isinstance(source, ast.IfExp):
        return merge(_element(kinds, side, path, block, seen) for side in branches(source))
    elif isinstance(source, ast.Name | ast.Attribute):
        wrapped = _wrappers_behind(kinds, source, block)
        found = (
            merge(_memoised_element(kinds, call, path, around, seen) for call, around in wrapped) if wrapped else None
        )
    if found is not None:
        return found
    return _part(kinds, _item_of(kinds, source, block), path)


def _part(kinds: Kinds, value: Value, path: tuple[int, ...]) -> Value:
    """What stands at a place of a target, of a value that is unpacked into it."""
    for place in path:
        value = kinds.item(value, place)
    return value


def _item_of(kinds: Kinds, source: ast.expr, block: Block) -> Value:
    """What iterating a source gives that wraps no other."""
    value = single(kinds, source, block)
    if value.kind is Kind.LOADER:
        return kinds.batch(value)
    if value.kind is Kind.UNKNOWN:
        item = iterated_object(kinds, source, block)
        if item.kind is not Kind.UNKNOWN:
            return item
    known = value.element if value.kind is Kind.CONTAINER else None
    if (known is None or known.kind is Kind.UNKNOWN) and is_batch_source(source, block):
        return kinds.batch(Value(Kind.LOADER, confidence=0.95))
    return kinds.element(value)


def _of_call(kinds: Kinds, call: ast.Call, path: tuple[int, ...], block: Block, seen: _Seen) -> Value | None:
    """What a loop over the result of a call binds; None where the name of what is called does not tell."""
    name = last_name(call.func)
    if iterables.counts_rounds(name) or (iterables.yields_numbers(name) and not call.args):
        return NUMBER  # `items.count(one)` is given something, unlike `itertools.count()`
    if iterables.numbers_items(name) and path[:1] == (0,) and call.args:
        return NUMBER
    handed_on = _handed_on(call, name, path)
    if handed_on is not None:
        inside, rest = handed_on
        found = _element(kinds, inside, rest, block, seen)
        return moved_to_home(found, kinds.computing_home) if loaders.moves_batches(name) else found
    return _named_item(kinds, call, name, path, block)


def _named_item(kinds: Kinds, call: ast.Call, name: str, path: tuple[int, ...], block: Block) -> Value | None:
    """A key, or what it stands for, of a dict or of a module; None for what yields no pairs of these."""
    if name == "items" and isinstance(call.func, ast.Attribute):
        if path[:1] != (1,):
            return STRING if path == (0,) else UNKNOWN  # a part of a key, where keys are tuples
        return _part(kinds, kinds.element(kinds.of(call.func.value, block)), path[1:])
    if name not in _NAMED_TENSORS | _NAMED_MODULES:
        return None
    if path == (0,):
        return STRING
    return Value(Kind.MODULE) if name in _NAMED_MODULES else Value(Kind.TENSOR, kinds.device, True, Origin.PARAMETER)


def _handed_on(call: ast.Call, name: str, path: tuple[int, ...]) -> tuple[ast.expr, tuple[int, ...]] | None:
    """The iterable whose elements a call hands on, and which part of them; None for a call that makes its own."""
    if iterables.numbers_items(name):
        return (call.args[0], path[1:]) if path and call.args else None
    if iterables.zips_items(name):
        return (call.args[path[0]], path[1:]) if path and 0 <= path[0] < len(call.args) else None
    inside = iterated_by(call)
    return (inside, path) if inside is not None and _is_of_one(name) else None


def _memoised_element(kinds: Kinds, call: ast.Call, path: tuple[int, ...], block: Block, seen: _Seen) -> Value:
    """What a wrapper yields, looked at once in one question, and not at all where it wraps itself."""
    if (call, path) not in seen:
        seen[call, path] = UNKNOWN
        seen[call, path] = _element(kinds, call, path, block, seen)
    return seen[call, path]


def _wrappers_behind(kinds: Kinds, source: ast.Name | ast.Attribute, block: Block) -> list[tuple[ast.Call, Block]]:
    """The wrappers that a name or an attribute of `self` may hold, if nothing else: `bar = tqdm(enumerate(loader))`."""
    found = []
    for binding in kinds.outline.bindings(source, block):
        for side in branches(binding.value) if binding.value is not None else (None,):
            if isinstance(side, ast.Constant) and side.value is None:
                continue  # what nothing is assigned to yet is not iterated
            if binding.how is not How.ASSIGN or binding.path or not isinstance(side, ast.Call):
                return []
            if not is_wrapper(side) and not iterables.counts_rounds(last_name(side.func)):
                return []
            found.append((side, binding.block))
    return found


def single(kinds: Kinds, node: ast.expr, block: Block) -> Value:
    """The value of an iterable, also behind wrappers of this one: `iter`, `tqdm`, `enumerate`."""
    name = last_name(node.func) if isinstance(node, ast.Call) else ""
    if isinstance(node, ast.Call) and (_is_of_one(name) or iterables.numbers_items(name)):
        inside = iterated_by(node)
        return single(kinds, inside, block) if inside is not None else kinds.of(node, block)
    return kinds.of(node, block)


def _is_of_one(name: str) -> bool:
    """Whether a wrapper of this name yields the items of one iterable as they are."""
    return iterables.passes_items_unchanged(name) or loaders.wraps_loader(name)
