"""Calls of the project's functions that reduce over all ranks the number that they are given."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from dataclasses import dataclass

from trainlint.analysis.effects.collectives import SCALAR_NAME
from trainlint.analysis.effects.effect import Effect, EffectKind
from trainlint.analysis.site import Site
from trainlint.analysis.syntax.names import last_name, position
from trainlint.finding import RelatedPlace
from trainlint_rules.distributed.idioms.one_number import is_one_number

_SAME_VALUES = frozenset({"data", "detach", "clone", "float", "item"})


@dataclass(frozen=True, slots=True, eq=False)
class HelperReduction:
    """The second call in a block of a helper that reduces a number."""

    title: str
    """The helper."""
    earlier: ast.Call
    """The first call."""
    related: tuple[RelatedPlace, ...]
    """The helper's collective, and the other calls."""


def reduced_by_helper(site: Site) -> HelperReduction | None:
    """Whether a call is the second of its block by which a helper reduces a number with one and the same collective."""
    reduced = _reduction(site)
    if reduced is None:
        return None
    title, effect = reduced
    calls = sorted((other.call for other in _same_reductions(site, effect)), key=position)
    if len(calls) < 2 or calls[1] is not site.call:
        return None
    others = [site.related(call, f"calls `{title}` for another number") for call in calls if call is not site.call]
    collective = RelatedPlace(effect.path, effect.line, effect.column, "the collective of each call")
    return HelperReduction(title, calls[0], (collective, *others))


def _same_reductions(site: Site, effect: Effect) -> Iterator[Site]:
    """The calls in the block of a site that reduce a number by the same collective."""
    for other in site.calls(last_name(site.call.func)):
        found = _reduction(other) if other.block is site.block else None
        if found is not None and (found[1].path, found[1].line) == (effect.path, effect.line):
            yield other


def _reduction(site: Site) -> tuple[str, Effect] | None:
    """The helper that reduces a number which a call gives it, with what it does."""
    for called in site.file.effects.called(site.call):
        for effect, given in called.effects_on(site.call, EffectKind.REDUCES):
            if is_one_number(site.file, given, site.block) or SCALAR_NAME.search(last_name(_without_detour(given))):
                return called.title, effect
    return None


def _without_detour(node: ast.expr) -> ast.expr:
    """`loss` for `loss.data` and `loss.detach()`."""
    while True:
        match node:
            case ast.Call(func=ast.Attribute(value=inner, attr=name)) | ast.Attribute(value=inner, attr=name) if (
                name in _SAME_VALUES
            ):
                node = inner
            case _:
                return node
