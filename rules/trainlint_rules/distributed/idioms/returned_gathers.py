"""Calls of the project's functions that return a list gathered from all ranks, which the caller joins."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from trainlint.analysis.effects.effect import Effect, EffectKind
from trainlint.analysis.site import Site
from trainlint.analysis.syntax.uses import assigned_target, mentions
from trainlint_rules.distributed.idioms.gathers import joinings, joins


def joined_gather(site: Site) -> tuple[str, Effect, ast.Call] | None:
    """The helper that a call runs and whose gathered list is only joined, its collective, and the joining."""
    for called in site.file.effects.called(site.call):
        for effect in called.effects:
            joining = _joining(site) if effect.kind is EffectKind.GATHERS else None
            if joining is not None:
                return called.title, effect, joining
    return None


def joined_alike(site: Site, effect: Effect) -> Iterator[Site]:
    """The other calls of the file whose list the same collective gathers, and which is only joined."""
    for place in site.file.effects.calls_with(frozenset({EffectKind.GATHERS.value})):
        other = Site(site.file, place)
        found = joined_gather(other) if place.node is not site.node else None
        if found is not None and found[1] == effect:
            yield other


def _joining(site: Site) -> ast.Call | None:
    """The concatenation of what a call returns: around it, or of the one name that it is given."""
    held: ast.AST = site.call
    target = assigned_target(site.statement, site.call)
    if isinstance(target, ast.Name):
        scope = site.block.scope.owner(target.id)
        uses = [node for node in mentions(scope.node, target.id) if node is not target] if scope is not None else []
        if len(uses) != 1:
            return None
        held = uses[0]
    for place in joinings(site.file):
        if isinstance(place.node, ast.Call) and joins(site.file, place, held):
            return place.node
    return None
