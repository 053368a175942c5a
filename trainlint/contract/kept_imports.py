"""Names that other files import from the one that a fix changes: a fix that changes their import is not offered."""

from __future__ import annotations

import ast
from collections.abc import Collection
from typing import TYPE_CHECKING

from trainlint.analysis.syntax.names import end_position, position

if TYPE_CHECKING:
    from trainlint.analysis.semantic_model import SemanticModel
    from trainlint.finding import Edit


def keeps_imports(file: SemanticModel, edits: Collection[Edit]) -> bool:
    """Whether edits leave alone each import whose names other files take from this one."""
    taken = file.outside.taken_names
    for place in file.outline.import_statements if taken else ():
        statement = place.node
        assert isinstance(statement, ast.Import | ast.ImportFrom)
        if taken.isdisjoint(alias.asname or alias.name for alias in statement.names):
            continue
        start, stop = (file.source.offset(*where) for where in (position(statement), end_position(statement)))
        if any(edit.start <= stop and start < edit.stop for edit in edits):
            return False
    return True
