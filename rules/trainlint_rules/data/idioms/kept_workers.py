"""Workers that a loader keeps between passes: where they would not help, and the option."""

from __future__ import annotations

import ast

from trainlint.analysis.site import Site
from trainlint.analysis.syntax.names import nodes_in
from trainlint.contract.guard import guard
from trainlint_rules.data import LoaderRule
from trainlint_rules.data.idioms.datasets import changes_between_passes
from trainlint_rules.data.idioms.samplers import passes_without_end
from trainlint_rules.data.idioms.workers import Workers, workers

TYPE_CHECKING = False
if TYPE_CHECKING:  # importing the run takes long, and a rule needs only its result
    from trainlint.interpreter.machine.loaders import ExecutedLoader


KEPT_SINCE = (1, 8)
"""The first PyTorch that keeps workers well: before it, the second pass fails where batches are pinned
(https://github.com/pytorch/pytorch/issues/48370)."""


@guard
def never_ends(site: Site) -> bool:
    """One pass never ends, so few runs begin a second."""
    return passes_without_end(site.file, LoaderRule.loader(site))


@guard
def dataset_changes(site: Site) -> bool:
    """The code assigns to the dataset between passes, or calls a method of it, which kept workers would not see."""
    return changes_between_passes(site.file, LoaderRule.loader(site))


def would_be_kept(site: Site, use: ExecutedLoader) -> bool:
    """Whether workers that a loader is given should be kept: it is gone through again, and does not say itself."""
    if use.again is None or use.changed or site.lacks(KEPT_SINCE):
        return False
    given = site.file.loaders.option(LoaderRule.loader(site), "persistent_workers").given
    return not (given or never_ends.holds(site) or dataset_changes.holds(site))


def value_of_option(site: Site) -> str | None:
    """What to set `persistent_workers` to; None where the number of workers stands outside of the call."""
    loader = LoaderRule.loader(site)
    given = site.file.loaders.option(loader, "num_workers").value
    if given is None or all(part is not given for part in nodes_in(site.call)):
        return None  # a dict of options may be another one where there are no workers
    if workers(site.file, loader) is Workers.SOME:
        return "True"
    return f"{ast.unparse(given)} > 0" if isinstance(given, ast.Name | ast.Attribute) else None
