"""What to do instead of a read, by what becomes of the number."""

from __future__ import annotations

import ast

from trainlint.analysis.effects.forward import computes
from trainlint.analysis.site import Site


def instead_of_number(site: Site, read: ast.AST) -> str | None:
    """Help for a number that is computed with or collected; None for one that is logged, as most are."""
    value = site.text(_read_value(read))
    if computes(site.file, site.block):
        return f"keep `{value}` a tensor, or take the number on the CPU before the batch is copied to the GPU"
    match site.statement:
        case ast.Expr(value=ast.Call(func=ast.Attribute(attr="append"), args=[given])) if given is read:
            return f"append `{value}.detach()` and read the list once, after the epoch"
    return None


def _read_value(read: ast.AST) -> ast.AST:
    """The tensor: `x` of `x.item()` and of `float(x)`."""
    match read:
        case ast.Call(func=ast.Attribute(value=value), args=[]):
            return value
        case ast.Call(func=ast.Name(), args=[value, *_]):
            return value
    return read


def skips_update(statement: ast.stmt) -> bool:
    """Whether what a test decides is to leave out the rest of the step."""
    return isinstance(statement, ast.If) and isinstance(statement.body[-1], ast.Continue | ast.Return)
