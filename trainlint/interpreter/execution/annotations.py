"""What the annotation of a parameter says, where it speaks of values of the host alone."""

from __future__ import annotations

import ast
import re
from typing import Final

from trainlint.interpreter.text import text
from trainlint.interpreter.values.callables import ClassValue, Object
from trainlint.interpreter.values.definitions import Module
from trainlint.interpreter.values.kinds import ANY_KEY, PLAIN, Items, Mapping_, Unknown
from trainlint.interpreter.values.value import Value

_HOST: Final = frozenset({"int", "str", "bool", "float", "bytes", "None", "dtype", "Size", "Path"})
_LISTS: Final = frozenset({"List", "list", "Sequence", "Iterable", "Set", "set", "Collection"})
_DICTS: Final = frozenset({"Dict", "dict", "Mapping"})
_MISSING: Final = object()
ANNOTATED_TENSOR: Final = re.compile(r"^(Optional\[)?(torch\.)?(Tensor|FloatTensor|LongTensor|BoolTensor)\b")
_OPTIONAL: Final = re.compile(r"^Optional\[(.*)\]$")


def host_value(annotation: ast.expr | None) -> Value | None:
    """The value of a parameter that is annotated as numbers, strings or containers of these; None for any other."""
    if annotation is None:
        return None
    known = annotation.__dict__.get("trainlint_host_value", _MISSING)
    if known is _MISSING:
        known = annotation.__dict__["trainlint_host_value"] = _read(annotation)
    return known if isinstance(known, Value) else None


def annotated_object(annotation: ast.expr, module: Module, given: Value) -> Value:
    """What a parameter is that is annotated as a class of the project, where it is `given` what says less.

    A batch is an object of a class only where that names its fields.
    """
    name = _OPTIONAL.sub(r"\1", text(annotation)).strip("'\"")
    found = module.names.get(name)
    if not isinstance(found, ClassValue) or not (isinstance(given, Unknown) or found.cls.fields):
        return given
    return Object(found.cls, given.maybe_none)


def _read(node: ast.expr) -> Value | None:
    match node:
        case ast.Constant(value=None):
            return PLAIN
        case ast.Name(id=name) | ast.Attribute(attr=name):
            return PLAIN if name in _HOST else None
        case ast.BinOp(op=ast.BitOr()):
            return _one_of([node.left, node.right])
        case ast.Subscript():
            return _container(node)
    return None


def _container(node: ast.Subscript) -> Value | None:
    name = node.value.attr if isinstance(node.value, ast.Attribute) else getattr(node.value, "id", "")
    parts = node.slice.elts if isinstance(node.slice, ast.Tuple) else [node.slice]
    if name == "Literal":
        return PLAIN
    if name in ("Optional", "Union"):
        return _one_of(parts)
    values = [_read(part) for part in parts if not _is_ellipsis(part)]
    host = [value for value in values if value is not None]
    if not host or len(host) < len(values):
        return None
    if name in ("Tuple", "tuple"):
        return Items(tuple(host), fixed=len(host) == len(parts))
    if name in _DICTS:
        return Mapping_({ANY_KEY: host[-1]})
    return Items((host[0],)) if name in _LISTS else None


def _is_ellipsis(node: ast.expr) -> bool:
    return isinstance(node, ast.Constant) and node.value is Ellipsis


def _one_of(parts: list[ast.expr]) -> Value | None:
    """The value of a choice: that of its container, if it has one."""
    values = [_read(part) for part in parts]
    host = [value for value in values if value is not None]
    if len(host) < len(values):
        return None
    return next((value for value in host if value is not PLAIN), PLAIN)
