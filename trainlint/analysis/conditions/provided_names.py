"""Whether a file itself provides a name of a library, or asks whether the library has it, as shims for old versions do.

Such code must stay as it is: in `if "gather" not in dir(dist): dist.gather = dist._gather`, the new name written in
place of the old one would assign what is missing to itself.
"""

from __future__ import annotations

import ast
from collections.abc import Collection, Iterator
from typing import TYPE_CHECKING

from trainlint.analysis.conditions.versions import module_asked_for_names
from trainlint.analysis.syntax.blocks import Block, How
from trainlint.analysis.syntax.memo import once
from trainlint.analysis.syntax.names import constant, dotted, imported_names, last_name, nodes_in

if TYPE_CHECKING:
    from trainlint.analysis.semantic_model import SemanticModel

_LOOKUPS = frozenset({"hasattr", "getattr", "setattr", "delattr"})
_MISSING = frozenset({"ImportError", "ModuleNotFoundError", "AttributeError"})
"""What is raised where a library lacks a name."""
_ANY = ""
"""The module of a lookup in something that is no import: it may be any."""


def provides(file: SemanticModel, names: Collection[str], old: str, block: Block) -> bool:
    """Whether the file defines one of these dotted names, or looks one up by `hasattr`, `dir`, `getattr` or a `try`.

    `old` is the dotted name that they replace, and `block` the place where it is used. A module of a new name that is
    none of the old one counts as well. A function of the file counts as a definition where it is called like the new
    name and not like the old one: one of the module, or one around the place.
    """
    asked = _looked_up_names(file)
    for name in names:
        word = name.rpartition(".")[2]
        looked_up = (part.rpartition(".") for part in _parents(name) if not old.startswith(f"{part}."))
        if any(not asked.get(part, frozenset()).isdisjoint({module, _ANY}) for module, _, part in looked_up):
            return True
        if word != old.rpartition(".")[2] and (word in _module_names(file) or _is_inside(block, word)):
            return True
    return False


def _parents(name: str) -> list[str]:
    """A dotted name and the modules that it lies in, without the package."""
    parts = name.split(".")
    return [".".join(parts[:count]) for count in range(2, len(parts) + 1)]


def _is_inside(block: Block, name: str) -> bool:
    return any(getattr(outer.node, "name", None) == name for outer in block.outwards())


@once
def _module_names(file: SemanticModel) -> frozenset[str]:
    """The functions and classes of the module, and other names for something that exists, such as `new = old`."""
    bindings = (item for items in file.outline.module.scope.bindings.values() for item in items)
    return frozenset(
        item.name
        for item in bindings
        if item.how in (How.FUNCTION, How.CLASS) or (item.how is How.ASSIGN and _is_another_name(item.value))
    )


def _is_another_name(value: ast.expr | None) -> bool:
    match value:
        case ast.Name() | ast.Attribute() | ast.IfExp() | ast.BoolOp() | ast.Lambda():
            return True
        case ast.Call():
            return last_name(value.func) == "partial"
    return False


@once
def _looked_up_names(file: SemanticModel) -> dict[str, frozenset[str]]:
    """The names that are looked up or assigned in modules, each with these modules."""
    found: dict[str, set[str]] = {}
    for module, name in _lookups(file):
        found.setdefault(name, set()).add(module)
    return {name: frozenset(modules) for name, modules in found.items()}


def _lookups(file: SemanticModel) -> Iterator[tuple[str, str]]:
    """Each module and name that the file looks up or assigns."""
    outline = file.outline
    for node in nodes_in(file.tree):
        match node:
            case ast.Call(func=ast.Name(id=function), args=[module, name, *_]) if function in _LOOKUPS:
                yield outline.origin(module) or _ANY, str(constant(name))
            case ast.Compare(left=left) if (asked := module_asked_for_names(node)) is not None:
                yield outline.origin(asked) or _ANY, str(constant(left))
            case ast.Attribute(ctx=ast.Store(), value=module, attr=name) if origin := outline.origin(module):
                yield origin, name
            case ast.Try(body=body) if _expects_to_miss(node):
                for part in (part for statement in body for part in nodes_in(statement)):
                    yield from _named(file, part)


def _expects_to_miss(node: ast.Try) -> bool:
    """Whether a `try` goes on where a name is missing: by what it catches, or for it only imports and assigns."""
    types = [handler.type for handler in node.handlers if handler.type is not None]
    caught = {last_name(part) for item in types for part in (item.elts if isinstance(item, ast.Tuple) else [item])}
    only_names = all(isinstance(item, ast.Import | ast.ImportFrom | ast.Assign) for item in node.body)
    return bool(node.handlers) and (not caught.isdisjoint(_MISSING) or only_names)


def _named(file: SemanticModel, node: ast.AST) -> Iterator[tuple[str, str]]:
    """The dotted name that a node imports or is."""
    names: list[str] = []
    if isinstance(node, ast.ImportFrom):
        names = [meaning for _, meaning in imported_names(node)]
    elif isinstance(node, ast.Attribute) and dotted(node) is not None:
        names = [file.outline.origin(node) or ""]
    for name in names:
        module, _, word = name.rpartition(".")
        if module:
            yield module, word
