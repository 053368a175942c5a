"""What annotations declare: the classes of the project whose objects a parameter, a result or an attribute holds."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from typing import TYPE_CHECKING

from trainlint.analysis.syntax.blocks import Block, Class, Function
from trainlint.analysis.syntax.names import last_name
from trainlint.analysis.tables.common_names import FOREIGN
from trainlint.analysis.types.access_paths import AccessPath, Start, joined_paths

if TYPE_CHECKING:
    from trainlint.analysis.semantic_model import SemanticModel

RESULT = "return"
"""The name under which a function's result is declared: no parameter can have it."""
_HOLDING = frozenset({"Optional", "Union", "Annotated", "Final", "ClassVar", "Required", "NotRequired"})
"""Generic types that hold the very object which their arguments name."""
_AFTER_ALL_LINES = 10**9
"""A line behind all others: what stands in quotes may name classes that come later."""


def of_function(file: SemanticModel, function: Function) -> dict[str, tuple[AccessPath, ...]]:
    """Parameter, or RESULT → the classes that its annotation names."""
    annotated = [item for item in function.parameters if item.annotation is not None]
    found = {item.arg: _classes(file, item.annotation, function.outside) for item in annotated}
    if not isinstance(function.node, ast.Lambda) and not function.is_generator and function.node.returns is not None:
        found[RESULT] = _classes(file, function.node.returns, function.outside)
    return {name: access_paths for name, access_paths in found.items() if access_paths}


def of_class(file: SemanticModel, cls: Class) -> dict[str, tuple[AccessPath, ...]]:
    """Attribute → the classes that its annotation in the class body names."""
    found = {
        item.target.id: _classes(file, item.annotation, cls.outside)
        for item in cls.node.body
        if isinstance(item, ast.AnnAssign) and isinstance(item.target, ast.Name)
    }
    return {name: access_paths for name, access_paths in found.items() if access_paths}


def _classes(file: SemanticModel, annotation: ast.expr | None, block: Block) -> tuple[AccessPath, ...]:
    """Access paths to the classes of an annotation, but for those of well-known libraries."""
    access_paths = [
        access_path for name in _names(annotation) for access_path in file.kinds.of(name, block).access_paths
    ]
    return joined_paths(
        [each for each in access_paths if each.start is not Start.NAME or each.of.partition(".")[0] not in FOREIGN]
    )


def _names(node: ast.expr | None) -> Iterator[ast.expr]:
    """The names of an annotation of which one is the class of the object itself, and not of what that holds."""
    match node:
        case ast.Name() | ast.Attribute():
            yield node
        case ast.BinOp(op=ast.BitOr()):
            yield from _names(node.left)
            yield from _names(node.right)
        case ast.Subscript() if last_name(node.value) in _HOLDING:
            inner = node.slice.elts if isinstance(node.slice, ast.Tuple) else [node.slice]
            for item in inner[:1] if last_name(node.value) == "Annotated" else inner:
                yield from _names(item)
        case ast.Constant(value=str(text)):
            yield from _names(_parsed(text))


def _parsed(text: str) -> ast.expr | None:
    try:
        found = ast.parse(text.strip(), mode="eval").body
    except (SyntaxError, ValueError, RecursionError):
        return None
    for part in ast.walk(found):
        if isinstance(part, ast.expr):
            part.lineno = _AFTER_ALL_LINES
    return found
