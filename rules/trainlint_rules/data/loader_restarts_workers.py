"""TRN103."""

from __future__ import annotations

from collections.abc import Iterable

from trainlint.analysis.site import Site
from trainlint.contract.declared_rule import Match
from trainlint.contract.guards.files import supports_older_than
from trainlint.finding import Confidence, Edit, Safety
from trainlint.symptoms import Symptom
from trainlint_rules.data import LoaderRule, LoaderUseRule
from trainlint_rules.data.idioms.kept_workers import KEPT_SINCE, dataset_changes, never_ends, value_of_option
from trainlint_rules.data.idioms.workers import Workers, has_one_worker, loads_single_items, workers

TYPE_CHECKING = False
if TYPE_CHECKING:  # importing the run takes long, and a rule needs only its result
    from trainlint.interpreter.machine.events import Link
    from trainlint.interpreter.machine.loaders import ExecutedLoader

_BY_WORKERS = {
    Workers.SOME: Confidence.CERTAIN,
    Workers.LIKELY: Confidence.CERTAIN,
    Workers.OPTIONAL: Confidence.POSSIBLE,
}

_SINCE = (1, 7)
"""The first PyTorch whose loaders take `persistent_workers`."""


class LoaderRestartsWorkers(LoaderUseRule):
    """A DataLoader whose worker processes are stopped and started again for each pass

    ## Why
    Without `persistent_workers=True` the workers end with the pass. The next epoch starts new processes, which import
    and unpickle everything again where processes are spawned, open their files anew, and have no batch ready when the
    first step asks for one. An evaluation loader pays for each evaluation.

    ## Example
    ```python
    from torch.utils.data import DataLoader


    def train(model, criterion, optimizer, dataset, epochs):
        loader = DataLoader(dataset, 64, shuffle=True, num_workers=8, pin_memory=True)
        for epoch in range(epochs):
            for images, labels in loader:
                images = images.cuda(non_blocking=True)
                labels = labels.cuda(non_blocking=True)
                loss = criterion(model(images), labels)
                optimizer.zero_grad()
                loss.backward()
                optimizer.step()
    ```

    ## Use instead
    ```python
    from torch.utils.data import DataLoader


    def train(model, criterion, optimizer, dataset, epochs):
        loader = DataLoader(dataset, 64, shuffle=True, num_workers=8, pin_memory=True, persistent_workers=True)
        for epoch in range(epochs):
            for images, labels in loader:
                images = images.cuda(non_blocking=True)
                labels = labels.cuda(non_blocking=True)
                loss = criterion(model(images), labels)
                optimizer.zero_grad()
                loss.backward()
                optimizer.step()
    ```

    Where the number of workers is a variable, the fix writes `persistent_workers=args.workers > 0`, because the
    option is refused without workers. The workers of all such loaders stay alive side by side, with their memory.

    ## Gain
    The time to the first batch of each further epoch. Measured with two workers and a small dataset on a 2-core CPU
    machine with PyTorch 2.13: 50-99 ms with forked and about 5 s with spawned workers, against 5-8 ms with persistent
    ones. In a project with four workers and a set of 100 structures an epoch fell from 1.10 s to 0.74 s
    (metatensor/metatrain#1271). It is nothing where an epoch takes hours, and most where epochs are short or
    evaluations frequent.

    ## Fix safety
    Epochs after the first come out in another order, and workers go on with the random streams that they have: the
    run is another one with the same statistics. A dataset that other code changes between epochs
    (`loader.dataset.epoch = epoch`) is not changed in persistent workers.

    ## Confirmed by
    `trainlint probe` times the start of the workers and the wait for their first batch, spread over the batches of an
    epoch; a loader that has no workers in this run, or keeps them, refutes the finding. A long
    `enumerate(DataLoader)#_MultiProcessingDataLoaderIter.__next__` at the first step of each epoch, and worker
    processes whose ids change from epoch to epoch.

    ## References
    - `torch.utils.data.DataLoader`, `persistent_workers`:
      https://docs.pytorch.org/docs/stable/data.html#torch.utils.data.DataLoader
    - Why workers may be kept: https://github.com/pytorch/pytorch/issues/15849
    - What it gained a project: https://github.com/metatensor/metatrain/pull/1271
    """

    code = "TRN103"
    name = "loader-restarts-workers"
    confirmed_by = frozenset({Symptom.WORKERS_STARTED})
    unless = (supports_older_than(_SINCE), never_ends, dataset_changes)
    message = "DataLoader workers restart on every pass ({repeats} at {place})"
    help = "set `persistent_workers=True`"
    fix_needs = KEPT_SINCE
    fix_title = "Keep the workers between passes"
    fix_safety = Safety.UNSAFE

    def of_use(self, site: Site, use: ExecutedLoader) -> Match | None:
        """A loader that surely does not keep its workers, and is gone through again and again."""
        if use.options.keeps_workers is not False or use.options.workers == 0 or use.again is None or use.changed:
            return None
        sure = self._sure_of_workers(site, use)
        if sure is None:
            return None
        path, line = use.again.path, use.again.line
        place = f"line {line}" if path == site.path else f"{path}:{line}"
        return Match(site, sure, {"repeats": _what_repeats(use.again), "place": place})

    def _sure_of_workers(self, site: Site, use: ExecutedLoader) -> Confidence | None:
        """How sure it is that the loader has workers that somebody would keep; None where it has none."""
        loader = LoaderRule.loader(site)
        sure = Confidence.CERTAIN if use.options.workers else _BY_WORKERS.get(workers(site.file, loader))
        if sure is None:
            return None
        if site.file.loaders.option(loader, "persistent_workers").given or loads_single_items(site):
            sure = Confidence.POSSIBLE  # somebody decided that it is off, or passes are long
        if has_one_worker.holds(site) and use.trains is None:
            return Confidence.POSSIBLE  # one process starts anew for each evaluation
        return sure

    def edits(self, site: Site, match: Match) -> Iterable[Edit]:
        """The keyword; with a condition where the number of workers is a variable, since it is refused without any."""
        from trainlint.fixing.rewrite import set_keyword

        value = value_of_option(site)
        if value is not None:
            yield set_keyword(site.source, site.call, "persistent_workers", value, proved_absent=True)


def _what_repeats(again: Link) -> str:
    """What goes through the loader again and again, in a word."""
    if "trainer" in again.words:
        return "trainer"
    return "hook" if again.words.startswith(("a framework calls", "nothing in sight calls")) else "loop"
