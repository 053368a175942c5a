"""What loops bind: elements of containers, batches of loaders, names and parameters of modules."""

from __future__ import annotations

import ast
from typing import TYPE_CHECKING

from trainlint.analysis.syntax.blocks import Block, How
from trainlint.analysis.syntax.names import last_name, position
from trainlint.analysis.syntax.reaching import reaching
from trainlint.analysis.tables import iterables, loaders
from trainlint.analysis.types.batch_sources import is_batch_source, is_wrapper, iterated_by
from trainlint.analysis.types.values import NUMBER, STRING, UNKNOWN, Kind, Origin, Value, merge

if TYPE_CHECKING:
    from trainlint.analysis.types.inference import Kinds


_Seen = dict[tuple[ast.Call, tuple[int, ...]], Value]


def iterated(kinds: Kinds, source: ast.expr, path: tuple[int, ...], block: Block) -> Value:
    """What a loop over `source` binds at a place of its target. `block` is the loop's."""
    return _element(kinds, source, path, block.parent or block, {})


def _element(kinds: Kinds, source: ast.expr, path: tuple[int, ...], block: Block, seen: _Seen) -> Value:
    """The same from where the loop stands; `seen` holds what this question has come by."""
    if isinstance(source, ast.Call):
        name = last_name(source.func)
        if iterables.counts_rounds(name) or (iterables.yields_numbers(name) and not source.args):
            return NUMBER  # `items.count(one)` is given something, unlike `itertools.count()`
        if iterables.numbers_items(name) and path and source.args:
            return NUMBER if path[0] == 0 else _element(kinds, source.args[0], path[1:], block, seen)
        if iterables.zips_items(name) and path and 0 <= path[0] < len(source.args):
            return _element(kinds, source.args[path[0]], path[1:], block, seen)
        inside = iterated_by(source)
        if inside is not None and _is_of_one(name):
            return _element(kinds, inside, path, block, seen)
        if name == "items" and isinstance(source.func, ast.Attribute):
            held = kinds.of(source.func.value, block)
            return STRING if path == (0,) else kinds.element(held) if path else UNKNOWN
        if name in ("named_parameters", "named_buffers", "named_modules", "named_children"):
            inner = (
                Value(Kind.TENSOR, kinds.device, True, Origin.PARAMETER)
                if name in ("named_parameters", "named_buffers")
                else Value(Kind.MODULE)
            )
            return STRING if path == (0,) else inner
    if isinstance(source, ast.Name):
        wrapped = _wrappers_behind(source, block)
        if wrapped:
            return merge(_once(kinds, call, path, around, seen) for call, around in wrapped)
    value = single(kinds, source, block)
    if value.kind is Kind.LOADER or is_batch_source(source, block):
        loader = value if value.kind is Kind.LOADER else Value(Kind.LOADER, confidence=0.95)
        return kinds.batch(loader)
    return kinds.element(value)


def _once(kinds: Kinds, call: ast.Call, path: tuple[int, ...], block: Block, seen: _Seen) -> Value:
    """What a wrapper yields, looked at once in one question, and not at all where it wraps itself."""
    if (call, path) not in seen:
        seen[call, path] = UNKNOWN
        seen[call, path] = _element(kinds, call, path, block, seen)
    return seen[call, path]


def _wrappers_behind(name: ast.Name, block: Block) -> list[tuple[ast.Call, Block]]:
    """The wrappers that a name may hold, if it holds nothing else: `bar = tqdm(enumerate(loader))`."""
    found = []
    for binding in reaching(name.id, block, position(name)):
        call = binding.value
        if binding.how is not How.ASSIGN or binding.path or not isinstance(call, ast.Call):
            return []
        if not is_wrapper(call) and not iterables.counts_rounds(last_name(call.func)):
            return []
        found.append((call, binding.block))
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
