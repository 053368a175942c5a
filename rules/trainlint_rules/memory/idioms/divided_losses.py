"""Losses that are divided before their backward."""

from __future__ import annotations

import ast

from trainlint.analysis.syntax.names import dotted


def own_quotient(node: ast.AST) -> ast.BinOp | None:
    """`x / n` in `x += x / n`, `x = x + x / n` and `x = x / n + x`."""
    match node:
        case ast.AugAssign(op=ast.Add(), target=target, value=ast.BinOp(op=ast.Div()) as added):
            return added if _same(target, added.left) else None
        case ast.Assign(targets=[target], value=ast.BinOp(op=ast.Add(), left=left, right=right)):
            for kept, other in ((left, right), (right, left)):
                if isinstance(other, ast.BinOp) and isinstance(other.op, ast.Div):
                    if _same(target, kept) and _same(target, other.left):
                        return other
    return None


def _same(one: ast.expr, other: ast.expr) -> bool:
    return dotted(one) is not None and dotted(one) == dotted(other)
