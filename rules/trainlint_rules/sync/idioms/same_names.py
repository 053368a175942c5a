"""Places of a function at which one name holds the same value."""

from __future__ import annotations

import ast
from collections.abc import Iterable, Iterator, Mapping

from trainlint.analysis.semantic_model import SemanticModel
from trainlint.analysis.syntax.blocks import Function, Place
from trainlint.analysis.syntax.names import position
from trainlint.analysis.syntax.reaching import reaching

Named = tuple[Place, ast.Name]
"""A place, and the name there that is compared."""
ByName = Mapping[tuple[Function | None, str], tuple[Named, ...]]
"""By function and name, in order."""


def by_name(file: SemanticModel, named: Iterable[Named]) -> ByName:
    """Places by their function and the name there."""
    found: dict[tuple[Function | None, str], list[Named]] = {}
    for place, name in named:
        found.setdefault((file.graph.enclosing(place.block), name.id), []).append((place, name))
    return {key: tuple(places) for key, places in found.items()}


def same_value(file: SemanticModel, name: ast.Name, place: Place, places: ByName) -> Iterator[Named]:
    """The other places of the function at which a name has the value that it has at this one, in order."""
    bound = reaching(name.id, place.block, position(name))
    for other, also in places.get((file.graph.enclosing(place.block), name.id), ()):
        if other.node is not place.node and reaching(also.id, other.block, position(also)) == bound:
            yield other, also
