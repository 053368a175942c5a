"""Loading data and handing it to the device."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

from trainlint.analysis.programs.proved_torch import means_only
from trainlint.analysis.site import Site
from trainlint.analysis.syntax.names import constant
from trainlint.analysis.tables.loaders import TORCH_CLASSES, TORCH_ORIGINS
from trainlint.analysis.types.loaders import Loader
from trainlint.contract.bases import CallRule
from trainlint.contract.declared_rule import Match
from trainlint.contract.guard import Guard
from trainlint.finding import Confidence


class LoaderRule(CallRule, base=True):
    """About the construction of a DataLoader."""

    on = TORCH_CLASSES

    def answers(self, site: Site) -> Iterator[Match | Guard]:
        """Without `when` as of the module: how often a loader is built says nothing of how often it is used.

        A loader that no training program builds, or none as the project sets its options, loads nothing that anyone
        waits for.
        """
        if site.call in site.file.loaders.built and means_only(site.call.func, site.block, TORCH_ORIGINS):
            known, block = site.file.reachability, site.block
            idle = known.is_unreferenced(block) or known.is_untrained(block) or known.is_unchosen(block)
            for answer in super().answers(site):
                if isinstance(answer, Match) and not self.when:
                    sure = min(answer.sure, Confidence.POSSIBLE) if idle else answer.sure
                    yield replace(answer, site=site.at(site.call, site.file.outline.module), sure=sure)
                else:
                    yield answer

    @staticmethod
    def loader(site: Site) -> Loader:
        """The loader that the call builds."""
        return site.file.loaders.built[site.call]


def switched_on(site: Site, option: str) -> bool:
    """Whether the loader at a place is given an option as anything but a literal False."""
    given = site.file.loaders.option(LoaderRule.loader(site), option)
    return given.given and constant(given.value) is not False
