"""Lists to which each iteration appends, and reasons why they cost little."""

from __future__ import annotations

import ast
from typing import TYPE_CHECKING

from trainlint.analysis.syntax.names import last_name, nodes_in
from trainlint.analysis.tables.host_reads import TO_HOST
from trainlint.analysis.types.backward import held_by
from trainlint.analysis.types.values import Kind, Origin
from trainlint.contract.guard import early_guard, guard
from trainlint_rules.memory.idioms.lifetimes import Lifetime, lifetime

if TYPE_CHECKING:
    from trainlint.analysis.site import Site
    from trainlint.analysis.types.values import Value

_SMALL = TO_HOST | frozenset(
    "mean sum argmax argmin max min amax amin norm size numel topk sort argsort any all prod "
    "count_nonzero var std median".split()
)
"""What makes an output small, or takes it to the host."""


def appended_output(site: Site) -> Value | None:
    """The model's output that a call of `append` adds to a list."""
    if len(site.call.args) != 1 or site.value(site.receiver).kind is not Kind.CONTAINER:
        return None
    value = site.value(site.call.args[0])
    return value if value.is_tensor and value.origin is Origin.OUTPUT else None


@early_guard
def reduced(site: Site) -> bool:
    """What is appended is reduced, or copied to the host."""
    return any(
        isinstance(part, ast.Call) and last_name(part.func) in _SMALL
        for added in site.call.args
        for part in nodes_in(added)
    )


@guard
def emptied_on_the_way(site: Site) -> bool:
    """The code empties the list in each iteration or at intervals."""
    loop = site.block.innermost_loop()
    return loop is None or lifetime(site.file, site.place, site.receiver, loop) is not Lifetime.LOOP


@guard
def trained_later(site: Site) -> bool:
    """A backward goes through what the list holds."""
    flow = site.file.backwards(site.block)
    return any(flow.goes_through(name) for name in held_by(site.receiver))


@guard
def part_of_loss(site: Site) -> bool:
    """The list collects a loss or a part of one (TRN304)."""
    flow = site.file.backwards(site.block)
    return any(flow.is_part_of_loss(name) for name in held_by(site.call.args[0]))
