"""Scores of an attention that is written by hand which the function hands to its callers."""

from __future__ import annotations

import ast

from trainlint.analysis.site import Site
from trainlint.analysis.syntax.names import nodes_in
from trainlint_rules.attention.idioms.written_attention import WrittenAttention


def returned_scores(site: Site, way: WrittenAttention) -> str | None:
    """The name of the scores, or of what is computed from them, that the function returns besides its output."""
    function = site.function
    if function is None:
        return None
    held: set[str] = set()
    nodes = list(nodes_in(function.node))
    assigned = [node for node in nodes if isinstance(node, ast.Assign) and isinstance(node.targets[0], ast.Name)]
    for statement in sorted(assigned, key=lambda item: item.lineno):
        target = statement.targets[0]
        if isinstance(target, ast.Name) and _contains_scores(statement.value, way, held):
            held.add(target.id)
    for node in nodes:
        if isinstance(node, ast.Return) and isinstance(node.value, ast.Tuple):
            for item in node.value.elts:
                if _contains_scores(item, way, held):
                    return next((part.id for part in nodes_in(item) if isinstance(part, ast.Name)), None)
    return None


def _contains_scores(value: ast.expr, way: WrittenAttention, held: set[str]) -> bool:
    """Whether an expression is made of the scores, and not of the output."""
    parts = list(nodes_in(value))
    if any(part is output for part in parts for output in way.outputs):
        return False
    return any(part is way.scores or (isinstance(part, ast.Name) and part.id in held) for part in parts)
