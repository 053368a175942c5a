"""The text of a node, made once."""

from __future__ import annotations

import ast


def text(node: ast.AST) -> str:
    """The code of a node as Python would write it."""
    known: str | None = node.__dict__.get("trainlint_text")
    if known is None:
        known = ast.unparse(node)
        node.__dict__["trainlint_text"] = known
    return known
