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

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import ClassVar

    from trainlint.finding import Finding
    from trainlint.interpreter.machine.loaders import ExecutedLoader
    from trainlint.interpreter.operations import Operation


class LoaderRule(CallRule, base=True):
    """About the construction of a DataLoader."""

    on = TORCH_CLASSES
    known_by_run: ClassVar[frozenset[Guard]] = frozenset()
    """Guards that the abstract run makes unnecessary."""

    def answers(self, site: Site) -> Iterator[Match | Guard]:
        """Without `when` as of the module: how often a loader is built says nothing of how often it is used.

        A loader that no training program builds, or none as the project sets its options, loads nothing that anyone
        waits for.
        """
        if _is_of_torch(site):
            known, block = site.file.reachability, site.block
            idle = known.is_unreferenced(block) or known.is_untrained(block) or known.is_unchosen(block)
            for answer in super().answers(site):
                if isinstance(answer, Match) and not self.when:
                    sure = min(answer.sure, Confidence.POSSIBLE) if idle else answer.sure
                    yield replace(answer, site=site.at(site.call, site.file.outline.module), sure=sure)
                else:
                    yield answer

    def check_operation(self, site: Site, operation: Operation) -> Iterator[Finding]:
        """By what the abstract run has seen of the loader; where it has seen nothing of it, as without it.

        What a guard of `known_by_run` asks for, `of_use` decides.
        """
        use = operation.loader
        if use is None or not (use.begun or use.trains):
            yield from self.check(site)
            return
        match = self.of_use(site, use) if _is_of_torch(site) else None
        if match is not None and not any(item.holds(site) for item in self.guards if item not in self.known_by_run):
            told = replace(match, site=site.at(site.call, site.file.outline.module))
            yield self.worded(site, told, self.confidence(told))

    def of_use(self, site: Site, use: ExecutedLoader) -> Match | None:
        """What is wrong with a loader of which the abstract run has seen what becomes of its batches."""
        raise NotImplementedError

    def found_alone(self, site: Site, most: Confidence = Confidence.CERTAIN) -> Match | None:
        """What the file itself shows to be wrong, at most so sure."""
        answer = next(self.answers(site), None)
        return replace(answer, sure=min(answer.sure, most)) if isinstance(answer, Match) else None

    @staticmethod
    def loader(site: Site) -> Loader:
        """The loader that the call builds."""
        return site.file.loaders.built[site.call]


def _is_of_torch(site: Site) -> bool:
    """Whether a call surely builds one of PyTorch's loaders, whatever else the file has of that name."""
    return site.node in site.file.loaders.built and means_only(site.call.func, site.block, TORCH_ORIGINS)


def switched_on(site: Site, option: str) -> bool:
    """Whether the loader at a place is given an option as anything but a literal False."""
    given = site.file.loaders.option(LoaderRule.loader(site), option)
    return given.given and constant(given.value) is not False
