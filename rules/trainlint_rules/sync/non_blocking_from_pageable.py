"""TRN219."""

from __future__ import annotations

from trainlint.analysis.site import Site
from trainlint.analysis.syntax.names import argument, constant
from trainlint.analysis.types.values import Home
from trainlint.contract.bases import CallRule
from trainlint.contract.confidence import level
from trainlint.contract.declared_rule import EACH_STEP, Match
from trainlint.finding import Confidence, Heat
from trainlint.symptoms import Symptom
from trainlint_rules.sync.idioms.batch_copies import elsewhere_than_cuda
from trainlint_rules.sync.idioms.copies import copied, copies_to_cuda
from trainlint_rules.sync.idioms.host_memory.pageable import Why, pageable

_REASONS = {
    Why.CAST: ("line {line} casts on the CPU", "copy first and cast on the GPU, or pass the dtype to the copy"),
    Why.INDEX: ("line {line} picks elements on the CPU", "copy first and pick them on the GPU"),
    Why.SLICE: ("line {line} leaves gaps between the rows", "copy first and cut the slice on the GPU"),
    Why.JOIN: ("line {line} joins tensors on the CPU", "copy the parts and join them on the GPU, or pin the result"),
    Why.COMPUTED: ("line {line} computes on the CPU", "copy first and compute on the GPU"),
    Why.MADE: ("line {line} makes it on the CPU", "pin it once (`.pin_memory()`), or make it on the GPU"),
}


class NonBlockingFromPageable(CallRule):
    """A copy to the device with `non_blocking=True` from memory that is not pinned

    ## Why
    Only copies from pinned memory run while the host goes on. A loader with `pin_memory=True` pins its batches, but
    what the program computes of them on the host is a new tensor in pageable memory: a cast that changes the type,
    `x / 255`, indexing by a mask or a list, `torch.cat` and `torch.stack` of pinned parts. A slice such as `x[:, 1:]`
    has gaps and is first copied to pageable memory. CUDA copies pageable memory into a buffer of its own while the
    host waits, whatever the call says, and no warning tells.

    ## Example
    ```python
    import torch
    from torch.utils.data import DataLoader


    def train(model, criterion, optimizer, dataset):
        loader = DataLoader(dataset, batch_size=64, shuffle=True, num_workers=8, pin_memory=True)
        for inputs, targets in loader:
            inputs = inputs.float() / 255
            inputs = inputs.to("cuda", non_blocking=True)
            targets = targets.to("cuda", non_blocking=True)
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
            inputs = inputs.to("cuda", non_blocking=True)
            inputs = inputs.float() / 255
            targets = targets.to("cuda", non_blocking=True)
            loss = criterion(model(inputs), targets)
            optimizer.zero_grad()
            loss.backward()
            optimizer.step()
    ```

    Bytes that are cast on the device are also fewer to copy.

    ## Confirmed by
    `trainlint probe` counts the copies from memory that is not pinned at this line.
    `Memcpy HtoD (Pageable -> Device)` at this line in each step of a profile.

    ## Gain
    The time of the copy, in which the host could queue kernels. Not measured here.

    ## References
    - A guide on good usage of `non_blocking` and `pin_memory()`:
      https://docs.pytorch.org/tutorials/intermediate/pinmem_nonblock.html
    - Which copies of CUDA wait for the host:
      https://docs.nvidia.com/cuda/cuda-runtime-api/api-sync-behavior.html
    """

    code = "TRN219"
    name = "non-blocking-from-pageable"
    happenings = frozenset()
    preview = True
    confirmed_by = frozenset({Symptom.HOST_TO_DEVICE})
    on = (".to", ".cuda", ".copy_")
    when = EACH_STEP | {Heat.EVAL_STEP: Confidence.LIKELY}
    sure = Confidence.LIKELY
    unless = (elsewhere_than_cuda,)
    message = "`non_blocking=True` has no effect here: {reason}, and the result is not pinned"

    def found(self, site: Site) -> Match | None:
        """A copy that is not to block, of what is surely on the host and not pinned."""
        if constant(argument(site.call, "non_blocking")) is not True or not copies_to_cuda(site):
            return None
        given = copied(site)
        value = site.value(given)
        if not value.is_tensor or value.home is not Home.HOST:
            return None
        found = pageable(site.file, given, site.block)
        if found is None:
            return None
        reason, instead = _REASONS[found.why]
        return Match(site, level(value.confidence), {"reason": reason.format(line=found.node.lineno)}, help=instead)
