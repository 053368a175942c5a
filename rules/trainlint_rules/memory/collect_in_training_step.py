"""TRN302."""

from __future__ import annotations

import re
from collections.abc import Iterator

from trainlint.analysis.effects.reads import captures_graph, is_measured
from trainlint.analysis.site import Site
from trainlint.finding import Finding, Severity
from trainlint.patterns import lazy
from trainlint.rule import IN_STEP, Rule, Triggers
from trainlint.symptoms import Symptom

_REPORTS = lazy(r"memory|(^|_)mem(_|$)|usage|report|reset", re.IGNORECASE)
"""Functions that show how much memory is used, and collect so that the figure is right, or that start anew."""


class CollectInTrainingStep(Rule):
    """`gc.collect()` walks every Python object in each training step

    ## Why
    A full collection looks at every container that the process holds, all modules, parameters, dictionaries and dataset
    entries: tens to hundreds of milliseconds for a large program, in which the host queues no kernel. Tensors go with
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

    ## Stays silent
    Behind an interval, a flag or a failure; once an epoch; in set-up; for collections of one generation
    (`gc.collect(0)`, `gc.collect(1)`), which are short.

    ## Confirmed by
    `trainlint probe` times the collection at this line. With an accelerator that is the most that can be gained: it
    may have work meanwhile.

    ## Gain
    The time of one full collection in each step, which grows with the number of Python objects. Not measured here;
    the author of nanochat tells of about 500 ms for one collection (in the comment beside its `gc.disable()`).
    Nothing is gained where the device has that much work queued.

    ## References
    - `gc.collect`: https://docs.python.org/3/library/gc.html#gc.collect
    - Where nanochat switches the collector off:
      https://github.com/karpathy/nanochat/blob/master/scripts/base_train.py
    """

    code = "TRN302"
    name = "collect-in-training-step"
    severity = Severity.WARNING
    preview = True
    confirmed_by = frozenset({Symptom.GARBAGE_COLLECTION})
    triggers = Triggers(calls=frozenset({"collect"}), heats=IN_STEP)

    def check(self, site: Site) -> Iterator[Finding]:
        """Find full collections that run in each step."""
        if not site.heat.heat.in_step or site.origin(site.call.func) != "gc.collect":
            return
        function = site.function
        if function is not None and _REPORTS.search(function.name):
            return
        if site.call.args or site.call.keywords or is_measured(site.place, site.file):
            return
        if captures_graph(site.place, site.file) or _measures_memory(site):
            return
        message = (
            "`gc.collect()` walks every Python object in each training step; tensors are freed without it, "
            "so remove it or collect every n-th step"
        )
        yield self.finding(site, message, confidence=0.9)


def _measures_memory(site: Site) -> bool:
    """Whether the same function reads how much memory is used: then it collects to get a figure that is right."""
    reads = site.calls("memory_allocated", "max_memory_allocated", "memory_reserved", "mem_get_info", "memory_stats")
    return any(other.function is site.function for other in reads)
