"""Names for functions and calls that survive small edits of a file, so that other files can speak of them."""

from __future__ import annotations

import ast
from collections.abc import Sequence
from typing import TypeVar

from trainlint.analysis.syntax.blocks import Function
from trainlint.analysis.syntax.names import dotted, last_name
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
            functions = self.outline.functions
            self._functions = _numbered(functions, [item.qualified_name for item in functions])
        return self._functions[function]

    def call(self, node: ast.Call) -> str:
        """A call by its function, the text of what is called, and its turn among such calls there."""
        if self._calls is None:
            calls: list[ast.AST] = []
            texts: list[str] = []
            around = self.outline.functions_around
            for place in self.outline.all_calls():
                assert isinstance(place.node, ast.Call)
                function = around[place.block.number]
                called = dotted(place.node.func) or last_name(place.node.func)
                calls.append(place.node)
                texts.append(f"{function.qualified_name}:{called}" if function is not None else f":{called}")
            self._calls = _numbered(calls, texts)
        return self._calls[node]


def _numbered(things: Sequence[_Thing], texts: Sequence[str]) -> dict[_Thing, str]:
    """Each thing by its text, with a number behind the second and later ones of the same."""
    seen: dict[str, int] = {}
    found: dict[_Thing, str] = {}
    for thing, text in zip(things, texts, strict=True):
        count = seen[text] = seen.get(text, 0) + 1
        found[thing] = text if count == 1 else f"{text}#{count}"
    return found
