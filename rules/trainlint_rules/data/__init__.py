"""Loading data and handing it to the device."""

from __future__ import annotations

from abc import abstractmethod
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
from trainlint.contract.operation_rule import OperationRule
from trainlint.finding import Confidence
from trainlint.interpreter.machine.events import Happening

TYPE_CHECKING = False
if TYPE_CHECKING:
    from trainlint.finding import Finding
    from trainlint.interpreter.machine.loaders import ExecutedLoader
    from trainlint.interpreter.operations import Operation


class LoaderRule(CallRule, base=True):
    """About the construction of a DataLoader."""

    on = TORCH_CLASSES

    def answers(self, site: Site) -> Iterator[Match | Guard]:
        """Without `when` as of the module: how often a loader is built says nothing of how often it is used.

        A loader that nothing builds, or only if somebody turns an option on, loads nothing that anyone waits for.
        """
        if _is_of_torch(site):
            idle = site.heat.optional
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


class LoaderUseRule(OperationRule, base=True):
    """About a DataLoader by what the abstract run has seen of it: what it is given, and what becomes of its batches."""

    happenings = frozenset({Happening.LOADER})
    left_out = (
        "no code that is executed makes the loader",
        "trainlint does not know how the option is set where the loader is made, or it is not the same each time",
    )

    def silence(self, site: Site) -> str | None:
        """As for other rules, about a loader of PyTorch."""
        return super().silence(site) if _is_of_torch(site) else None

    def of_operation(self, site: Site, operation: Operation) -> Match | None:
        """What is wrong with a loader of PyTorch.

        A loader that nothing builds, or only if somebody turns an option on, loads nothing that anyone waits for.
        """
        use = operation.loader
        if use is None or not _is_of_torch(site):
            return None
        match = self.of_use(site, use)
        if match is None:
            return None
        sure = min(match.sure, Confidence.POSSIBLE) if site.heat.optional else match.sure
        return replace(match, site=site.at(site.call, site.file.outline.module), sure=sure)

    @abstractmethod
    def of_use(self, site: Site, use: ExecutedLoader) -> Match | None:
        """What is wrong with a loader, by what the abstract run has seen of it."""

    def reported(self, site: Site, match: Match, operation: Operation) -> Finding:
        """How often a loader is built says nothing of how often it is used."""
        return self.worded(site, match, self.confidence(site, match, operation))


def is_for_training(site: Site, use: ExecutedLoader) -> bool:
    """Whether training steps take the loader's batches, or else it shuffles: the steps may be out of sight."""
    return (
        use.trains is not None or constant(site.file.loaders.option(LoaderRule.loader(site), "shuffle").value) is True
    )


def _is_of_torch(site: Site) -> bool:
    """Whether a call surely builds one of PyTorch's loaders, whatever else the file has of that name."""
    return site.node in site.file.loaders.built and means_only(site.call.func, site.block, TORCH_ORIGINS)


def switched_on(site: Site, option: str) -> bool:
    """Whether the loader at a place is given an option as anything but a literal False."""
    given = site.file.loaders.option(LoaderRule.loader(site), option)
    return given.given and constant(given.value) is not False
