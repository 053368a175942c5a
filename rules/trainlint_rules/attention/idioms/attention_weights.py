"""What becomes of the attention weights that a call of `nn.MultiheadAttention` returns."""

from __future__ import annotations

import ast

from trainlint.analysis.site import Site
from trainlint.analysis.syntax.blocks import Place
from trainlint.analysis.syntax.names import argument, constant, has_unpacked_arguments
from trainlint.analysis.syntax.uses import assigned_target, loads, own_nodes
from trainlint.contract.guard import guard

_NEED_WEIGHTS = 4
"""The place of `need_weights` among the arguments."""


@guard
def chosen(site: Site) -> bool:
    """`need_weights` or `average_attn_weights` is set, or may be in `*args` or `**kwargs`."""
    given = argument(site.call, "need_weights", _NEED_WEIGHTS)
    asked = given is not None and constant(given) is not True
    return asked or has_unpacked_arguments(site.call) or argument(site.call, "average_attn_weights", 6) is not None


def drops_weights(place: Place) -> bool:
    """Whether nobody reads the second thing that a call gives, the weights."""
    statement, scope = place.statement, place.block.scope
    for part in own_nodes(statement):
        if isinstance(part, ast.Subscript) and part.value is place.node:
            return constant(part.slice) == 0
    match assigned_target(statement, place.node):
        case ast.Tuple(elts=[_, weights]) | ast.List(elts=[_, weights]):
            return isinstance(weights, ast.Name) and not any(True for _ in loads(scope.node, weights.id))
    return False


def gives_all_three(call: ast.Call) -> bool:
    """Whether a call gives query, key and value; one that does not goes to another class of attention."""
    if has_unpacked_arguments(call):
        return True
    return all(argument(call, name, index) is not None for index, name in enumerate(("query", "key", "value")))
