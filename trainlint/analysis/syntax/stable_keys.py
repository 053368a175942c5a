"""Names for functions and calls that survive small edits of a file, so that other files can speak of them."""

from __future__ import annotations

import ast
from collections.abc import Iterable, Iterator
from typing import Any, TypeVar

from trainlint.analysis.syntax.blocks import Function
from trainlint.analysis.syntax.names import dotted
from trainlint.analysis.syntax.outline import Outline

_Thing = TypeVar("_Thing")


class Keys:
    """The keys of one file, worked out when first asked for."""

    def __init__(self, outline: Outline) -> None:
        self.outline = outline
        self._functions: dict[Function, str] | None = None
        self._calls: dict[ast.AST, str] | None = None

    def function(self, function: Function) -> str:
        """A function's qualified name, with a number behind the second and later ones of that name."""
        if self._functions is None:
            self._functions = _numbered((item, item.qualified_name) for item in self.outline.functions)
        return self._functions[function]

    def call(self, node: ast.Call) -> str:
        """A call by its function, the text of what is called, and its turn among such calls there."""
        if self._calls is None:
            self._calls = _numbered(self._called())
        return self._calls[node]

    def _called(self) -> Iterator[tuple[ast.AST, str]]:
        """Each call with its function and the text of what is called."""
        around = [f"{item.qualified_name}:" if item is not None else ":" for item in self.outline.functions_around]
        for name, places in self.outline.calls.items():
            for place in places:
                call: Any = place.node
                yield call, around[place.block.number] + (dotted(call.func) or name)


def _numbered(things: Iterable[tuple[_Thing, str]]) -> dict[_Thing, str]:
    """Each thing by its text, with a number behind the second and later ones of the same."""
    seen: dict[str, int] = {}
    found: dict[_Thing, str] = {}
    for thing, text in things:
        count = seen[text] = seen.get(text, 0) + 1
        found[thing] = text if count == 1 else f"{text}#{count}"
    return found
