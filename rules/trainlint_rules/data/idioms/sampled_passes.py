"""Passes that train on what a sampler draws, and the call that tells the sampler the epoch."""

from __future__ import annotations

import ast

from trainlint.analysis.semantic_model import SemanticModel
from trainlint.analysis.site import Site
from trainlint.analysis.syntax.blocks import Block, How
from trainlint.analysis.syntax.names import last_name, nodes_in, position
from trainlint.analysis.syntax.reaching import reaching
from trainlint.analysis.tables.iterables import counts_rounds
from trainlint.analysis.types.loaders import Loader
from trainlint.contract.guard import early_guard
from trainlint_rules.data.idioms.passes import Pass, passes
from trainlint_rules.data.idioms.samplers import samplers_behind
from trainlint_rules.data.idioms.trained_passes import trains


def sampled_loader(site: Site) -> tuple[Loader, list[Pass]] | None:
    """The first loader, not prepared by a framework, that trains again and again on what a sampler draws.

    With the passes that do.
    """
    for loader in site.file.loaders.built.values():
        draws = any(made is site.call for made, _ in samplers_behind(site.file, loader))
        if draws and not site.file.batches.prepared(loader):
            trained = [item for item in passes(site.file, loader) if item.again and trains(site.file, item)]
            if trained:
                return loader, trained
    return None


def sampled_passes(site: Site) -> list[Pass]:
    """The passes alone."""
    found = sampled_loader(site)
    return found[1] if found is not None else []


@early_guard
def sets_epoch_by_hand(site: Site) -> bool:
    """The file assigns to the epoch of a sampler."""
    return any(
        isinstance(part, ast.Attribute) and "sampler" in last_name(part.value).lower()
        for place in site.file.outline.stores.get("epoch", [])
        for part in nodes_in(place.statement)
    )


def call_of_set_epoch(site: Site, loader: Loader, item: Pass) -> tuple[ast.stmt, str] | None:
    """The statement that tells the sampler the epoch, and the one to put it before; None where no loop names epochs."""
    loop = item.around.node if item.around is not None else None
    if item.around is None or not isinstance(loop, ast.For) or not isinstance(loop.target, ast.Name):
        return None
    counts = isinstance(loop.iter, ast.Call) and counts_rounds(last_name(loop.iter.func))
    told = _set_epoch_statement(site, loader, item, item.around, loop) if counts and loop.target.id != "_" else None
    return (loop.body[0], told.format(epoch=loop.target.id)) if told is not None else None


def _set_epoch_statement(site: Site, loader: Loader, item: Pass, around: Block, loop: ast.For) -> str | None:
    """The statement that tells the sampler the epoch, by what the loop can see of it."""
    given = site.file.loaders.option(loader, "sampler").value
    if given is None:
        return None
    here = site.file.outline.enclosing(around) is site.file.outline.enclosing(loader.block)
    if here and isinstance(given, ast.Name):
        bound = reaching(given.id, around, position(loop.body[0]))
        if len(bound) == 1 and bound[0].value is site.call:
            return f"{given.id}.set_epoch({{epoch}})"
    iterated = _plain_loader(site.file, loader, item)
    if iterated is None or not _is_always_loader(site.file, loader):
        return None
    # Elsewhere, or on one process, the loader may have another sampler.
    return (
        f"if isinstance({iterated}.sampler, {ast.unparse(site.call.func)}):\n"
        f"    {iterated}.sampler.set_epoch({{epoch}})"
    )


def _is_always_loader(file: SemanticModel, loader: Loader) -> bool:
    """Whether a name that holds a loader where it is built holds loaders alone, and no list or `None` now and then."""
    for bindings in loader.block.scope.bindings.values():
        if any(item.value is loader.call for item in bindings):
            return all(item.value in file.loaders.built for item in bindings)
    return True


def _plain_loader(file: SemanticModel, loader: Loader, item: Pass) -> str | None:
    """The plain name of a loader that a pass goes through or hands on, where it means that loader and no other."""
    head = item.node.iter if isinstance(item.node, ast.For) else item.node
    for part in nodes_in(head):
        if isinstance(part, ast.Name):
            bound = reaching(part.id, item.block, position(part))
            if len(bound) == 1 and bound[0].how is How.ASSIGN and not _may_be_wrapped(file, bound[0].value):
                if file.batches.loaders_behind(part, item.block) == {loader}:
                    return part.id
    return None


def _may_be_wrapped(file: SemanticModel, value: ast.expr | None) -> bool:
    """Whether a call out of sight gave the loader back, as those of frameworks do: perhaps with no sampler any more."""
    return isinstance(value, ast.Call) and value not in file.loaders.built and value not in file.graph.callee
