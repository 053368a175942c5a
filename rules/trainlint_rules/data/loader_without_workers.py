"""TRN101."""

from __future__ import annotations

from collections.abc import Iterable

from trainlint.analysis.site import Site
from trainlint.analysis.syntax.names import argument
from trainlint.contract.declared_rule import Match
from trainlint.finding import Confidence, Edit, Safety
from trainlint.symptoms import Symptom
from trainlint_rules.data import LoaderUseRule, is_for_training
from trainlint_rules.data.idioms.kept_workers import KEPT_SINCE, would_be_kept
from trainlint_rules.data.idioms.loading_work import (
    computes_on_the_host,
    items_lie_ready,
    sure_of_items,
    workers_would_use_the_device,
)
from trainlint_rules.data.idioms.workers import unbatched

TYPE_CHECKING = False
if TYPE_CHECKING:  # importing the run takes long, and a rule needs only its result
    from trainlint.interpreter.machine.loaders import ExecutedLoader

_ON_HOST = "the training process loads every batch itself, and computes nothing meanwhile"
"""The message where no file names a GPU."""


class LoaderWithoutWorkers(LoaderUseRule):
    """A DataLoader that loads in the training process itself.

    ## Why
    Without `num_workers` the training process reads, decodes, augments and collates every batch itself, between two
    steps, while the GPU has nothing to do. With workers the next batches are ready when the step ends.

    Where an option gives the loader its workers (`num_workers=args.workers`), or 0 is written out, a finding is only
    possible: somebody may set the option, or has decided so.

    ## Example
    ```python
    from torch.utils.data import DataLoader
    from torchvision.datasets import ImageFolder


    def train(model, criterion, optimizer, transform):
        dataset = ImageFolder("data/train", transform=transform)
        loader = DataLoader(dataset, 64, shuffle=True, pin_memory=True)
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
    import os
    from torch.utils.data import DataLoader
    from torchvision.datasets import ImageFolder


    def train(model, criterion, optimizer, transform):
        dataset = ImageFolder("data/train", transform=transform)
        loader = DataLoader(dataset, 64, shuffle=True, pin_memory=True, num_workers=min(8, os.cpu_count() or 1))
        for images, labels in loader:
            images = images.cuda(non_blocking=True)
            labels = labels.cuda(non_blocking=True)
            loss = criterion(model(images), labels)
            optimizer.zero_grad()
            loss.backward()
            optimizer.step()
    ```

    Where a loop goes through the loader again and again, the fix also writes `persistent_workers=True`, so that they
    do not start anew in each epoch (TRN103).

    How many: start with the machine's cores divided by its training processes, at most 8 or so, and add workers only
    while the step still waits for data. Each costs a process, memory for the batches that it holds ready, and in time
    its own copy of what the dataset keeps in Python lists.

    ## Gain
    18% of a step in a published GPT-2 case; everything above the GPU's own time where loading is the bottleneck.

    ## Fix safety
    Workers draw augmentations from random streams of their own, so training differs from run to run without them. They
    need a dataset that can be pickled where processes are spawned (Windows, macOS: guard the script with
    `if __name__ == "__main__":`), and each repeats the whole of an `IterableDataset` that does not share its data out.

    ## Confirmed by
    `trainlint probe` measures how long steps wait for this loader, which is the most that a faster one could gain. The
    share of a step that is spent in `enumerate(DataLoader)#_SingleProcessDataLoaderIter.__next__`; below 2% there is
    nothing to gain.

    ## References
    - Data loading with one and with several processes:
      https://docs.pytorch.org/docs/stable/data.html#single-and-multi-process-data-loading
    - Memory of workers and Python lists: https://github.com/pytorch/pytorch/issues/13246
    """

    code = "TRN101"
    name = "loader-without-workers"
    aliases = ("TOR401",)
    confirmed_by = frozenset({Symptom.DATA_WAIT})
    unless = (unbatched, computes_on_the_host, items_lie_ready, workers_would_use_the_device)
    message = "the training process loads every batch itself while the GPU waits"
    help = "set `num_workers`: start with CPU cores / training processes, at most 8"
    fix_title = "Load in worker processes"
    fix_safety = Safety.UNSAFE

    def of_use(self, site: Site, use: ExecutedLoader) -> Match | None:
        """A loader that surely has none: where an option says how many, somebody may set it."""
        if use.options.workers != 0 or argument(site.call, "dataset", 0) is None:
            return None
        if use.items_lie_ready or use.on_device:
            return None
        message = None if site.file.may_compute_on_device else _ON_HOST
        keeps = would_be_kept(site, use)
        fields = {"in_step": use.in_step, "keeps": keeps}
        sure = min(sure_of_items(site), _most(site, use))
        return Match(site, sure, fields, message=message, fix_needs=KEPT_SINCE if keeps else None)

    def edits(self, site: Site, match: Match) -> Iterable[Edit]:
        """As many workers as the machine has cores, up to 8, kept between epochs; none that start in each step."""
        from trainlint.fixing.rewrite import ensure_import, set_keyword

        if match["in_step"]:
            return
        module, imported = ensure_import(site.source, site.file.tree, "os")
        yield from imported
        workers = f"min(8, {module}.cpu_count() or 1)"
        yield set_keyword(site.source, site.call, "num_workers", workers, proved_absent=True)
        if match["keeps"]:
            yield set_keyword(site.source, site.call, "persistent_workers", "True", proved_absent=True)


def _most(site: Site, use: ExecutedLoader) -> Confidence:
    """How sure it is at best that something waits for the loader: one evaluation is a small part of a run."""
    if use.trains:
        return Confidence.CERTAIN
    return Confidence.LIKELY if use.again or is_for_training(site, use) else Confidence.POSSIBLE
