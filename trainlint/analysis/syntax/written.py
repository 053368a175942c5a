"""Pieces of the user's code, to be quoted in a sentence."""

from __future__ import annotations

import ast
from typing import TYPE_CHECKING

from trainlint.analysis.syntax.names import end_position, position

if TYPE_CHECKING:
    from trainlint.source import SourceFile

_LONGEST = 60


def written(source: SourceFile, node: ast.AST) -> str:
    """A piece of the user's code on one line, shortened."""
    if isinstance(node, ast.expr | ast.stmt | ast.arg):
        start, stop = source.offset(*position(node)), source.offset(*end_position(node))
        text = _on_one_line(source.text[start:stop])
    else:
        text = " ".join(ast.unparse(node).split())
    return shortened(text)


def _on_one_line(code: str) -> str:
    """Code of several lines as people write it on one: nothing stands between a bracket and what it holds."""
    joined = ""
    for line in code.splitlines():
        part = " ".join(line.removesuffix("\\").split())
        is_tight = not joined or not part or joined[-1] in "([{" or part[0] in ")]}."
        joined += part if is_tight else f" {part}"
    return joined


def shortened(text: str) -> str:
    """A text that may be quoted in a sentence."""
    return text if len(text) <= _LONGEST else f"{text[: _LONGEST - 1]}…"
