"""Data loaders as they are built, and the options that each is given."""

from __future__ import annotations

import ast
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import NamedTuple

from trainlint.analysis.syntax.blocks import Block, How
from trainlint.analysis.syntax.names import argument, constant, last_name, nodes_in
from trainlint.analysis.syntax.outline import Outline
from trainlint.analysis.tables.loaders import TORCH_CLASSES, TORCH_ORIGINS

_POSITIONS = {
    "dataset": 0,
    "batch_size": 1,
    "shuffle": 2,
    "sampler": 3,
    "batch_sampler": 4,
    "num_workers": 5,
    "collate_fn": 6,
    "pin_memory": 7,
    "drop_last": 8,
}


@dataclass(frozen=True, slots=True, eq=False)
class Loader:
    """One place that builds a loader."""

    call: ast.Call
    block: Block


class Option(NamedTuple):
    """What a loader is given for one of its options."""

    given: bool
    """False only where the option is surely left out."""
    value: ast.expr | None = None
    """What is given; None where it is left out or cannot be seen."""


_ABSENT = Option(given=False)
_HIDDEN = Option(given=True)


class Loaders:
    """The loaders that one file builds. Options are worked out when asked for."""

    def __init__(self, outline: Outline) -> None:
        self.outline = outline
        self._busy: set[ast.expr] = set()
        places = [place for name in sorted(TORCH_CLASSES) for place in outline.calls.get(name, [])]
        self.built: dict[ast.AST, Loader] = {
            place.node: Loader(place.node, place.block)
            for place in sorted(places, key=lambda place: getattr(place.node, "lineno", 0))
            if isinstance(place.node, ast.Call) and outline.imported(place.node.func, place.block) in TORCH_ORIGINS
        }
        """The calls that build one of PyTorch's loaders, in source order."""

    def option(self, loader: Loader, name: str) -> Option:
        """What a loader is given for an option, also by `**options` where the file writes the dict out."""
        call = loader.call
        if any(isinstance(item, ast.Starred) for item in call.args):
            return _HIDDEN
        value = argument(call, name, _POSITIONS.get(name))
        if value is not None:
            return Option(True, value)
        unpacked = [keyword.value for keyword in call.keywords if keyword.arg is None]
        return _first_given(self._entry(item, name, loader.block) for item in unpacked)

    def _entry(self, node: ast.expr, key: str, block: Block) -> Option:
        """What a dict holds under a key at any time; as good as given where not all of the dict can be seen."""
        if node in self._busy:
            return _ABSENT
        self._busy.add(node)
        try:
            match node:
                case ast.Dict():
                    return _first_given(self._items(node, key, block))
                case ast.IfExp():
                    return _first_given(self._entry(item, key, block) for item in (node.body, node.orelse))
                case ast.Call() if last_name(node.func) == "dict":
                    return _first_given(self._merged(node, key, block))
                case ast.Name():
                    return self._option_of_name(node.id, key, block)
                case _:
                    return _HIDDEN
        finally:
            self._busy.discard(node)

    def _items(self, node: ast.Dict, key: str, block: Block) -> Iterator[Option]:
        for name, value in zip(node.keys, node.values, strict=True):
            if name is None:
                yield self._entry(value, key, block)
            elif constant(name) == key:
                yield Option(True, value)
            elif not isinstance(constant(name), str):
                yield _HIDDEN

    def _merged(self, call: ast.Call, key: str, block: Block) -> Iterator[Option]:
        """What `dict(...)` and `.update(...)` take in."""
        yield from (Option(True, keyword.value) for keyword in call.keywords if keyword.arg == key)
        yield from (self._entry(item, key, block) for item in call.args)
        yield from (self._entry(keyword.value, key, block) for keyword in call.keywords if keyword.arg is None)

    def _option_of_name(self, name: str, key: str, block: Block) -> Option:
        scope = block.scope.owner(name)
        if scope is None:
            return _HIDDEN
        bindings = scope.bindings[name]
        values = [(item.value, item.block) for item in bindings if item.how is How.ASSIGN and not item.path]
        if len(values) < len(bindings):
            return _HIDDEN
        written = [self._entry(value, key, outer) for value, outer in values if value is not None]
        return _first_given([*written, *self._later_options(name, scope.node, key, block)])

    def _later_options(self, name: str, scope: ast.AST, key: str, block: Block) -> Iterator[Option]:
        """What becomes of a dict once it is written: keys stored, other dicts merged, or out of sight."""
        nodes = nodes_in(scope)
        harmless: set[ast.AST] = set()
        for node in nodes:
            harmless.update(_harmless_uses(node, name))
            yield from self._changes(node, name, key, block)
        for node in nodes:
            if _is(node, name) and isinstance(getattr(node, "ctx", None), ast.Load) and node not in harmless:
                yield _HIDDEN

    def _changes(self, node: ast.AST, name: str, key: str, block: Block) -> Iterator[Option]:
        """What one node stores under a key of the dict."""
        if isinstance(node, ast.Assign):
            for target in node.targets:
                if isinstance(target, ast.Subscript) and _is(target.value, name) and constant(target.slice) == key:
                    yield Option(True, node.value)
        elif isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute) and _is(node.func.value, name):
            if node.func.attr == "update":
                yield from self._merged(node, key, block)
            elif node.func.attr == "setdefault" and node.args and constant(node.args[0]) == key:
                yield _HIDDEN


def _harmless_uses(node: ast.AST, name: str) -> list[ast.expr]:
    """The parts of a node that read a dict of this name without changing it, or in a way that `_changes` sees."""
    match node:
        case ast.Call(func=func):
            unpacked = [keyword.value for keyword in node.keywords if keyword.arg is None]
            if not isinstance(func, ast.Attribute):
                return unpacked
            if _is(func.value, name):
                return [*unpacked, func.value]
            return [*unpacked, *node.args] if func.attr == "update" else unpacked
        case ast.Subscript():
            return [node.value]
        case ast.Compare():
            return node.comparators
        case ast.Dict():
            return [value for key, value in zip(node.keys, node.values, strict=True) if key is None]
    return []


def _first_given(options: Iterable[Option]) -> Option:
    return next((item for item in options if item.given), _ABSENT)


def _is(node: ast.AST, name: str) -> bool:
    return isinstance(node, ast.Name) and node.id == name
