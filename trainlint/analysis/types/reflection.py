"""Modules and attributes that a program finds by names which it puts together as it runs."""

from __future__ import annotations

import ast
from typing import TYPE_CHECKING

from trainlint.analysis.syntax.blocks import Block, How
from trainlint.analysis.syntax.names import last_name, position
from trainlint.analysis.syntax.reaching import reaching
from trainlint.analysis.types.access_paths import BY_NAME, SOME, AccessPath, Start, extended_paths
from trainlint.patterns import lazy

if TYPE_CHECKING:
    from trainlint.analysis.types.inference import Kinds

_MODULES = frozenset({"import_module", "__import__"})
_OBJECTS = frozenset({"locate", "import_string", "import_object", "get_obj_from_str", "get_class", "get_object"})
"""Functions that find an object by its dotted name."""
_LONGEST = 12
"""Parts of one dotted name."""
_CONVERSION = lazy(r"%[-+ #0-9.]*[a-zA-Z]")


def reflected(kinds: Kinds, call: ast.Call, block: Block) -> tuple[AccessPath, ...] | None:
    """What a call of `getattr`, `import_module` and their like may find; None for any other call."""
    name = last_name(call.func)
    if name in ("globals", "locals") and not call.args and isinstance(call.func, ast.Name):
        return (AccessPath(Start.MODULES, "", path=(BY_NAME,)),)
    if not call.args:
        return None
    if name == "getattr" and len(call.args) > 1 and isinstance(call.func, ast.Name):
        return extended_paths(kinds.of(call.args[0], block).access_paths, attribute_pattern(call.args[1], block))
    if name == "vars" and isinstance(call.func, ast.Name):
        return extended_paths(kinds.of(call.args[0], block).access_paths, BY_NAME)
    if name in _MODULES:
        return _module(_pattern(call.args[0]))
    return _object(_pattern(call.args[0])) if name in _OBJECTS else None


def _module(pattern: str) -> tuple[AccessPath, ...] | None:
    return (AccessPath(Start.MODULES, pattern),) if _is_specific(pattern) else None


def _object(pattern: str) -> tuple[AccessPath, ...] | None:
    """An attribute of a module, by the dotted name of both."""
    module, _, attribute = pattern.rpartition(".")
    return (AccessPath(Start.MODULES, module, path=(attribute,)),) if module and _is_specific(pattern) else None


def _is_specific(pattern: str) -> bool:
    """Whether enough of a dotted name is known to search the project for modules that it may mean."""
    first, _, rest = pattern.partition(".")
    return SOME not in first and bool(first or rest.strip("*.")) and pattern.count(".") < _LONGEST


def own_module(node: ast.Subscript, origin: str | None) -> tuple[AccessPath, ...]:
    """The file itself as a module, where it asks `sys.modules` for that."""
    own = origin == "sys.modules" and isinstance(node.slice, ast.Name) and node.slice.id == "__name__"
    return (AccessPath(Start.MODULES, ""),) if own else ()


def attribute_pattern(node: ast.expr, block: Block) -> str:
    """The name of an attribute as an expression puts it together, with `*` for each part that is not known."""
    if isinstance(node, ast.Name):
        bindings = reaching(node.id, block, position(node))
        if len(bindings) == 1 and bindings[0].how is How.ASSIGN and not bindings[0].path:
            assigned = bindings[0].value
            return _pattern(assigned) if assigned is not None else SOME
    return _pattern(node)


def _pattern(node: ast.expr) -> str:
    """A text as it is put together, with `*` for each part that is not known."""
    match node:
        case ast.Constant(value=str(text)):
            return text
        case ast.JoinedStr():
            found = "".join(_pattern(part) for part in node.values)
        case ast.BinOp(op=ast.Add()):
            found = _pattern(node.left) + _pattern(node.right)
        case ast.BinOp(op=ast.Mod(), left=ast.Constant(value=str(text))):
            found = _CONVERSION.sub(SOME, text)
        case ast.Call(func=ast.Attribute(value=ast.Constant(value=str(text)), attr="format")):
            found = SOME.join(part.rpartition("}")[2] for part in text.split("{"))
        case _:
            return SOME
    while SOME * 2 in found:
        found = found.replace(SOME * 2, SOME)
    return found
