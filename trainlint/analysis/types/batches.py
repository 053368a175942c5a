"""Which loaders a batch comes from, through names, wrappers, attributes of `self` and calls inside the file."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from trainlint.analysis.syntax.blocks import Binding, Block, Function, How, Place
from trainlint.analysis.syntax.local_calls import LocalCalls
from trainlint.analysis.syntax.names import last_name, position
from trainlint.analysis.syntax.outline import Outline
from trainlint.analysis.syntax.reaching import reaching
from trainlint.analysis.tables import iterables, loaders
from trainlint.analysis.types.loaders import Loader, Loaders

_NO_LOADER = frozenset({"len", "next", "print"})
_DEEPEST = 16

_Found = frozenset[Loader]
_NOTHING: _Found = frozenset()
_Step = tuple[ast.expr, Block, tuple[int, ...]]
"""An expression, the block in which it stands, and what is picked from it, as unpacking does."""


class Batches:
    """Answers for one file. Where the file does not show a loader, an answer is empty."""

    def __init__(self, outline: Outline, graph: LocalCalls, loaders: Loaders) -> None:
        self.outline = outline
        self.graph = graph
        self.loaders = loaders
        self._prepared: _Found | None = None
        self._busy: set[ast.expr] = set()
        """The batches of which it is asked just now where they come from."""

    def loaders_behind(self, node: ast.expr, block: Block) -> _Found:
        """The loaders that an expression is, wraps or holds."""
        return self._loaders_of_expressions([(node, block, ())])

    def _loaders_of_expressions(self, waiting: list[_Step]) -> _Found:
        """The loaders behind any of these expressions. Each that leads to them is looked at once."""
        if not self.loaders.built:
            return _NOTHING
        found: set[Loader] = set()
        seen: set[tuple[ast.expr | Binding, tuple[int, ...]]] = set()
        while waiting:
            node, block, path = waiting.pop()
            if (node, path) in seen:
                continue
            seen.add((node, path))
            if node in self.loaders.built:
                found.add(self.loaders.built[node])
            elif isinstance(node, (ast.Name, ast.Attribute)):
                for binding in self.outline.bindings(node, block):
                    if (binding, path) not in seen:
                        seen.add((binding, path))
                        waiting += self._bound(binding, path)
            else:
                waiting += self._parts(node, block, path)
        return frozenset(found)

    def _parts(self, node: ast.expr, block: Block, path: tuple[int, ...]) -> list[_Step]:
        """What an expression that is no name may have its loaders from."""
        match node:
            case ast.Call():
                return self._of_call(node, block, path)
            case ast.Tuple() | ast.List() if path and 0 <= path[0] < len(node.elts):
                return [(node.elts[path[0]], block, path[1:])]
            case ast.Tuple() | ast.List():
                return [(item, block, ()) for item in node.elts]
            case ast.Dict():
                return [(item, block, ()) for item in node.values]
            case ast.IfExp():
                return [(node.body, block, ()), (node.orelse, block, ())]
            case ast.Subscript():
                return [(node.value, block, ())]
            case _:
                return []

    def _bound(self, binding: Binding, path: tuple[int, ...]) -> list[_Step]:
        if binding.how in (How.ASSIGN, How.WITH) and binding.value is not None:
            return [(binding.value, binding.block, binding.path or path)]
        if binding.how is How.PARAMETER:
            return [(item, block, ()) for item, block in self._arguments(binding)]
        return []

    def _of_call(self, call: ast.Call, block: Block, path: tuple[int, ...]) -> list[_Step]:
        name = last_name(call.func)
        if name in _NO_LOADER or iterables.counts_rounds(name):
            return []
        edge = self.graph.callee.get(call)
        if edge is not None and not edge.passed and not edge.function.is_generator:
            return [
                (place.node.value, place.block, path)
                for place in edge.function.returns
                if isinstance(place.node, ast.Return) and place.node.value is not None
            ]
        if loaders.hands_back_in_order(name) and path:
            return [(call.args[path[0]], block, ())] if 0 <= path[0] < len(call.args) else []
        inside = [*call.args, *(keyword.value for keyword in call.keywords)]
        if not inside and isinstance(call.func, ast.Attribute):
            inside = [call.func.value]
        return [(item, block, ()) for item in inside]

    def sources(self, node: ast.expr, block: Block) -> _Found:
        """The loaders that a batch, or a part of one, comes from."""
        while True:
            if isinstance(node, (ast.Subscript, ast.Attribute, ast.Starred)):
                node = node.value
            elif isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute):
                node = node.func.value
            else:
                break
        if not self.loaders.built or node in self._busy or len(self._busy) > _DEEPEST:
            return _NOTHING
        self._busy.add(node)
        try:
            if isinstance(node, ast.Call) and last_name(node.func) == "next":
                return self._loaders_of_expressions([(item, block, ()) for item in node.args])
            if isinstance(node, ast.Call):
                return _NOTHING.union(*(self.sources(item, block) for item in node.args[:1]))
            if isinstance(node, ast.Name):
                return _NOTHING.union(*(self._source(item) for item in reaching(node.id, block, position(node))))
            return _NOTHING
        finally:
            self._busy.discard(node)

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
            given: list[_Step] = [
                (item, place.block, ())
                for name in loaders.PREPARING_IN_ORDER
                for place in self.outline.calls.get(name, [])
                if isinstance(place.node, ast.Call) and isinstance(place.node.func, ast.Attribute)
                for item in place.node.args
            ]
            self._prepared = self._loaders_of_expressions(given)
        return loader in self._prepared


def passed(graph: LocalCalls, function: Function, name: str) -> Iterator[tuple[ast.expr, Block]]:
    """What calls in the file pass for a parameter of one of its functions, with the block of each call."""
    if all(item.arg != name for item in function.parameters):
        return
    for caller in _calls_of(graph, function):
        assert isinstance(caller.node, ast.Call)
        given = function.argument_in(caller.node, name)
        if given is not None:
            yield given, caller.block


def _calls_of(graph: LocalCalls, function: Function) -> Iterator[Place]:
    for edge in graph.callers.get(function, []):
        if not edge.passed and isinstance(edge.place.node, ast.Call):
            yield edge.place
    if function.owner is not None and function.name == "__init__":
        for place in graph.outline.calls.get(function.owner.name, []):
            made = place.node.func if isinstance(place.node, ast.Call) else None
            if isinstance(made, ast.Name) and graph.class_named(made, place.block) is function.owner:
                yield place
