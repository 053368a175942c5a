"""Tables of parameters whose rows are picked: what is indexed, and by what."""

from __future__ import annotations

import ast
import re
from typing import NamedTuple

from trainlint.analysis.site import Site
from trainlint.analysis.syntax.names import argument, constant, last_name
from trainlint.analysis.types.values import Kind
from trainlint.contract.guard import guard
from trainlint.patterns import lazy

_INDICES = lazy(r"(^|_)(ids|indices|tokens|positions|labels|classes)$")
_ONCE_EACH = lazy(r"mask|keep|valid|perm|sort|order|topk", re.IGNORECASE)
_EMBEDDINGS = ("torch.nn.Embedding", "torch.nn.modules.sparse.Embedding")
_PARAMETERS = ("torch.nn.Parameter", "torch.nn.parameter.Parameter")
_CREATIONS = ("zeros", "ones", "randn", "rand", "empty")


class Lookup(NamedTuple):
    """Rows that are picked from a table."""

    table: ast.expr
    indices: ast.expr
    by_call: bool
    """Whether `index_select` picks them."""


@guard
def come_once_each(site: Site) -> bool:
    """The name says that no index repeats, or that it is a mask (`perm`, `mask`)."""
    found = lookup(site)
    return found is not None and _ONCE_EACH.search(ast.unparse(found.indices)) is not None


def lookup(site: Site) -> Lookup | None:
    """The rows of a parameter of two dimensions that a place picks by indices."""
    found = _indexed(site)
    return found if found is not None and _are_indices(site, found.indices) and _is_table(site, found.table) else None


def _indexed(site: Site) -> Lookup | None:
    match site.node:
        case ast.Subscript(value=table, slice=indices, ctx=ast.Load()):
            return Lookup(table, indices, by_call=False)
        case ast.Call(func=ast.Attribute(value=receiver) as function):
            method = site.origin(function) is None
        case _:
            return None
    given = receiver if method else argument(site.call, "input", 0)
    dimension = argument(site.call, "dim", 0 if method else 1)
    picked = argument(site.call, "index", 1 if method else 2)
    if given is None or picked is None or constant(dimension) != 0:
        return None
    return Lookup(given, picked, by_call=True)


def _are_indices(site: Site, node: ast.expr) -> bool:
    if not isinstance(node, ast.Name | ast.Attribute | ast.Call) or not _INDICES.search(last_name(node)):
        return False
    return site.value(node).kind in (Kind.TENSOR, Kind.UNKNOWN)


def _is_table(site: Site, node: ast.expr) -> bool:
    """Whether an attribute of the object is a parameter of two dimensions, or the weight of an embedding."""
    if not isinstance(node, ast.Attribute):
        return False
    if node.attr == "weight" and isinstance(node.value, ast.Attribute):
        return _built(site, node.value, _EMBEDDINGS) is not None
    made = _built(site, node, _PARAMETERS)
    given = made.args[0] if made is not None and made.args else None
    return isinstance(given, ast.Call) and _dimensions(given) == 2


def _built(site: Site, node: ast.Attribute, origins: tuple[str, ...]) -> ast.Call | None:
    """The one call that makes an attribute of the object, if it is of these."""
    function = site.function
    if function is None or function.owner is None or not isinstance(node.value, ast.Name) or node.value.id != "self":
        return None
    bindings = function.owner.attributes.get(node.attr, [])
    value = bindings[0].value if len(bindings) == 1 else None
    if not isinstance(value, ast.Call) or site.file.kinds.imported(value.func, bindings[0].block) not in origins:
        return None
    return value


def _dimensions(creation: ast.Call) -> int | None:
    """How many dimensions a literal shape has: `zeros(n, d)`, `randn((n, d))`."""
    if last_name(creation.func) not in _CREATIONS or any(isinstance(item, ast.Starred) for item in creation.args):
        return None
    if len(creation.args) == 1:
        shape = creation.args[0]
        return len(shape.elts) if isinstance(shape, ast.Tuple | ast.List) else None
    return len(creation.args)
