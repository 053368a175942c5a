"""TRN302."""

from __future__ import annotations

import re

from trainlint.analysis.site import Site
from trainlint.contract.guard import guard
from trainlint.contract.operation_rule import OperationRule
from trainlint.interpreter.machine.events import Happening
from trainlint.patterns import lazy
from trainlint.symptoms import Symptom

_REPORTS = lazy(r"memory|(^|_)mem(_|$)|usage|report|reset", re.IGNORECASE)
_MEMORY_READS = ("memory_allocated", "max_memory_allocated", "memory_reserved", "mem_get_info", "memory_stats")


@guard
def before_memory_report(site: Site) -> bool:
    """The function measures memory, or its name says so."""
    if site.function is not None and _REPORTS.search(site.function.name):
        return True
    return any(other.function is site.function for other in site.calls(*_MEMORY_READS))


class CollectInTrainingStep(OperationRule):
    """`gc.collect()` walks every Python object in each training step

    ## Why
    A full collection looks at every container that the process holds, all modules, parameters, dictionaries and dataset
    entries: tens to hundreds of milliseconds for a large program, in which the CPU queues no kernel. Tensors go with
    their last reference and need no collector.

    ## Example
    ```python
    import gc

    import torch


    def train(model, criterion, optimizer, train_loader, device):
        for inputs, targets in train_loader:
            inputs = inputs.to(device, non_blocking=True)
            targets = targets.to(device, non_blocking=True)
            loss = criterion(model(inputs), targets)
            optimizer.zero_grad()
            loss.backward()
            optimizer.step()
            gc.collect()
    ```

    ## Use instead
    ```python
    import gc

    import torch


    def train(model, criterion, optimizer, train_loader, device):
        for step, (inputs, targets) in enumerate(train_loader):
            inputs = inputs.to(device, non_blocking=True)
            targets = targets.to(device, non_blocking=True)
            loss = criterion(model(inputs), targets)
            optimizer.zero_grad()
            loss.backward()
            optimizer.step()
            if step % 1000 == 0:
                gc.collect()
    ```

    On many ranks, `gc.disable()` with a collection each n-th step keeps automatic ones from striking another rank in
    every step.

    ## Confirmed by
    `trainlint probe` times the collection at this line. With an accelerator that is the most that can be gained: it
    may have work meanwhile.

    ## Gain
    The time of one full collection in each step, which grows with the number of Python objects. Not measured here;
    the author of nanochat tells of about 500 ms for one collection (in the comment beside its `gc.disable()`).
    Nothing is gained where the GPU has that much work queued.

    ## References
    - `gc.collect`: https://docs.python.org/3/library/gc.html#gc.collect
    - Where nanochat switches the collector off:
      https://github.com/karpathy/nanochat/blob/master/scripts/base_train.py
    """

    code = "TRN302"
    name = "collect-in-training-step"
    happenings = frozenset({Happening.COLLECT})
    preview = True
    confirmed_by = frozenset({Symptom.GARBAGE_COLLECTION})
    unless = (before_memory_report,)
    message = "`{text}` walks every Python object{often}, and no kernel is queued meanwhile"
    help = "remove it, or collect every N steps"
