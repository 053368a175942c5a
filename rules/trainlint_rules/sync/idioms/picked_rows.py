"""Rows of NumPy arrays that a step picks and copies to the device, as a replay buffer's `sample` does."""

from __future__ import annotations

import ast

from trainlint.analysis.site import Site
from trainlint.analysis.syntax.names import last_name, position
from trainlint.analysis.syntax.reaching import reaching, single_value
from trainlint.analysis.types.evidence import Rank
from trainlint.analysis.types.values import Kind

_SAME_ROWS = frozenset({"copy", "astype"})
_OF_ARRAY = frozenset("from_numpy as_tensor asarray tensor Tensor FloatTensor LongTensor".split())
_DEEPEST = 6


def picked_rows(site: Site, node: ast.expr) -> ast.Subscript | None:
    """The subscript by which an array of indices picks what is copied from an array; None for anything else."""
    for _ in range(_DEEPEST):
        match node:
            case ast.Name():
                made = single_value(node, site.block)
                if made is None:
                    return None
                node = made
            case ast.Call(func=ast.Attribute(attr=name, value=value)) if name in _SAME_ROWS:
                node = value
            case ast.Call(args=[given, *_]) if _is_made_of_array(site, node):
                node = given
            case ast.Call(func=ast.Attribute(attr="float" | "long" | "unsqueeze", value=value)):
                node = value
            case ast.Subscript():
                return node if _picks(site, node) else None
            case _:
                return None
    return None


def index_of(rows: ast.Subscript, site: Site) -> ast.AST:
    """What makes the indices by which rows are picked, so that rows of several arrays are known to be one batch."""
    index = rows.slice
    bindings = reaching(index.id, site.block, position(index)) if isinstance(index, ast.Name) else []
    return bindings[0].node if len(bindings) == 1 else index


def _is_made_of_array(site: Site, call: ast.Call) -> bool:
    name = last_name(call.func)
    return name in _OF_ARRAY and site.origin(call.func) == f"torch.{name}"


def _picks(site: Site, node: ast.Subscript) -> bool:
    held = site.value(node.value)
    return held.kind is Kind.ARRAY and held.evidence.kind > Rank.NAMED and site.value(node.slice).kind is Kind.ARRAY
