"""Who reduces the gradients of a training loop over the ranks, and when."""

from __future__ import annotations

import ast
import re

from trainlint.analysis.effects.accumulation import accumulation
from trainlint.analysis.programs.fact_names import ACCELERATOR
from trainlint.analysis.site import Site
from trainlint.analysis.syntax.names import last_name, names_in
from trainlint.analysis.tables.fact_kinds import FactKind
from trainlint.contract.guard import guard
from trainlint.patterns import lazy

_TOGGLED = lazy(r"grad(ient)?_sync|no_sync|no_backward_sync|(disable|skip|delay|enable)_all_?reduce", re.IGNORECASE)
"""Words of code that decides when gradients are reduced; `disable_allreduce` is that of apex."""
_OTHER_OWNERS = frozenset({"deepspeed", "lightning", "colossalai", "transformers", "mmengine", "horovod", "composer"})


def by_accelerate(backwards: list[ast.Call]) -> bool:
    """Whether an Accelerator or a Fabric runs one of the backward passes."""
    return any(ACCELERATOR.search(_runner(call)) for call in backwards)


def wrapped_in_ddp(site: Site) -> bool:
    """Whether DistributedDataParallel is used on the way into a place, or out of it."""
    return any(use.kind is FactKind.DDP for use in site.file.used_around)


@guard
def framework_reduces(site: Site) -> bool:
    """A framework, such as DeepSpeed or Lightning, reduces the gradients."""
    owning = (FactKind.FRAMEWORK, FactKind.DISTRIBUTED)
    owners = {use.detail for use in site.file.used_around if use.kind in owning}
    return not by_accelerate(backwards_around(site)) and not owners.isdisjoint(_OTHER_OWNERS)


@guard
def sharded(site: Site) -> bool:
    """Weights are sharded: with `no_sync`, every GPU would hold whole gradients, which may not fit."""
    # What Accelerate itself can do is no fact of the script, should both be judged together.
    same_file = by_accelerate(backwards_around(site))
    return any(use.kind is FactKind.FSDP for use in (site.file.uses if same_file else site.file.used_around))


@guard
def decides_when_to_reduce(site: Site) -> bool:
    """Code around the loop decides when gradients are reduced, such as `no_sync` or `accumulate`."""
    if any(use.kind is FactKind.NO_SYNC for use in site.file.used_around):
        return True
    # Other switches than those known as facts are recognised by their names, in whatever way they are used.
    around = site.function.node if site.function is not None else site.file.tree
    return any(_TOGGLED.search(word) for word in names_in(around))


def backwards_around(site: Site) -> list[ast.Call]:
    """The backward passes that add up in the loop around a place."""
    loop = site.block.innermost_loop()
    found = accumulation(site.file, loop) if loop is not None else None
    places = found.backwards if found is not None else ()
    return [place.node for place in places if isinstance(place.node, ast.Call)]


def _runner(call: ast.Call) -> str:
    """The name of what has the `backward` that is called; empty for a loss that is a call's result."""
    return last_name(call.func.value) if isinstance(call.func, ast.Attribute) else ""
