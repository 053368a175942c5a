"""Names for functions and calls that survive small edits of a file, so that other files can speak of them."""

from __future__ import annotations

import ast
from collections import Counter
from dataclasses import dataclass

from trainlint.model.blocks import Function
from trainlint.model.names import dotted, last_name
from trainlint.model.outline import Outline


@dataclass(slots=True, eq=False)
class Keys:
    """The keys of one file, worked out when first asked for."""

    outline: Outline
    _functions: dict[Function, str] | None = None
    _calls: dict[ast.AST, str] | None = None

    def function(self, function: Function) -> str:
        """A function's qualified name, with a number behind the second and later ones of that name."""
        if self._functions is None:
            seen: Counter[str] = Counter()
            self._functions = {}
            for item in self.outline.functions:
                seen[item.qualified_name] += 1
                self._functions[item] = _numbered(item.qualified_name, seen[item.qualified_name])
        return self._functions[function]

    def call(self, node: ast.Call) -> str:
        """A call by its function, the text of what is called, and its turn among such calls there."""
        if self._calls is None:
            seen: Counter[str] = Counter()
            self._calls = {}
            for place in self.outline.all_calls():
                assert isinstance(place.node, ast.Call)
                function = self.outline.enclosing(place.block)
                called = dotted(place.node.func) or last_name(place.node.func)
                text = f"{function.qualified_name if function is not None else ''}:{called}"
                seen[text] += 1
                self._calls[place.node] = _numbered(text, seen[text])
        return self._calls[node]


def _numbered(text: str, count: int) -> str:
    return text if count == 1 else f"{text}#{count}"
