"""Which implementation of an optimizer is asked for, and which one it has."""

from __future__ import annotations

import re

from trainlint.analysis.site import Site
from trainlint.analysis.syntax.names import has_unpacked_arguments, last_name
from trainlint.analysis.tables.optimizers import FUSED_SINCE
from trainlint.contract.guard import guard
from trainlint.patterns import lazy

_OPTIONS = frozenset({"fused", "foreach", "capturable", "differentiable"})
_MEMORY = lazy(r"memory|\boom\b|\bgb\b|\bgib\b|peak", re.IGNORECASE)
_LINES = 3
"""How many lines above the call may say why."""


@guard
def saves_memory(site: Site) -> bool:
    """The lines above the call speak of memory, and the optimizer has no fused implementation."""
    first, last = max(1, site.call.lineno - _LINES), site.call.end_lineno or site.call.lineno
    says_why = any(_MEMORY.search(site.source.line(number)) for number in range(first, last + 1))
    return says_why and not can_be_fused(site)


@guard
def implementation_is_chosen(site: Site) -> bool:
    """An implementation is chosen, or an option from elsewhere may say so."""
    return has_unpacked_arguments(site.call) or bool(_OPTIONS & {given.arg for given in site.call.keywords})


@guard
def cannot_be_fused(site: Site) -> bool:
    """The optimizer has no fused implementation in some PyTorch that the project supports."""
    return not can_be_fused(site)


def can_be_fused(site: Site) -> bool:
    """Whether an optimizer has a fused implementation in each PyTorch that the project supports."""
    since = FUSED_SINCE.get(last_name(site.call.func))
    return since is not None and not site.lacks(since)
