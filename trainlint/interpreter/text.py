"""The text of a node, made once."""

from __future__ import annotations

import ast


def text(node: ast.AST) -> str:
    """The code of a node as Python would write it."""
    known: str | None = node.__dict__.get("trainlint_text")
    if known is None:
        known = node.__dict__["trainlint_text"] = _unparsed(node)
    return known


def _unparsed(node: ast.AST) -> str:
    if node.__class__ is ast.Name:
        return node.id
    if node.__class__ is ast.Attribute and isinstance(node.value, ast.Name | ast.Attribute):
        return f"{text(node.value)}.{node.attr}"
    return ast.unparse(node)
