"""Passes that train on what a sampler draws, and the call that tells the sampler the epoch."""

from __future__ import annotations

from trainlint.analysis.site import Site
from trainlint.analysis.types.loaders import Loader
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
