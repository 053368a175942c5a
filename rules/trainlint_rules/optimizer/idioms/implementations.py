"""Which implementation of an optimizer is asked for, and which one it has."""

from __future__ import annotations

import ast
from collections.abc import Iterable, Iterator

from trainlint.analysis.programs.optimizer_builds import optimizer_builds
from trainlint.analysis.semantic_model import SemanticModel
from trainlint.analysis.site import Site
from trainlint.analysis.syntax.names import constant, has_unpacked_arguments, last_name
from trainlint.analysis.tables.optimizers import FUSED_SINCE
from trainlint.analysis.tables.signs import SPARSE_GRADIENTS
from trainlint.contract.guard import guard
from trainlint_rules.optimizer.idioms.optimizers import Action

_OPTIONS = frozenset({"fused", "foreach", "capturable", "differentiable"})


@guard
def implementation_is_chosen(site: Site) -> bool:
    """The code chooses an implementation, or an option may do so."""
    return has_unpacked_arguments(site.call) or bool(_OPTIONS & {given.arg for given in site.call.keywords})


@guard
def gradients_may_be_sparse(site: Site) -> bool:
    """Gradients may be sparse, which the fused kernel does not take."""
    given = (
        keyword.value
        for place in site.file.outline.all_calls()
        if isinstance(place.node, ast.Call)
        for keyword in place.node.keywords
        if keyword.arg == "sparse"
    )
    return site.file.names.show(SPARSE_GRADIENTS) or any(constant(value) is not False for value in given)


@guard
def cannot_be_fused(site: Site) -> bool:
    """The optimizer has no fused implementation in some PyTorch that the project supports."""
    return not can_be_fused(site)


def builds_of(file: SemanticModel, steps: Iterable[Action]) -> Iterator[ast.Call]:
    """The optimizers of torch.optim with a fused implementation that a loop steps, where they are built."""
    owners = {step.owner for step in steps}
    for call, build in optimizer_builds(file).items() if owners else ():
        origin = file.outline.imported(call.func, build.place.block) or ""
        if build.name in owners and last_name(call.func) in FUSED_SINCE and origin.startswith("torch.optim"):
            yield call


def can_be_fused(site: Site) -> bool:
    """Whether an optimizer has a fused implementation in each PyTorch that the project supports."""
    since = FUSED_SINCE.get(last_name(site.call.func))
    return since is not None and not site.lacks(since)
