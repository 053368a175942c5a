"""What the head of a loop says about its rounds."""

from __future__ import annotations

import ast

from trainlint.analysis.syntax.names import constant, names_in


def never_ends(node: ast.AST) -> bool:
    """Whether a node is a loop that only `break`, `return` or an exception ends: `while True:`."""
    if not isinstance(node, ast.While):
        return False
    value = constant(node.test)
    return value is not ... and bool(value)


def names_in_head(node: ast.AST) -> list[str]:
    """The names in the head of a loop: what it iterates and binds, or tests; empty for other nodes."""
    if isinstance(node, ast.For | ast.AsyncFor):
        return [*names_in(node.target), *names_in(node.iter)]
    return names_in(node.test) if isinstance(node, ast.While) else []
