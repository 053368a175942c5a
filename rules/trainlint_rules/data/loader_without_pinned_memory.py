"""TRN102."""

from __future__ import annotations

from collections.abc import Iterable

from trainlint.analysis.site import Site
from trainlint.analysis.syntax.names import argument
from trainlint.contract.declared_rule import Match
from trainlint.finding import Confidence, Edit, Safety
from trainlint.interpreter.machine.events import Happening
from trainlint.interpreter.machine.loaders import ExecutedLoader
from trainlint_rules.data import LoaderRule
from trainlint_rules.data.idioms.loader_purposes import Device, Feeds, feeds, goes_to_device
from trainlint_rules.data.idioms.loading_work import read_once_to_evaluate
from trainlint_rules.data.idioms.pinned.pinning import (
    helps_alone,
    nothing_to_pin,
    pin_edits,
    pinned_in_other_branch,
    pins,
    safety_of_pinning,
    sends_to_processes,
)
from trainlint_rules.data.idioms.workers import is_bare, loads_single_items
from trainlint_rules.sync.idioms.host_memory.gains import Gain, gain_of_pinning

_BY_DEVICE = {
    Device.COPIED: Confidence.CERTAIN,
    Device.LIKELY: Confidence.CERTAIN,
    Device.ELSEWHERE: Confidence.LIKELY,
    Device.SELDOM: Confidence.POSSIBLE,
}
_PREPARED = "set `pin_memory=True`, which the prepared loader keeps"
_ACCELERATE = "; `DataLoaderConfiguration(non_blocking=True)` then copies without waiting"
_FOR_TRAINING = (Feeds.TRAINING, Feeds.TRAINING_ELSEWHERE)


class LoaderWithoutPinnedMemory(LoaderRule):
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
        loader = DataLoader(
            dataset, batch_size=64, shuffle=True, num_workers=8, pin_memory=True
        )
        for inputs, targets in loader:
            inputs = inputs.cuda(non_blocking=True)
            targets = targets.cuda(non_blocking=True)
            loss = criterion(model(inputs), targets)
            optimizer.zero_grad()
            loss.backward()
            optimizer.step()
    ```

    A loader that Accelerate or Fabric prepares keeps what it was given: it pins no memory of its own accord.

    Where the file asks `torch.cuda.is_available()`, the fix writes that instead of `True`, so that a run without CUDA
    prints no warning. Pinning changes where a batch lies, not what it holds. Only a dense tensor on the host can be
    pinned: where neither workers nor code in the file show that batches are such tensors, the fix is an unsafe one, and
    so it is where `pin_memory=False` is given. From pinned memory, copies with `non_blocking` really go on: where the
    project has such copies, the fix is safe only if the file shows what becomes of the batches, as TRN205 asks. A
    collate function that returns objects of its own gains nothing until these have a `pin_memory` method.
    Without workers, and where copies wait, pinning gains nothing by itself: TRN205 then pins and copies without waiting
    in one fix. Nor does it where a step copies what it has computed on the host from the batch, which is never pinned,
    or where its copies wait, its items lie in memory and the step reads a tensor to the host anyway: there is no fix
    then, and an unsafe one where the copies of such a step may be kilobytes: nothing in the file speaks of images,
    sound or video.

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
    happenings = frozenset({Happening.LOADER})
    unless = (pins, nothing_to_pin, sends_to_processes, pinned_in_other_branch)
    known_by_run = frozenset({pins})
    message = "batches are copied to the GPU from pageable memory"
    help = "set `pin_memory=True`"
    fix_title = "Pin the memory of the batches"
    fix_safety = Safety.SAFE

    def found(self, site: Site) -> Match | None:
        """A loader whose batches go to the device."""
        loader = self.loader(site)
        device = goes_to_device(site.file, loader)
        trains = feeds(site.file, loader) in _FOR_TRAINING
        trains = trains and not read_once_to_evaluate(site) and not loads_single_items(site)
        return self._match(site, device, trains=trains)

    def of_use(self, site: Site, use: ExecutedLoader) -> Match | None:
        """A loader that surely pins nothing, whose batches go to the device in training steps.

        Where an evaluation takes them, it is a defect only if the evaluation is repeated and workers prepare batches:
        without workers, the training process itself would pin them.
        """
        if use.options.pins is not False:
            return None
        if use.trains is None:
            worth = use.again is not None and use.options.workers != 0
            return self.found_alone(site, Confidence.CERTAIN if worth else Confidence.POSSIBLE)
        device = Device.COPIED if use.copied else goes_to_device(site.file, self.loader(site))
        return self._match(site, device, trains=not loads_single_items(site) and not is_bare(site))

    def _match(self, site: Site, device: Device, *, trains: bool) -> Match | None:
        loader = self.loader(site)
        if device is Device.STAY or argument(site.call, "dataset", 0) is None:
            return None
        sure = _BY_DEVICE[device] if trains else Confidence.POSSIBLE
        gain = gain_of_pinning(site)
        safety = safety_of_pinning(site) if gain is Gain.LIKELY else Safety.UNSAFE
        instead = None
        if site.file.batches.prepared(loader):
            sure, instead = min(sure, Confidence.LIKELY), _PREPARED
            if any(site.calls("Accelerator")):
                instead += _ACCELERATE
        return Match(site, sure, {"gain": gain}, help=instead, fix_safety=safety)

    def edits(self, site: Site, match: Match) -> Iterable[Edit]:
        """The option, set, where it gains something by itself: TRN205 sets it along with `non_blocking=True`."""
        return pin_edits(site) if helps_alone(site) and match["gain"] is not Gain.NONE else ()
