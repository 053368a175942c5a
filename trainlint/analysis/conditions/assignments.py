"""Where a file assigns attributes, and puts something into containers."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from trainlint.analysis.syntax.blocks import Block, Position
from trainlint.analysis.syntax.names import constant, dotted, nodes_in, position
from trainlint.analysis.syntax.outline import Outline

_FILLING = ("append", "add", "update", "setdefault", "extend", "insert", "put")


class Assignments:
    """Answers for one file, worked out when asked for."""

    def __init__(self, outline: Outline) -> None:
        self.outline = outline
        self._places: dict[str, list[Position]] | None = None

    def of(self, name: str, block: Block) -> list[Position]:
        """Where a name is assigned; "self.table" is an attribute, "cache[]" puts something into a container."""
        if name.isidentifier():
            scope = block.scope.owner(name)
            return [binding.position for binding in scope.bindings[name]] if scope is not None else []
        if self._places is None:
            self._places = {}
            for key, place in self._found():
                self._places.setdefault(key, []).append(place)
        return self._places.get(name, [])

    def _found(self) -> Iterator[tuple[str, Position]]:
        for attribute, places in self.outline.stores.items():
            for place in places:
                for target in targets(place.statement):
                    yield from _stored(target, attribute)
        for place in self.outline.subscripts:
            if isinstance(place.node, ast.Subscript) and isinstance(place.node.ctx, ast.Store):
                yield f"{dotted(place.node.value)}[]", position(place.node)
        yield from self._filled()
        for place in self.outline.calls.get("setattr", ()):
            if isinstance(place.node, ast.Call) and len(place.node.args) == 3:
                yield f"{dotted(place.node.args[0])}.{constant(place.node.args[1])}", position(place.node)

    def _filled(self) -> Iterator[tuple[str, Position]]:
        for method in _FILLING:
            for place in self.outline.calls.get(method, ()):
                if isinstance(place.node, ast.Call) and isinstance(place.node.func, ast.Attribute):
                    yield f"{dotted(place.node.func.value)}[]", position(place.node)


def _stored(target: ast.expr, attribute: str) -> Iterator[tuple[str, Position]]:
    """What a target assigns under the name of an attribute, and which containers it puts something into."""
    for part in nodes_in(target):
        if isinstance(part, ast.Attribute) and part.attr == attribute:
            yield dotted(part) or "", position(part)
        elif isinstance(part, ast.Subscript):
            yield f"{dotted(part.value)}[]", position(part)


def targets(statement: ast.stmt) -> list[ast.expr]:
    """What a statement assigns to."""
    if isinstance(statement, ast.Assign):
        return statement.targets
    return [statement.target] if isinstance(statement, (ast.AnnAssign, ast.AugAssign)) else []
