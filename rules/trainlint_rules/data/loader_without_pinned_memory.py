"""TRN102."""

from __future__ import annotations

from collections.abc import Iterable

from trainlint.analysis.site import Site
from trainlint.analysis.syntax.names import argument
from trainlint.contract.declared_rule import Match
from trainlint.finding import Confidence, Edit, Safety
from trainlint_rules.data import LoaderRule, LoaderUseRule, is_for_training
from trainlint_rules.data.idioms.pinned.pinning import (
    helps_alone,
    nothing_to_pin,
    pin_edits,
    pinned_for_same_data,
    safety_of_pinning,
)
from trainlint_rules.data.idioms.workers import is_bare, loads_single_items

TYPE_CHECKING = False
if TYPE_CHECKING:  # importing the run takes long, and a rule needs only its result
    from trainlint.interpreter.machine.loaders import ExecutedLoader

_PREPARED = "set `pin_memory=True`, which the prepared loader keeps"
_ACCELERATE = "; `DataLoaderConfiguration(non_blocking=True)` then copies without waiting"


class LoaderWithoutPinnedMemory(LoaderUseRule):
    """A DataLoader whose batches are copied to CUDA from pageable memory.

    ## Why
    The GPU can only read pinned CPU memory. From ordinary, pageable memory CUDA first copies each batch into a
    pinned buffer of its own, and the CPU waits for that, whatever `non_blocking` says. With `pin_memory=True` a thread
    of the loader puts batches into pinned memory ahead of time: the copy is about twice as fast and can run while the
    GPU computes.

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

    A loader that Accelerate or Fabric prepares keeps what it was given: it pins no memory of its own accord.

    Where the file asks `torch.cuda.is_available()`, the fix writes that instead of `True`, so that a run without CUDA
    prints no warning. Pinning changes where a batch lies, not what it holds. Only a dense tensor on the CPU can be
    pinned: where neither workers nor code in the file show that batches are such tensors, the fix is an unsafe one, and
    so it is where `pin_memory=False` is given. From pinned memory, copies with `non_blocking` really go on: where the
    project has such copies, the fix is safe only if the file shows what becomes of the batches, as TRN205 asks. A
    collate function that returns objects of its own gains nothing until these have a `pin_memory` method.
    Without workers, and where copies wait, pinning gains nothing by itself: TRN205 then pins and copies without waiting
    in one fix.

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
    unless = (nothing_to_pin, pinned_for_same_data)
    message = "batches are copied to the GPU from pageable memory"
    help = "set `pin_memory=True`"
    fix_title = "Pin the memory of the batches"
    fix_safety = Safety.SAFE

    def of_use(self, site: Site, use: ExecutedLoader) -> Match | None:
        """A loader that surely pins nothing, whose batches go to the device."""
        if use.options.pins is not False or argument(site.call, "dataset", 0) is None:
            return None
        sure = _sure_of_copies(site, use)
        if sure is None or use.on_device:
            return None
        instead = None
        if site.file.batches.prepared(LoaderRule.loader(site)):
            sure, instead = min(sure, Confidence.LIKELY), _PREPARED
            if any(site.calls("Accelerator")):
                instead += _ACCELERATE
        return Match(site, sure, help=instead, fix_safety=safety_of_pinning(site))

    def edits(self, site: Site, match: Match) -> Iterable[Edit]:
        """The option, set, where it gains something by itself: TRN205 sets it along with `non_blocking=True`."""
        return pin_edits(site) if helps_alone(site) else ()


def _sure_of_copies(site: Site, use: ExecutedLoader) -> Confidence | None:
    """How sure it is that copies of batches wait; None where the run has seen that there are none.

    Where an evaluation takes them, it is a defect only if the evaluation is repeated and workers prepare batches:
    without workers, the training process itself would pin them.
    """
    if not use.copied and use.trains:
        return None
    if not use.copied:  # perhaps out of sight
        copied = site.file.may_compute_on_device and is_for_training(site, use)
        return Confidence.LIKELY if copied else Confidence.POSSIBLE
    if use.trains is None:
        return Confidence.CERTAIN if use.again and use.options.workers != 0 else Confidence.POSSIBLE
    return Confidence.POSSIBLE if loads_single_items(site) or is_bare(site) else Confidence.CERTAIN
