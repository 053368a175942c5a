"""Frameworks that take over loaders."""

from __future__ import annotations

from trainlint.analysis.site import Site
from trainlint.contract.guard import guard
from trainlint_rules.data import LoaderRule


@guard
def prepared(site: Site) -> bool:
    """A framework prepares the loader (Accelerate, Lightning, Fabric, Ray or another)."""
    return site.file.batches.prepared(LoaderRule.loader(site))
