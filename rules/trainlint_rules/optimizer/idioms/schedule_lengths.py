"""Schedules that step once for several batches, and for how many steps they are planned."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING

from trainlint.analysis.effects.accumulation import accumulation
from trainlint.analysis.syntax.blocks import Block, How
from trainlint.analysis.syntax.names import argument, dotted, last_name, names_in, nodes_in, position
from trainlint.analysis.syntax.reaching import reaching
from trainlint.analysis.tables.accumulation import speaks_of_micro_batches
from trainlint.contract.guard import guard
from trainlint.patterns import lazy
from trainlint_rules.optimizer.idioms.optimizers import Act, Action, actions

if TYPE_CHECKING:
    from trainlint.analysis.site import Site

_LENGTHS = {
    "OneCycleLR": ("total_steps", "steps_per_epoch"),
    "CosineAnnealingLR": ("T_max",),
    "PolynomialLR": ("total_iters",),
    "LinearLR": ("total_iters",),
}
_PLACES = {"CosineAnnealingLR": 1}
"""Where the length may stand without its keyword."""
_OF_TRANSFORMERS = lazy(r"^get_(\w+_schedule_with_warmup|scheduler)$")
_FOLLOWED = 4


@dataclass(frozen=True, slots=True, eq=False)
class Planned:
    """A schedule that steps with the optimizer, behind a count of batches."""

    call: ast.Call
    """What builds it."""
    block: Block
    steps: Action
    count: str
    """How many batches make a step, as the code names it; empty where that is no plain name or number."""


@guard
def length_is_scaled(site: Site) -> bool:
    """The code divides the schedule's length, or computes it from the batches of a step."""
    parts = [part for length in _lengths(site.call) for part in _parts_through_names(length, site.block, _FOLLOWED)]
    return any(_divides(part) for part in parts)


def planned_schedules(site: Site) -> Iterator[Planned]:
    """The schedules that step in the very branch in which the optimizer does, and not with each batch."""
    found = accumulation(site.file, site.loop)
    acts = actions(site.file, site.loop) if found is not None else []
    with_optimizer = [item.place.block for item in acts if item.act is Act.STEP]
    for item in acts:
        block = item.place.block
        if found is None or item.act is not Act.SCHEDULE or block not in with_optimizer:
            continue
        if block not in [place.block for place in found.backwards]:
            for call, where in _built(item):
                yield Planned(call, where, item, found.count)


def counts_batches(planned: Planned) -> bool:
    """Whether the length of a schedule comes from that of a loader."""
    for length in _lengths(planned.call):
        parts = list(_parts_through_names(length, planned.block, _FOLLOWED))
        names_count = any(
            isinstance(part, ast.Name | ast.Attribute) and dotted(part) == planned.count for part in parts
        )
        if not names_count and any(_measures_loader(part) for part in parts):
            return True
    return False


def _built(schedule: Action) -> Iterator[tuple[ast.Call, Block]]:
    """The calls that build a schedule held by a plain name."""
    owner = schedule.call.func.value if isinstance(schedule.call.func, ast.Attribute) else None
    bindings = reaching(owner.id, schedule.place.block, position(owner)) if isinstance(owner, ast.Name) else ()
    for binding in bindings:
        if binding.how is How.ASSIGN and isinstance(binding.value, ast.Call) and not binding.path:
            yield binding.value, binding.block


def _lengths(call: ast.Call) -> list[ast.expr]:
    """The arguments that say how many steps a schedule has."""
    name = last_name(call.func)
    words = ("num_training_steps",) if _OF_TRANSFORMERS.search(name) else _LENGTHS.get(name, ())
    given = (argument(call, word, _PLACES.get(name)) for word in words)
    return [item for item in given if item is not None]


def _divides(part: ast.AST) -> bool:
    if isinstance(part, ast.BinOp):
        return isinstance(part.op, ast.Div | ast.FloorDiv)
    return isinstance(part, ast.Name | ast.Attribute) and speaks_of_micro_batches(last_name(part))


def _measures_loader(part: ast.AST) -> bool:
    """Whether a part of an expression is the length of a loader."""
    if not isinstance(part, ast.Call) or last_name(part.func) != "len":
        return False
    return any("load" in name.lower() or name.lower().endswith("dl") for name in names_in(part))


def _parts_through_names(node: ast.expr, block: Block, depth: int) -> Iterator[ast.AST]:
    """The parts of an expression and of what its names were assigned."""
    for part in nodes_in(node):
        yield part
        if isinstance(part, ast.Name) and depth:
            for binding in reaching(part.id, block, position(part)):
                if binding.how is How.ASSIGN and binding.value is not None and not binding.path:
                    yield from _parts_through_names(binding.value, binding.block, depth - 1)
