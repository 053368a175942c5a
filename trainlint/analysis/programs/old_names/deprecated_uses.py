"""Where a file uses a deprecated name, and how much that matters for the versions that the project targets."""

from __future__ import annotations

import ast
from dataclasses import dataclass
from typing import TYPE_CHECKING

from trainlint.analysis.conditions.alternatives import depends_on_version, has_alternative, is_tried, origins
from trainlint.analysis.syntax.blocks import Block, BlockKind, Place
from trainlint.analysis.syntax.names import imported_names, root_name
from trainlint.analysis.syntax.roles import import_of, references_by
from trainlint.analysis.syntax.uses import call_of
from trainlint.analysis.tables.versions.deprecation import Deprecation, Version
from trainlint.analysis.tables.versions.deprecations import deprecation_of
from trainlint.finding import Severity
from trainlint.patterns import lazy

if TYPE_CHECKING:
    from trainlint.analysis.semantic_model import SemanticModel

_NOT_WARNED = 0.6
"""How sure it is that an old name matters of which the project's PyTorch is not known to warn."""
_NEW_NAME = lazy(r"torch(?:\.\w+)+")


@dataclass(frozen=True, slots=True)
class Relevance:
    """What a deprecation means for a project."""

    severity: Severity
    confidence: float


@dataclass(frozen=True, slots=True, eq=False)
class DeprecatedUse:
    """One use of a deprecated name."""

    deprecation: Deprecation
    name: str
    """The dotted name by which it is used."""
    place: Place
    """The reference; the import statement where what is imported is gone, or is used nowhere."""
    at: ast.AST
    """What to point at: the call, else the reference or the import."""
    standing: Relevance

    @property
    def reference(self) -> ast.expr | None:
        """The part of the place that names the deprecated thing, without what is asked of it; None for an import."""
        node = self.place.node
        if not isinstance(node, ast.expr):
            return None
        found: ast.expr = node
        while isinstance(found, ast.Attribute) and not _names(found, self.place, self.name):
            found = found.value
        return found

    @property
    def only_imports(self) -> bool:
        """Whether it is an import that nothing uses, which can go without any replacement."""
        return isinstance(self.place.node, ast.ImportFrom) and self.standing.severity is not Severity.ERROR

    @property
    def fact(self) -> str:
        """What is wrong with the name."""
        row = self.deprecation
        if self.standing.severity is Severity.ERROR and row.removed is not None:
            said = f"`{self.name}` is gone since PyTorch {_dotted(row.removed)}"
        elif row.since < (1, 0):
            said = f"`{self.name}` has long been deprecated"
        elif row.private:
            said = f"`{self.name}` is private and may move with any release"
        else:
            said = f"`{self.name}` is deprecated since PyTorch {_dotted(row.since)}"
        if row.warns and self.standing.severity is not Severity.ERROR:
            said += ", which warns of it"
        return said

    @property
    def instead(self) -> str:
        """What to write."""
        row = self.deprecation
        return f"write `{row.replacement}`" if row.exact else f"write {row.replacement}"


def standing(deprecation: Deprecation, file: SemanticModel) -> Relevance | None:
    """How much an old name matters to a file's project; None where it does not.

    It is an error where a targeted version lacks the name. It is no matter where no targeted version deprecates it
    yet, and where a targeted one is known to lack the replacement. It is no default finding unless the project's
    PyTorch is known to warn of the name, or to lack it.
    """
    target, row = file.config.target_torch, deprecation
    highest = 1.0 if is_warned(file, row.since if row.warns or row.private else None, row.removed) else _NOT_WARNED
    confidence = min(row.confidence, highest)
    if row.removed is not None and (target is None or target.reaches(row.removed)):
        return Relevance(Severity.ERROR, confidence)
    if target is not None and (not target.reaches(row.since) or target.lacks(row.replaced_in)):
        return None
    return Relevance(Severity.WARNING if row.warns else Severity.ADVICE, confidence)


def is_warned(file: SemanticModel, since: Version | None, removed: Version | None = None) -> bool:
    """Whether the project states a PyTorch that warns of an old name, or one that lacks it.

    `since` is the first that warns of it, `removed` the first that lacks it; None where there is none.
    """
    target = file.config.target_torch
    if target is None:
        return False
    return (since is not None and target.has(since)) or (removed is not None and target.reaches(removed))


def deprecated_use(file: SemanticModel, place: Place, code: str) -> DeprecatedUse | None:
    """The use at a reference or an import that one rule reports; None for all else.

    An import alone is a use where what it imports is gone, or where nothing in the file uses it. A name whose
    replacement stands beside it, as in the other part of a `try`, is none.
    """
    if isinstance(place.node, ast.ImportFrom):
        return _imported(file, place, place.node, code)
    if not isinstance(place.node, ast.expr):
        return None
    meanings = origins(place.node, place.block)
    found = deprecation_of(next(iter(meanings)), code) if len(meanings) == 1 else None
    if found is None:
        return None
    row, name = found
    stands = standing(row, file)
    call = call_of(file, place.node)
    if stands is None or (call is None and row.called):
        return None
    if _import_speaks(file, place, stands, row) or _has_another_way(file, place.node, place, row):
        return None
    return DeprecatedUse(row, name, place, place.node if call is None else call.node, stands)


def _import_speaks(file: SemanticModel, place: Place, stands: Relevance, row: Deprecation) -> bool:
    """Whether the import of a name fails first, and is reported, or stands in a `try` that expects it to fail."""
    statement = import_of(place)
    return statement is not None and (_is_gone_at(statement, stands, row) or is_tried(file, statement))


def _is_gone_at(statement: ast.Import | ast.ImportFrom, stands: Relevance, row: Deprecation) -> bool:
    """Whether the import itself fails: it takes the name from a module that is no longer there."""
    if stands.severity is not Severity.ERROR or not isinstance(statement, ast.ImportFrom):
        return False
    return any(meaning in row.names for _, meaning in imported_names(statement))


def _imported(file: SemanticModel, place: Place, statement: ast.ImportFrom, code: str) -> DeprecatedUse | None:
    for local, meaning in imported_names(statement):
        found = deprecation_of(meaning, code)
        if found is None or found[1] != meaning:
            continue
        row, name = found
        stands = standing(row, file)
        if stands is None or is_tried(file, statement):
            continue
        if not _is_gone_at(statement, stands, row) and not is_unused_import(file, statement, local):
            continue
        return DeprecatedUse(row, name, place, statement, stands)
    return None


def is_unused_import(file: SemanticModel, statement: ast.ImportFrom, local: str) -> bool:
    """Whether nothing uses what an import binds, in a file from which nobody is likely to import it."""
    if file.source.path.endswith("__init__.py") or "__all__" in file.source.text:
        return False
    if any(alias.asname == alias.name for alias in statement.names) or "F401" in file.source.line(statement.lineno):
        return False  # it says itself that it is there for others
    uses = references_by(file, statement)
    return not any(root_name(use.node) == local for use in uses)


def _has_another_way(file: SemanticModel, node: ast.expr, place: Place, row: Deprecation) -> bool:
    new = (row.replacement,) if row.exact else tuple(_NEW_NAME.findall(row.replacement))
    return has_alternative(file, node, place.block, new)


def is_switched(block: Block) -> bool:
    """Whether a version decides if code runs, or it runs after something else failed, as old ways do after new ones."""
    return depends_on_version(block) or any(around.kind is BlockKind.EXCEPT for around in block.outwards())


def _names(node: ast.expr, place: Place, name: str) -> bool:
    return origins(node, place.block) == {name}


def _dotted(version: Version) -> str:
    return f"{version[0]}.{version[1]}"
