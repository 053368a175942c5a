"""TRN101."""

from __future__ import annotations

from collections.abc import Iterator
from functools import partial

from trainlint.analysis.site import Site
from trainlint.analysis.syntax.names import argument, constant
from trainlint.analysis.tables.loaders import TORCH_CLASSES
from trainlint.analysis.types.loaders import Loader, Option
from trainlint.finding import Finding, Fix, Safety, Severity
from trainlint.rule import Rule, Triggers
from trainlint.symptoms import Symptom
from trainlint_rules.data.idioms.datasets import Items, items_of
from trainlint_rules.data.idioms.loader_loops import only_counts, only_evaluates
from trainlint_rules.data.idioms.loader_purposes import Feeds, feeds

_BY_ITEMS = {Items.WORK: 0.95, Items.UNKNOWN: 0.92, Items.TABLE: 0.5}
_BY_USE = {
    Feeds.TRAINING: 1.0,
    Feeds.TRAINING_ELSEWHERE: 0.95,
    Feeds.EVALUATION: 0.75,
    Feeds.SELDOM: 0.6,
    Feeds.UNKNOWN: 0.75,
}
_PREPARED = 0.65
"""What Accelerate's users load, where the file does not show it, is mostly a table that was tokenised beforehand."""
_MEANT = 0.5
"""`num_workers=0` in so many words is somebody's decision."""


_UNKNOWN_EVALUATION = 0.65
"""What an evaluation loads, where the file does not show it, is seldom what it waits for."""
_COUNTED = 0.5
"""No device waits in a loop that only computes numbers of the batches."""
_BARE = 0.6
"""Batches of one from a dataset that is not seen, by a loader that is given nothing else, are a demonstration's."""


class LoaderWithoutWorkers(Rule):
    """A DataLoader that loads in the training process itself.

    ## Why
    Without `num_workers` the training process reads, decodes, augments and collates every batch itself, between two
    steps, while the device has nothing to do. With workers the next batches are ready when the step ends.

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

    How many: start with the machine's cores divided by its training processes, at most 8 or so, and add workers only
    while the step still waits for data. Each costs a process, memory for the batches that it holds ready, and in time
    its own copy of what the dataset keeps in Python lists.

    ## Stays silent
    For options that come from elsewhere (`**options` that the file does not write out), datasets whose items lie ready
    in memory or on the device, replay buffers, loaders without a batch size; quietly, below the default confidence, for
    `num_workers=0` in so many words, tables that were tokenised beforehand, loaders that only evaluate or that a loop
    without a model goes through, and tests.

    ## Gain
    18% of a step in a published GPT-2 case; everything above the device's own time where loading is the bottleneck.

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
    severity = Severity.WARNING
    fix_safety = Safety.UNSAFE
    aliases = ("TOR401",)
    confirmed_by = frozenset({Symptom.DATA_WAIT})
    triggers = Triggers(calls=TORCH_CLASSES)

    def check(self, site: Site) -> Iterator[Finding]:
        """Find loaders that are surely given no workers and that have work to do for each item."""
        loaders = site.file.loaders
        loader = loaders.built.get(site.call)
        if loader is None:
            return
        workers, batch_size = loaders.option(loader, "num_workers"), loaders.option(loader, "batch_size")
        dataset = argument(site.call, "dataset", 0)
        if not _none_given(workers) or dataset is None or constant(batch_size.value) is None:
            return
        items = items_of(site.file, dataset, site.block)
        confidence = _BY_ITEMS.get(items, 0.0) * _BY_USE[feeds(site.file, loader)]
        if items is Items.UNKNOWN:
            confidence = min(confidence, *_doubts(site, loader))
        if only_counts(site.file, loader):
            confidence = min(confidence, _COUNTED)
        if confidence:
            # How often the loader is built says nothing of how often its batches are needed.
            yield self.finding(
                site.at(site.call, site.file.outline.module),
                "without `num_workers` the training process loads every batch itself while the device waits; give it "
                "the machine's cores divided by its training processes, at first no more than 8",
                confidence=min(confidence, _MEANT) if workers.given else confidence,
                fix=partial(_fix, site),
            )


def _doubts(site: Site, loader: Loader) -> Iterator[float]:
    """How sure a finding may be at most, by each thing that speaks for items that cost nothing."""
    yield 1.0
    if site.file.batches.prepared(loader):
        yield _PREPARED
    if only_evaluates(site.file, loader):
        yield _UNKNOWN_EVALUATION
    if len(site.call.args) + len(site.call.keywords) == 1:
        yield _BARE


def _none_given(workers: Option) -> bool:
    return not workers.given or constant(workers.value) == 0


def _fix(site: Site) -> Fix | None:
    from trainlint.fixing.rewrite import attempt, ensure_import, set_keyword

    def make() -> Fix:
        module, imported = ensure_import(site.source, site.file.tree, "os")
        edit = set_keyword(site.source, site.call, "num_workers", f"min(8, {module}.cpu_count() or 1)")
        return Fix("Load in worker processes", tuple(sorted((*imported, edit))), Safety.UNSAFE)

    return attempt(make)
