"""The uses of imported names that change together with their import."""

from __future__ import annotations

import ast
from collections.abc import Collection, Iterator
from typing import TYPE_CHECKING

from trainlint.analysis.syntax.blocks import Place
from trainlint.analysis.syntax.names import root_name
from trainlint.analysis.syntax.roles import imports_of, references_by
from trainlint.fixing.layout import Unfixable

if TYPE_CHECKING:
    from trainlint.analysis.semantic_model import SemanticModel


def uses_of(
    file: SemanticModel, statement: ast.Import | ast.ImportFrom, names: Collection[str]
) -> Iterator[tuple[Place, ast.expr]]:
    """The uses of names that an import binds, each with its node.

    Raises Unfixable where one of them may mean something else as well.
    """
    for place in references_by(file, statement):
        assert isinstance(place.node, ast.expr)
        if root_name(place.node) in names:
            if imports_of(place) != [statement]:
                raise Unfixable("a use of the name has more than one meaning")
            yield place, place.node
