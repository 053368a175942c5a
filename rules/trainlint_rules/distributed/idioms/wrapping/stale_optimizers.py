"""Optimizers that hold the parameters of a model from before FSDP replaces them."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from trainlint.analysis.programs.optimizer_builds import OptimizerBuild, optimizer_builds
from trainlint.analysis.programs.wraps import Wrap, wrap, wraps
from trainlint.analysis.semantic_model import SemanticModel
from trainlint.analysis.site import Site
from trainlint.analysis.syntax.blocks import Binding, Block
from trainlint.analysis.syntax.names import (
    argument,
    constant,
    dotted,
    has_unpacked_arguments,
    last_name,
    nodes_in,
    position,
)
from trainlint.analysis.tables.parallel import Wrapper
from trainlint.contract.guard import early_guard, guard
from trainlint.patterns import lazy
from trainlint_rules.distributed.idioms.wrapping.wrapped_modules import unmoved

_RELINKED = lazy(r"prepare|swap|relink|remap|rebuild|re_?init|replace|update_param|initialize|setup|shard|wrap")
"""Functions that may put the sharded parameters into an optimizer that exists already."""


@early_guard
def keeps_parameters(site: Site) -> bool:
    """`use_orig_params=True` keeps the parameters, or options come from elsewhere."""
    found = wrap(site.file, site.place)
    if found is None or found.wrapper is not Wrapper.FSDP1:
        return False
    kept = argument(found.call, "use_orig_params", 13)
    return has_unpacked_arguments(found.call) or not (kept is None or constant(kept) is False)


@early_guard
def writes_param_groups(site: Site) -> bool:
    """The file adds a parameter group, or writes the parameters of one."""
    return "add_param_group" in site.file.outline.calls or "params" in site.file.outline.stores


@guard
def built_again(site: Site) -> bool:
    """The optimizer is built again after the wrap."""
    build, after = optimizer_builds(site.file)[site.call], _wrapped_at(site)
    return any(item.position > after for item in _bindings(site.file, build.name or "", site.block))


@guard
def prepared_after(site: Site) -> bool:
    """A function such as `prepare` gets the optimizer after the wrap and may give it the new parameters."""
    name, after = optimizer_builds(site.file)[site.call].name, _wrapped_at(site)
    return any(
        position(place.node) > after
        and _RELINKED.search(last_name(place.node.func))
        and any(dotted(item) == name for item in (*place.node.args, *(key.value for key in place.node.keywords)))
        for place in site.file.outline.all_calls()
        if isinstance(place.node, ast.Call)
    )


def stale_builds(file: SemanticModel, found: Wrap) -> Iterator[OptimizerBuild]:
    """The optimizers that are surely built before a wrap, in the same function, from the model that it wraps."""
    model = wrapped_name(found)
    for build in optimizer_builds(file).values():
        if model is not None and model in build.models and _is_stale(file, build, found, model):
            yield build


def wrapped_name(found: Wrap) -> str | None:
    """The name of the wrapped model."""
    return dotted(unmoved(found.module))


def _is_stale(file: SemanticModel, build: OptimizerBuild, found: Wrap, model: str) -> bool:
    block, start, stop = found.place.block, position(build.place.statement), position(found.call)
    if build.name is None or start >= stop or build.place.block.scope is not block.scope:
        return False
    return block.within(build.place.block) and not any(
        start < item.position < stop and not _mentions(item.value, model) for item in _bindings(file, model, block)
    )


def _wrapped_at(site: Site) -> tuple[int, int]:
    """Where the model is wrapped from whose parameters an optimizer was built before."""
    models = optimizer_builds(site.file)[site.call].models
    at = (position(found.call) for found in wraps(site.file) if wrapped_name(found) in models)
    return min(found for found in at if found > position(site.call))


def _bindings(file: SemanticModel, name: str, block: Block) -> list[Binding]:
    """What a function assigns to a name, or to an attribute of its object."""
    root, _, attribute = name.partition(".")
    if not attribute:
        return block.scope.bindings.get(root, [])
    owner = file.graph.owner(block)
    return [item for item in owner.attributes.get(attribute, []) if item.block.scope is block.scope] if owner else []


def _mentions(value: ast.expr | None, name: str) -> bool:
    return value is not None and any(dotted(part) == name for part in nodes_in(value))
