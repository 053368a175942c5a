"""Reductions of single numbers: of which two could travel together."""

from __future__ import annotations

import ast

from trainlint.analysis.effects.collectives import (
    SCALAR_NAME,
    Collective,
    body_around,
    collective_of,
    same_operation,
)
from trainlint.analysis.effects.parameter_loops import parameter_loop
from trainlint.analysis.site import Site
from trainlint.analysis.syntax.names import has_name_in, last_name, names_in, nodes_in
from trainlint.analysis.syntax.reaching import single_value
from trainlint_rules.distributed.idioms.one_number import REDUCING


def number_reduction(site: Site, statement: ast.stmt) -> Collective | None:
    """The reduction of a number, or of a few, that a statement consists of."""
    found = collective_of(site.file, statement, site.block)
    return found if found is not None and _is_number(site, found) else None


def reduced_just_before(site: Site, found: Collective) -> Collective | None:
    """The like reduction of a number in the statement before, if that is the first of its row.

    Reductions with another operation or in another group are not alike.
    """
    body = body_around(site.statement, site.block)
    index = body.index(site.statement) if site.statement in body else 0
    alike: list[Collective] = []
    for statement in reversed(body[max(0, index - 2) : index]):
        other = number_reduction(site, statement)
        if other is None or not same_operation(found, other) or other.returns_handle:
            break
        alike.append(other)
    return alike[0] if len(alike) == 1 else None


def in_loop_over_numbers(site: Site, found: Collective) -> bool:
    """Whether the loop around runs over a collection of metrics and reduces each."""
    loop = site.block.innermost_loop()
    if loop is None or not isinstance(loop.node, ast.For) or parameter_loop(site.file.outline, site.block) is not None:
        return False
    targets = {part.id for part in nodes_in(loop.node.target) if isinstance(part, ast.Name)}
    if found.tensor is None or not has_name_in(found.tensor, targets):
        return False
    return any(SCALAR_NAME.search(word) for word in names_in(loop.node.iter))


def _is_number(site: Site, found: Collective) -> bool:
    """Whether what is reduced is one number, or a few: by its name, or by what it was computed with."""
    if found.tensor is None:
        return False
    value = single_value(found.tensor, site.block)
    if isinstance(value, ast.Call) and isinstance(value.func, ast.Attribute) and value.func.attr in REDUCING:
        return not value.args and not value.keywords
    return bool(SCALAR_NAME.search(last_name(found.tensor))) or in_loop_over_numbers(site, found)
