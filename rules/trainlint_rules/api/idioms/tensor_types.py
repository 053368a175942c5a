"""The types that `torch.set_default_tensor_type` is given."""

from __future__ import annotations

import ast

from trainlint.analysis.site import Site
from trainlint.analysis.syntax.names import constant


def default_types(site: Site) -> list[str]:
    """The dotted names of the types that a call may be given: two for a conditional expression."""
    match site.call:
        case ast.Call(args=[ast.IfExp(body=one, orelse=other)], keywords=[]):
            return [_name(site, one), _name(site, other)]
        case ast.Call(args=[given], keywords=[]):
            return [_name(site, given)]
    return []


def _name(site: Site, node: ast.expr) -> str:
    value = constant(node)
    return value if isinstance(value, str) else site.origin(node) or ""
