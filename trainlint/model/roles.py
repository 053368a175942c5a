"""What code does with an imported thing: call it, decorate with it, inherit from it, name it as a type, hand it on."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from enum import Enum, auto

from trainlint.model.blocks import How, Place
from trainlint.model.lookup import reaching
from trainlint.model.names import imported_names, position, root_name
from trainlint.model.outline import Outline
from trainlint.model.uses import call_of


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


def role(outline: Outline, place: Place) -> Role:
    """The role of a reference at its place."""
    node, statement = place.node, place.statement
    if call_of(outline, node) is not None:
        return Role.CALL
    if (
        isinstance(statement, ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef)
        and node in statement.decorator_list
    ):
        return Role.DECORATOR
    if isinstance(statement, ast.ClassDef) and node in statement.bases:
        return Role.BASE
    for name in ("isinstance", "issubclass"):
        for call in (found.node for found in outline.calls.get(name, ()) if found.statement is statement):
            if isinstance(call, ast.Call) and any(part is node for item in call.args[1:] for part in ast.walk(item)):
                return Role.TYPE_TEST
    return Role.ANNOTATION if any(part is node for part in _annotations(statement)) else Role.VALUE


def _annotations(statement: ast.stmt) -> Iterator[ast.AST]:
    if isinstance(statement, ast.AnnAssign):
        yield from ast.walk(statement.annotation)
    elif isinstance(statement, ast.FunctionDef | ast.AsyncFunctionDef) and statement.returns is not None:
        yield from ast.walk(statement.returns)


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


def references_by(outline: Outline, statement: ast.Import | ast.ImportFrom) -> Iterator[Place]:
    """The references that may mean what one import statement binds."""
    names = {name for name, _ in imported_names(statement)}
    for place in outline.references:
        if isinstance(place.node, ast.expr) and root_name(place.node) in names:
            found = reaching(root_name(place.node), place.block, position(place.node))
            if any(binding.node is statement for binding in found):
                yield place
