"""Tensors of one or two bytes an element, on the host."""

from __future__ import annotations

import ast
from typing import TYPE_CHECKING

from trainlint.analysis.syntax.names import argument, last_name
from trainlint.analysis.syntax.reaching import single_value
from trainlint.contract.guard import guard
from trainlint.patterns import lazy

if TYPE_CHECKING:
    from trainlint.analysis.site import Site

_IMAGES = lazy(r"^torchvision\.io\.(\w+\.)?(read_image|decode_image|decode_jpeg|decode_png)$")
_TYPES = frozenset(("uint8", "int8", "bool", "float16", "half", "bfloat16"))
_CASTS = frozenset(("byte", "char", "bool", "half", "bfloat16"))
_KEEP_TYPE = frozenset("view reshape permute transpose unsqueeze squeeze flatten contiguous pin_memory clone".split())
_DEEPEST = 6


@guard
def casts_by_itself(site: Site) -> bool:
    """The copy names a data type and casts by itself."""
    call = site.call
    return last_name(call.func) == "to" and (len(call.args) != 1 or argument(call, "dtype") is not None)


def is_small(site: Site, node: ast.expr, depth: int = _DEEPEST) -> bool:
    """Whether an expression is surely a tensor of one or two bytes an element, on the host."""
    match node:
        case ast.Name() if depth and (value := single_value(node, site.block)) is not None:
            return is_small(site, value, depth - 1)
        case ast.Call(func=func) if (origin := site.origin(func)) is not None:
            given = argument(node, "dtype") if origin.startswith("torch.") else None
            typed = given is not None and last_name(given) in _TYPES and argument(node, "device") is None
            return typed or bool(_IMAGES.match(origin))
        case ast.Call(func=ast.Attribute() as method):
            return _gives_small(site, node, method, depth)
    return False


def _gives_small(site: Site, call: ast.Call, method: ast.Attribute, depth: int) -> bool:
    """The same of a method call: it casts to such a type, or keeps the type of such a tensor."""
    if method.attr in _CASTS and not call.args:
        return not site.value(method.value).on_device
    if method.attr == "to" and len(call.args) == 1:
        return last_name(call.args[0]) in _TYPES and not site.value(method.value).on_device
    return bool(depth) and method.attr in _KEEP_TYPE and is_small(site, method.value, depth - 1)
