"""Reductions of parameters or their gradients, one after the other."""

from __future__ import annotations

import ast
import re

from trainlint.analysis.site import Site
from trainlint.analysis.syntax.blocks import BlockKind
from trainlint.analysis.syntax.names import last_name, names_in, nodes_in
from trainlint.contract.guard import guard
from trainlint.patterns import lazy

_COALESCING = frozenset({"_coalescing_manager", "coalescing_manager", "_CoalescingManager"})
_WARM_UP = lazy(r"warm_?up", re.IGNORECASE)


@guard
def coalesced(site: Site) -> bool:
    """A coalescing manager sends the calls together."""
    managers = (outer.node for outer in site.block.outwards() if outer.kind is BlockKind.WITH)
    items = (item for node in managers if isinstance(node, ast.With) for item in node.items)
    return any(last_name(item.context_expr) in _COALESCING for item in items)


@guard
def warms_up(site: Site) -> bool:
    """A loop around it runs a few steps only to warm up."""
    loops = (outer.node for outer in site.block.outwards() if outer.kind is BlockKind.LOOP)
    heads = (node.iter for node in loops if isinstance(node, ast.For))
    return any(_WARM_UP.search(word) for head in heads for word in names_in(head))


def is_of_gradient(tensor: ast.expr) -> bool:
    """Whether a tensor is the gradient of something, as in `parameter.grad.data`."""
    return any(isinstance(part, ast.Attribute) and part.attr == "grad" for part in nodes_in(tensor))
