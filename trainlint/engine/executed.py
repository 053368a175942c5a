"""Operations that the abstract run executed, as the places of a file that rules are asked about."""

from __future__ import annotations

import ast
from collections.abc import Iterable, Iterator, Sequence
from typing import TYPE_CHECKING

from trainlint.analysis.site import Site

if TYPE_CHECKING:
    from trainlint.analysis.semantic_model import SemanticModel
    from trainlint.analysis.syntax.blocks import Place
    from trainlint.catalogue import InstalledRule
    from trainlint.finding import Finding
    from trainlint.interpreter.operations import Operation, Position


def executed_sites(model: SemanticModel, operations: Sequence[Operation]) -> list[tuple[Operation, Site]]:
    """The operations that an abstract run executed in a file, each with its place; to be found once for all rules."""
    places = _places(model, {operation.position for operation in operations})
    found = ((operation, places.get(operation.position)) for operation in operations)
    return [(operation, Site(model, place)) for operation, place in found if place is not None]


def answers_to(rule: InstalledRule, executed: Sequence[tuple[Operation, Site]]) -> Iterator[Iterable[Finding]]:
    """What a rule says of the operations of its happenings."""
    happenings = rule.happenings or frozenset()
    for operation, site in executed:
        if operation.happening in happenings:
            yield rule.check_operation(site, operation)


def _places(model: SemanticModel, wanted: set[Position]) -> dict[Position, Place]:
    """The places of the nodes at some positions; of several nodes at one position that of the innermost."""
    found: dict[Position, Place] = {}
    if not wanted:
        return found
    from trainlint.analysis.syntax.every_place import every_place  # most files have no operations

    lines = {position.line for position in wanted}

    def holds_one(statement: ast.stmt) -> bool:
        last = statement.end_lineno or statement.lineno
        return any(statement.lineno <= line <= last for line in lines)

    for place in every_place(model.outline, holds_one):
        node = place.node
        if isinstance(node, ast.expr | ast.stmt):
            position = (node.lineno, node.col_offset, node.end_lineno, node.end_col_offset)
            if position in wanted:
                found[position] = place
    return found
