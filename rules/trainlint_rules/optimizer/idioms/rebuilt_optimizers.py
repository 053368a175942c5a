"""Optimizers that are built in a loop, and what else that loop makes anew."""

from __future__ import annotations

import ast
from typing import TYPE_CHECKING

from trainlint.analysis.programs.optimizer_builds import optimizer_builds
from trainlint.analysis.syntax.memo import once
from trainlint.analysis.syntax.names import argument, dotted, last_name, nodes_in
from trainlint.analysis.tables.optimizers import CLASSES
from trainlint.contract.guard import guard
from trainlint_rules.optimizer.idioms.optimizers import Act, Action, actions, actions_of, always_runs_before

if TYPE_CHECKING:
    from trainlint.analysis.programs.steps import LoopKind
    from trainlint.analysis.semantic_model import SemanticModel
    from trainlint.analysis.site import Site
    from trainlint.analysis.syntax.blocks import Block


@guard
def has_no_state(site: Site) -> bool:
    """The optimizer is plain SGD without momentum, which has no state."""
    row = CLASSES[last_name(site.call.func)]
    return row.moments == 0 and (row.momentum_at is None or argument(site.call, "momentum", row.momentum_at) is None)


@guard
def built_behind_test(site: Site) -> bool:
    """A check in the loop decides whether it is built."""
    return _round(site.file, site.block) is None


@guard
def model_is_built_too(site: Site) -> bool:
    """The loop also builds the model, or trainlint cannot tell what is optimized."""
    build, loop = optimizer_builds(site.file).get(site.call), site.block.innermost_loop()
    if build is None or loop is None or not build.models:
        return True
    roots = {name.partition(".")[0] for name in build.models}
    return not _stored(site.file, loop).isdisjoint(roots | build.models)


@guard
def steps_otherwise(site: Site) -> bool:
    """The optimizer steps in an inner loop (per sample, task or fold) or behind a check."""
    loop = site.block.innermost_loop()
    return any(
        _round(site.file, step.place.block) is not loop or not always_runs_before(site.place, step.place)
        for step in steps_of(site)
    )


def steps_of(site: Site, kind: LoopKind | None = None) -> list[Action]:
    """The steps of the optimizer that a call builds, in the loop around the call; in one of a kind, if one is given."""
    build, loop = optimizer_builds(site.file).get(site.call), site.block.innermost_loop()
    if build is None or build.name is None or loop is None or kind not in (None, site.file.loops.kind(loop)):
        return []
    return actions_of(actions(site.file, loop), Act.STEP, build.name)


def _round(file: SemanticModel, block: Block) -> Block | None:
    """The loop that runs a block in each of its rounds; None where a condition or a function stands between."""
    loop = block.innermost_loop()
    return None if loop is None or file.conditions.around(block, loop, early_exits=False) else loop


@once
def _stored(file: SemanticModel, loop: Block) -> frozenset[str]:
    """What a loop gives new values: names, and attributes of them."""
    parts = nodes_in(loop.node)
    names = (node.id for node in parts if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Store))
    targets = (dotted(target) for node in parts if isinstance(node, ast.Assign) for target in node.targets)
    return frozenset((*names, *filter(None, targets)))
