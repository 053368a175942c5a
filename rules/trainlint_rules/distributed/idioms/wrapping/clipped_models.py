"""Models whose gradients a call clips."""

from __future__ import annotations

import ast

from trainlint.analysis.programs.wraps import wrap_of
from trainlint.analysis.site import Site
from trainlint.analysis.syntax.names import argument, has_unpacked_arguments, names_in
from trainlint.analysis.syntax.reaching import single_value
from trainlint.analysis.tables.parallel import Wrapper
from trainlint.contract.guard import guard

_SHARDING = frozenset({"FULL_SHARD", "SHARD_GRAD_OP", "HYBRID_SHARD"})


def clipped_model(site: Site) -> ast.expr | None:
    """The model in `clip_grad_norm_(model.parameters(), ...)`, the parameters under a name included."""
    parameters = argument(site.call, "parameters", 0)
    if isinstance(parameters, ast.Name):
        parameters = single_value(parameters, site.block)
    match parameters:
        case ast.Call(func=ast.Attribute(value=model, attr="parameters"), args=[]):
            return model
    return None


@guard
def not_surely_sharded(site: Site) -> bool:
    """The model may not be wrapped in FSDP: a caller or one branch decides."""
    model = clipped_model(site)
    found = wrap_of(site.file, model, site.block) if model is not None else None
    return found is None or found.wrapper is not Wrapper.FSDP1


@guard
def may_be_whole(site: Site) -> bool:
    """Each rank may keep the whole model (`NO_SHARD` or an option)."""
    model = clipped_model(site)
    found = wrap_of(site.file, model, site.block) if model is not None else None
    if found is None or has_unpacked_arguments(found.call):
        return True
    strategy = argument(found.call, "sharding_strategy", 2)
    return strategy is not None and _SHARDING.isdisjoint(names_in(strategy))
