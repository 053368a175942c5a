"""What code does with an imported thing: call it, decorate with it, inherit from it, name it as a type, hand it on."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from enum import Enum, auto
from typing import TYPE_CHECKING

from trainlint.analysis.syntax.blocks import How, Place
from trainlint.analysis.syntax.memo import once
from trainlint.analysis.syntax.names import imported_names, nodes_in, position, root_name
from trainlint.analysis.syntax.reaching import reaching
from trainlint.analysis.syntax.uses import call_of

if TYPE_CHECKING:
    from trainlint.analysis.semantic_model import SemanticModel


class Role(Enum):
    """What a reference is there for."""

    CALL = auto()
    DECORATOR = auto()
    """Decorates without being called."""
    BASE = auto()
    TYPE_TEST = auto()
    """Asked for by isinstance or issubclass."""
    ANNOTATION = auto()
    VALUE = auto()
    """Assigned, passed or returned, to be called elsewhere."""


def role(file: SemanticModel, place: Place) -> Role:
    """The role of a reference at its place."""
    node, statement = place.node, place.statement
    if call_of(file, node) is not None:
        return Role.CALL
    if (
        isinstance(statement, ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef)
        and node in statement.decorator_list
    ):
        return Role.DECORATOR
    if isinstance(statement, ast.ClassDef) and node in statement.bases:
        return Role.BASE
    if node in _types_asked_for(file):
        return Role.TYPE_TEST
    return Role.ANNOTATION if any(part is node for part in _annotations(statement)) else Role.VALUE


@once
def _types_asked_for(file: SemanticModel) -> set[ast.AST]:
    """All nodes in what isinstance and issubclass test for."""
    tests = (place.node for name in ("isinstance", "issubclass") for place in file.outline.calls.get(name, ()))
    types = (item for test in tests if isinstance(test, ast.Call) for item in test.args[1:])
    return {part for item in types for part in nodes_in(item)}


def _annotations(statement: ast.stmt) -> Iterator[ast.AST]:
    if isinstance(statement, ast.AnnAssign):
        yield from nodes_in(statement.annotation)
    elif isinstance(statement, ast.FunctionDef | ast.AsyncFunctionDef) and statement.returns is not None:
        yield from nodes_in(statement.returns)


def imports_of(place: Place) -> list[ast.Import | ast.ImportFrom]:
    """The import statements that a reference may mean; none where something else may give its name a value, too."""
    node = place.node
    statements: list[ast.Import | ast.ImportFrom] = []
    if isinstance(node, ast.expr):
        for binding in reaching(root_name(node), place.block, position(node)):
            if binding.how is not How.IMPORT or not isinstance(binding.node, ast.Import | ast.ImportFrom):
                return []
            statements.append(binding.node)
    return sorted(statements, key=position)


def import_of(place: Place) -> ast.Import | ast.ImportFrom | None:
    """The import statement that gives a reference its meaning, the first of several that agree; None for all else."""
    statements = imports_of(place)
    meanings = {dict(imported_names(statement)).get(root_name(place.node)) for statement in statements}
    return statements[0] if len(meanings) == 1 else None


def references_by(file: SemanticModel, statement: ast.Import | ast.ImportFrom) -> Iterator[Place]:
    """The references that may mean what one import statement binds."""
    names = {name for name, _ in imported_names(statement)}
    for place in file.outline.references:
        if isinstance(place.node, ast.expr) and root_name(place.node) in names:
            found = reaching(root_name(place.node), place.block, position(place.node))
            if any(binding.node is statement for binding in found):
                yield place
