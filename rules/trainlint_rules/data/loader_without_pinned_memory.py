"""TRN102."""

from __future__ import annotations

from collections.abc import Iterator
from functools import partial

from trainlint.analysis.site import Site
from trainlint.analysis.syntax.names import argument, constant
from trainlint.analysis.tables.loaders import TORCH_CLASSES
from trainlint.analysis.types.loaders import Loader
from trainlint.finding import Edit, Finding, Fix, Safety, Severity
from trainlint.rule import Rule, Triggers
from trainlint_rules.data.idioms.datasets import Items, are_indices, items_of
from trainlint_rules.data.idioms.loader_purposes import Device, Feeds, feeds, goes_to_device

_BY_DEVICE = {
    Device.COPIED: 0.95,
    Device.LIKELY: 0.92,
    Device.ELSEWHERE: 0.85,
    Device.SELDOM: 0.6,
    Device.STAY: 0.0,
}
_BY_USE = {
    Feeds.TRAINING: 1.0,
    Feeds.TRAINING_ELSEWHERE: 0.95,
    Feeds.EVALUATION: 0.7,
    Feeds.SELDOM: 0.7,
    Feeds.UNKNOWN: 0.7,
}
_PREPARED = 0.6
"""A framework copies the batches, usually without asking for an asynchronous copy."""


class LoaderWithoutPinnedMemory(Rule):
    """A DataLoader whose batches are copied to CUDA from pageable memory.

    ## Why
    The device can only read pinned host memory. From ordinary, pageable memory CUDA first copies each batch into a
    pinned buffer of its own, and the host waits for that, whatever `non_blocking` says. With `pin_memory=True` a thread
    of the loader puts batches into pinned memory ahead of time: the copy is about twice as fast and can run while the
    device computes.

    ## Example
    ```python
    import torch
    from torch.utils.data import DataLoader


    def train(model, criterion, optimizer, dataset):
        loader = DataLoader(dataset, batch_size=64, shuffle=True, num_workers=8)
        for inputs, targets in loader:
            inputs = inputs.cuda(non_blocking=True)
            targets = targets.cuda(non_blocking=True)
            loss = criterion(model(inputs), targets)
            optimizer.zero_grad()
            loss.backward()
            optimizer.step()
    ```

    ## Use instead
    ```python
    import torch
    from torch.utils.data import DataLoader


    def train(model, criterion, optimizer, dataset):
        loader = DataLoader(dataset, batch_size=64, shuffle=True, num_workers=8, pin_memory=True)
        for inputs, targets in loader:
            inputs = inputs.cuda(non_blocking=True)
            targets = targets.cuda(non_blocking=True)
            loss = criterion(model(inputs), targets)
            optimizer.zero_grad()
            loss.backward()
            optimizer.step()
    ```

    Where the file asks `torch.cuda.is_available()`, the fix writes that instead of `True`, so that a run without CUDA
    prints no warning. Pinning changes where a batch lies, not what it holds. Only a tensor that is on the device
    already cannot be pinned: where the file does not show that batches come from the host, the fix is an unsafe one.
    A collate function that returns objects of its own gains nothing until these have a `pin_memory` method.

    ## Stays silent
    In files that use no CUDA and work together with none that does; for datasets on the device, loaders of indices and
    others whose batches are never copied, options that come from elsewhere, and files that call models in other
    processes by `torch.distributed.rpc`; quietly, below the default confidence, for loaders that Accelerate or Fabric
    prepares or that are drawn from only now and then, in files that only evaluate, and in tests.

    ## Confirmed by
    `batch.is_pinned()` is false, and `Memcpy HtoD (Pageable -> Device)` in each step of a profile.

    ## Gain
    Published notes on one GPT-2 step give 3% for non-blocking copies out of pinned memory (1.87 to 1.81 s). Nothing
    where batches are small beside the step, or where the step waits for the loader. Not measured here.

    ## References
    - Memory pinning in loaders: https://docs.pytorch.org/docs/stable/data.html#memory-pinning
    - PyTorch tutorial on `pin_memory` and `non_blocking`:
      https://docs.pytorch.org/tutorials/intermediate/pinmem_nonblock.html
    """

    code = "TRN102"
    name = "loader-without-pinned-memory"
    severity = Severity.WARNING
    fix_safety = Safety.SAFE
    triggers = Triggers(calls=TORCH_CLASSES)

    def check(self, site: Site) -> Iterator[Finding]:
        """Find loaders that surely pin nothing and whose batches go to CUDA."""
        loader = site.file.loaders.built.get(site.call)
        if loader is None:
            return
        pinned = site.file.loaders.option(loader, "pin_memory")
        dataset = argument(site.call, "dataset", 0)
        if dataset is None or (pinned.given and constant(pinned.value) is not False):
            return
        device = goes_to_device(site.file, loader)
        items = items_of(site.file, dataset, site.block)
        if (items is Items.MEMORY and are_indices(dataset)) or _sends_to_processes(site):
            return
        confidence = _BY_DEVICE[device] * _BY_USE[feeds(site.file, loader)]
        if confidence and items is not Items.DEVICE:
            if site.file.batches.prepared(loader):
                confidence = min(confidence, _PREPARED)
            # How often the loader is built says nothing of how often its batches are needed.
            yield self.finding(
                site.at(site.call, site.file.outline.module),
                "batches of this loader go to the device from pageable memory, which is slow and makes the host wait; "
                "give it `pin_memory=True`",
                confidence=confidence,
                fix=partial(_fix, site, loader, device, items),
            )


def _fix(site: Site, loader: Loader, device: Device, items: Items) -> Fix | None:
    from trainlint.fixing.rewrite import attempt, ensure_import, set_keyword

    workers = site.file.loaders.option(loader, "num_workers")
    by_workers = workers.given and constant(workers.value) != 0  # which cannot hand over tensors on the device
    from_host = device in (Device.COPIED, Device.SELDOM) or by_workers or items in (Items.WORK, Items.TABLE)

    def make() -> Fix:
        value = "True"
        imported: tuple[Edit, ...] = ()
        if _asks_for_cuda(site):
            asked, imported = ensure_import(site.source, site.file.tree, "torch.cuda", "is_available")
            value = f"{asked}()"
        edit = set_keyword(site.source, site.call, "pin_memory", value)
        safety = Safety.SAFE if from_host else Safety.UNSAFE
        return Fix("Pin the memory of the batches", tuple(sorted((*imported, edit))), safety)

    return attempt(make)


def _sends_to_processes(site: Site) -> bool:
    """Whether the file calls models in other processes, whose batches go through a socket before any device."""
    calls = site.calls("remote", "rpc_sync", "rpc_async")
    return any((sent.origin(sent.call.func) or "").startswith("torch.distributed.rpc.") for sent in calls)


def _asks_for_cuda(site: Site) -> bool:
    """Whether the file is written to run without CUDA too."""
    return any(asked.origin(asked.call.func) == "torch.cuda.is_available" for asked in site.calls("is_available"))
