"""Which loaders a batch comes from, through names, wrappers, attributes of `self` and calls inside the file."""

from __future__ import annotations

import ast
from collections.abc import Iterable, Iterator

from trainlint.model.blocks import Binding, Block, Function, How, Place
from trainlint.model.graph import CallGraph
from trainlint.model.loaders import Loader, Loaders
from trainlint.model.lookup import reaching
from trainlint.model.names import argument, last_name, position
from trainlint.model.outline import Outline
from trainlint.records import dataclass, field

_PREPARING = frozenset({"prepare", "setup", "setup_dataloaders"})
"""A framework's calls that hand back, in order, what they are given."""
_NO_LOADER = frozenset({"range", "len", "next", "print"})
_DEEPEST = 16

_Found = frozenset[Loader]
_NOTHING: _Found = frozenset()


@dataclass(slots=True, eq=False)
class Batches:
    """Answers for one file. Where the file does not show a loader, an answer is empty."""

    outline: Outline
    graph: CallGraph
    loaders: Loaders
    _prepared: _Found | None = None
    _busy: set[tuple[str, ast.expr]] = field(default_factory=set)

    def loaders_behind(self, node: ast.expr, block: Block, path: tuple[int, ...] = ()) -> _Found:
        """The loaders that an expression is, wraps or holds. `path` picks from a tuple, as unpacking does."""
        if ("loader", node) in self._busy or len(self._busy) > _DEEPEST:
            return _NOTHING
        self._busy.add(("loader", node))
        try:
            match node:
                case ast.Call():
                    return self._behind_call(node, block, path)
                case ast.Tuple() | ast.List() if path and 0 <= path[0] < len(node.elts):
                    return self.loaders_behind(node.elts[path[0]], block, path[1:])
                case ast.Tuple() | ast.List():
                    return self._behind_any((item, block) for item in node.elts)
                case ast.Dict():
                    return self._behind_any((item, block) for item in node.values)
                case ast.IfExp():
                    return self._behind_any([(node.body, block), (node.orelse, block)])
                case ast.Subscript():
                    return self.loaders_behind(node.value, block)
                case ast.Name():
                    return self._bound(reaching(node.id, block, position(node)), path)
                case ast.Attribute(value=ast.Name() as owner):
                    cls = self.graph.self_class(owner, block)
                    return self._bound(cls.attributes.get(node.attr, []), path) if cls is not None else _NOTHING
                case _:
                    return _NOTHING
        finally:
            self._busy.discard(("loader", node))

    def _behind_any(self, items: Iterable[tuple[ast.expr, Block]]) -> _Found:
        return _NOTHING.union(*(self.loaders_behind(item, block) for item, block in items))

    def _behind_call(self, call: ast.Call, block: Block, path: tuple[int, ...]) -> _Found:
        if call in self.loaders.built:
            return frozenset({self.loaders.built[call]})
        name = last_name(call.func)
        if name in _NO_LOADER:
            return _NOTHING
        edge = self.graph.callee.get(call)
        if edge is not None and not edge.passed and not edge.function.is_generator:
            found = [
                self.loaders_behind(place.node.value, place.block, path)
                for place in edge.function.returns
                if isinstance(place.node, ast.Return) and place.node.value is not None
            ]
            return _NOTHING.union(*found)
        if name in _PREPARING and path:
            return self.loaders_behind(call.args[path[0]], block) if 0 <= path[0] < len(call.args) else _NOTHING
        inside = [*call.args, *(keyword.value for keyword in call.keywords)]
        if not inside and isinstance(call.func, ast.Attribute):
            inside = [call.func.value]
        return self._behind_any((item, block) for item in inside)

    def _bound(self, bindings: Iterable[Binding], path: tuple[int, ...]) -> _Found:
        found = _NOTHING
        for binding in bindings:
            if binding.how in (How.ASSIGN, How.WITH) and binding.value is not None:
                found |= self.loaders_behind(binding.value, binding.block, binding.path or path)
            elif binding.how is How.PARAMETER:
                found |= self._behind_any(self._arguments(binding))
        return found

    def sources(self, node: ast.expr, block: Block) -> _Found:
        """The loaders that a batch, or a part of one, comes from."""
        while True:
            if isinstance(node, ast.Subscript | ast.Attribute | ast.Starred):
                node = node.value
            elif isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute):
                node = node.func.value
            else:
                break
        if ("batch", node) in self._busy or len(self._busy) > _DEEPEST:
            return _NOTHING
        self._busy.add(("batch", node))
        try:
            if isinstance(node, ast.Call) and last_name(node.func) == "next":
                return self._behind_any((item, block) for item in node.args)
            if isinstance(node, ast.Call):
                return _NOTHING.union(*(self.sources(item, block) for item in node.args[:1]))
            if isinstance(node, ast.Name):
                return _NOTHING.union(*(self._source(item) for item in reaching(node.id, block, position(node))))
            return _NOTHING
        finally:
            self._busy.discard(("batch", node))

    def _source(self, binding: Binding) -> _Found:
        if binding.how is How.PARAMETER:
            return _NOTHING.union(*(self.sources(item, block) for item, block in self._arguments(binding)))
        if binding.value is None:
            return _NOTHING
        if binding.how is How.FOR:
            outer = binding.block.parent or binding.block
            return self.loaders_behind(binding.value, outer) or self.sources(binding.value, outer)
        return self.sources(binding.value, binding.block) if binding.how is How.ASSIGN else _NOTHING

    def _arguments(self, binding: Binding) -> list[tuple[ast.expr, Block]]:
        function = self.outline.function_of.get(binding.block.node)
        return list(passed(self.graph, function, binding.name)) if function is not None else []

    def prepared(self, loader: Loader) -> bool:
        """Whether the file hands a loader to a framework, whose loader then moves the batches."""
        if self._prepared is None:
            given = [
                (item, place.block)
                for name in _PREPARING
                for place in self.outline.calls.get(name, [])
                if isinstance(place.node, ast.Call) and isinstance(place.node.func, ast.Attribute)
                for item in place.node.args
            ]
            self._prepared = self._behind_any(given)
        return loader in self._prepared


def passed(graph: CallGraph, function: Function, name: str) -> Iterator[tuple[ast.expr, Block]]:
    """What calls in the file pass for a parameter of one of its functions, with the block of each call."""
    names = [item.arg for item in function.parameters]
    if name not in names:
        return
    bound = function.owner is not None and names[0] in ("self", "cls")
    place = names.index(name) - bound
    for caller in _calls_of(graph, function):
        assert isinstance(caller.node, ast.Call)
        given = argument(caller.node, name, place if place >= 0 else None)
        if given is not None:
            yield given, caller.block


def _calls_of(graph: CallGraph, function: Function) -> Iterator[Place]:
    for edge in graph.callers.get(function, []):
        if not edge.passed and isinstance(edge.place.node, ast.Call):
            yield edge.place
    if function.owner is not None and function.name == "__init__":
        for place in graph.outline.calls.get(function.owner.name, []):
            made = place.node.func if isinstance(place.node, ast.Call) else None
            if isinstance(made, ast.Name) and graph.class_named(made, place.block) is function.owner:
                yield place
