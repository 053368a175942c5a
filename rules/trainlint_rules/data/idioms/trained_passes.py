"""Passes through a loader that train on its batches, and guards about what is used around them."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from trainlint.analysis.semantic_model import SemanticModel
from trainlint.analysis.site import Site
from trainlint.analysis.tables.fact_kinds import FactKind
from trainlint.contract.guard import Guard
from trainlint.finding import LoopKind
from trainlint_rules.data.idioms.passes import Pass, PassStart

_LEAVES_LOADERS_ALONE = frozenset({"deepspeed"})
"""Frameworks that give a loader to each process only where they are asked to build it."""
PassesAt = Callable[[Site], Sequence[Pass]]
"""The passes that a rule finds at a place."""


def trains(file: SemanticModel, item: Pass) -> bool:
    """Whether the batches of a pass are trained on in this file: what others do with a loader is not in sight."""
    body = item.around if item.start is PassStart.ITERATOR else file.outline.loop_blocks.get(item.node)
    return body is not None and file.heats.kind(body) is LoopKind.STEP


def kinds_around(file: SemanticModel, item: Pass) -> set[FactKind]:
    """The kinds of what is used on the way into a pass and out of it."""
    return {use.kind for use in file.used_around}


def passes_use(sentence: str, passes_at: PassesAt, kind: FactKind) -> Guard:
    """A guard: something of a kind is used around one of the passes."""
    return Guard(sentence, lambda site: any(kind in kinds_around(site.file, item) for item in passes_at(site)))


def not_alone(passes_at: PassesAt) -> tuple[Guard, Guard]:
    """Guards: a part of the way into one of the passes is out of sight, or a framework is in charge."""

    def unseen(site: Site) -> bool:
        return any(not site.file.heats.of(item.block).in_sight for item in passes_at(site))

    def framed(site: Site) -> bool:
        frameworks = {use.detail for use in site.file.used_around if use.kind is FactKind.FRAMEWORK}
        return any(passes_at(site)) and bool(frameworks - _LEAVES_LOADERS_ALONE)

    return (
        Guard("trainlint does not see every call on the way into the loop", unseen),
        Guard("a framework runs the loop", framed),
    )
