"""A name that PyTorch has renamed, rewritten to the new one: at its uses, and in the import that brings it in."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from typing import TYPE_CHECKING

from trainlint.analysis.conditions.alternatives import is_tried
from trainlint.analysis.syntax.names import imported_names, nodes_in, root_name
from trainlint.analysis.syntax.roles import Role, import_of, references_by, role
from trainlint.analysis.tables.versions.deprecations import deprecation_of
from trainlint.finding import Edit, Fix, Safety
from trainlint.fixing.expressions import replace_expression
from trainlint.fixing.imported_uses import uses_of
from trainlint.fixing.imports import drop_name, ensure_import, move_names
from trainlint.fixing.layout import Unfixable
from trainlint.fixing.rewrite import attempt
from trainlint.fixing.segment import replace_simple_statement, simple_statement

if TYPE_CHECKING:
    from trainlint.analysis.programs.old_names.deprecated_uses import DeprecatedUse
    from trainlint.analysis.semantic_model import SemanticModel
    from trainlint.analysis.syntax.blocks import Place


_CALLED = (Role.CALL, Role.DECORATOR, Role.ANNOTATION)
_BY_NAME = ("globals", "locals", "exec", "eval")
"""Functions by which code may use a name that stands in no expression of the file."""


def rename_of(file: SemanticModel, use: DeprecatedUse) -> Fix | None:
    """The fix for any use: the new name where it is exact, or no import of what nothing uses; None where none is."""
    if use.only_imports:
        return attempt(lambda: _unused_import_dropped(file, use))
    return attempt(lambda: renamed(file, use)) if use.deprecation.exact else None


def renamed(file: SemanticModel, use: DeprecatedUse) -> Fix:
    """The fix for one use of a name whose replacement is exact.

    A dotted use is rewritten by itself. Where an import brings the very name in, the import and all that it means in
    the file are rewritten together. Raises Unfixable where the use, or another one that must change with it, cannot.
    """
    new = use.deprecation.replacement
    if isinstance(use.place.node, ast.ImportFrom):
        statement: ast.Import | ast.ImportFrom | None = use.place.node
    else:
        statement = import_of(use.place)
    reference = use.reference
    if statement is None:
        raise Unfixable("the name has more than one meaning")
    if isinstance(reference, ast.Attribute) and not isinstance(reference.ctx, ast.Load):
        raise Unfixable("what stands under the old name is changed")
    if reference is not None and not _brings_in(statement, use.name, root_name(reference)):
        edits = tuple(_dotted_use(file, statement, reference, new))
    elif isinstance(statement, ast.ImportFrom):
        edits = tuple(_import_and_uses(file, statement, use))
    else:
        raise Unfixable("the import cannot be rewritten")
    safety = Safety.SAFE if use.deprecation.same_object or _is_only_called(file, use, statement) else Safety.UNSAFE
    return Fix(f"Use {new}", tuple(sorted(set(edits))), safety)


def _is_only_called(file: SemanticModel, use: DeprecatedUse, statement: ast.Import | ast.ImportFrom) -> bool:
    """Whether what is renamed is only called: what is handed on may be compared, pickled or asked for its name."""
    local = next((local for local, meaning in imported_names(statement) if meaning == use.name), None)
    places = [use.place]
    if local is not None and (use.reference is None or root_name(use.reference) == local):
        places = [place for place in references_by(file, statement) if root_name(place.node) == local]
    return all(role(file, place) in _CALLED or _is_asked(use, place) for place in places)


def _is_asked(use: DeprecatedUse, place: Place) -> bool:
    """Whether something public is asked of what is renamed, as of an enumeration: `dist.reduce_op.SUM`."""
    node = place.node
    return place is use.place and isinstance(node, ast.Attribute) and node is not use.reference and node.attr[0] != "_"


def _brings_in(statement: ast.Import | ast.ImportFrom, name: str, local: str) -> bool:
    return (local, name) in imported_names(statement)


def _dotted_use(
    file: SemanticModel, statement: ast.Import | ast.ImportFrom, reference: ast.expr, new: str
) -> Iterator[Edit]:
    """A use below a module that the file imports: `init.normal` where `init` is `torch.nn.init`."""
    import libcst as cst

    local = root_name(reference)
    meaning = dict(imported_names(statement))[local]
    if new.startswith(f"{meaning}."):
        written = local + new[len(meaning) :]
        edits: tuple[Edit, ...] = ()
    else:
        module, _, name = new.rpartition(".")
        written, edits = ensure_import(file.source, file.tree, module, name)
    yield from edits
    yield replace_expression(file.source, reference, cst.parse_expression(written))


def _import_and_uses(file: SemanticModel, statement: ast.ImportFrom, use: DeprecatedUse) -> Iterator[Edit]:
    if is_tried(file, statement) or file.source.path.endswith("__init__.py") or "__all__" in file.source.text:
        raise Unfixable("others may depend on what the import gives")
    old_module, _, old_name = use.name.rpartition(".")
    new_module, _, new_name = use.deprecation.replacement.rpartition(".")
    alias = next(item for item in statement.names if item.name == old_name)
    if old_name == new_name:
        yield from move_names(file.source, statement, _moving_along(statement, use), new_module)
        return
    if old_module != new_module:
        raise Unfixable("the name and its module change at once")
    yield _renamed_import(file, statement, old_name, new_name)
    if not alias.asname:
        yield from _renamed_uses(file, statement, old_name, new_name)


def _renamed_import(file: SemanticModel, statement: ast.ImportFrom, old_name: str, new_name: str) -> Edit:
    import libcst as cst

    if any(item.name == new_name for item in statement.names):
        raise Unfixable("the new name is imported beside the old one")
    node = simple_statement(file.source, statement)
    assert isinstance(node, cst.ImportFrom)
    assert not isinstance(node.names, cst.ImportStar)
    names = [
        item.with_changes(name=cst.Name(new_name)) if item.evaluated_name == old_name else item for item in node.names
    ]
    return replace_simple_statement(file.source, statement, node.with_changes(names=names))


def _require_free_names(file: SemanticModel, old_name: str, new_name: str) -> None:
    """Raises Unfixable where either name may mean something else."""
    for node in nodes_in(file.tree):
        if isinstance(node, ast.Name) and node.id == new_name:
            raise Unfixable("the new name has another meaning in this file")
        if isinstance(node, ast.Name) and node.id == old_name and not isinstance(node.ctx, ast.Load):
            raise Unfixable("the old name is deleted, or bound anew")
        if isinstance(node, ast.Global | ast.Nonlocal) and old_name in node.names:
            raise Unfixable("a function may bind the old name anew")
        if isinstance(node, ast.Constant) and isinstance(node.value, str) and old_name in node.value:
            raise Unfixable("a text names the old name, by which code may look it up")
    if any(name in file.outline.calls for name in _BY_NAME):
        raise Unfixable("code may look up the old name")


def _renamed_uses(file: SemanticModel, statement: ast.ImportFrom, old_name: str, new_name: str) -> Iterator[Edit]:
    import libcst as cst

    _require_free_names(file, old_name, new_name)
    for _, root in uses_of(file, statement, (old_name,)):
        while isinstance(root, ast.Attribute):
            root = root.value
        yield replace_expression(file.source, root, cst.Name(new_name))


def _moving_along(statement: ast.ImportFrom, use: DeprecatedUse) -> list[str]:
    """The names of one import that go to the same module under the same name."""
    new_module = use.deprecation.replacement.rpartition(".")[0]
    moving = []
    for alias in statement.names:
        found = deprecation_of(f"{statement.module}.{alias.name}", use.deprecation.code)
        if found is not None and found[0].exact and found[0].replacement == f"{new_module}.{alias.name}":
            moving.append(alias.name)
    return moving


def _unused_import_dropped(file: SemanticModel, use: DeprecatedUse) -> Fix:
    """The fix for an import of a deprecated name that nothing uses."""
    statement = use.place.node
    assert isinstance(statement, ast.ImportFrom)
    edits = drop_name(file.source, statement, use.name.rpartition(".")[2])
    return Fix(f"Do not import {use.name}", edits, Safety.SAFE)
