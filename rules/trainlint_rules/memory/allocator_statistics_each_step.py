"""TRN317."""

from __future__ import annotations

from trainlint.analysis.site import Site
from trainlint.contract.bases import CallRule
from trainlint.contract.declared_rule import EACH_STEP, Match
from trainlint.finding import Severity
from trainlint_rules.memory.idioms.deliberate_collections import in_benchmark


class AllocatorStatisticsEachStep(CallRule):
    """All statistics of the CUDA allocator are collected in each training step

    ## Why
    `memory_stats()` collects some 120 counters into nested dictionaries, then flattens and sorts them in Python;
    `memory_summary()` formats them as a table of 47 lines as well; `memory_snapshot()` walks every block that the
    allocator holds. The host queues no kernel meanwhile. The Python part alone took 0.2 ms for `memory_stats()` and
    0.5 ms for `memory_summary()` (best of 5; PyTorch 2.13 on a CPU with counters made up).

    ## Example
    ```python
    import torch


    def train(model, criterion, optimizer, train_loader, device):
        for inputs, targets in train_loader:
            inputs = inputs.to(device, non_blocking=True)
            targets = targets.to(device, non_blocking=True)
            loss = criterion(model(inputs), targets)
            optimizer.zero_grad()
            loss.backward()
            optimizer.step()
            print(torch.cuda.memory_summary())
    ```

    ## Use instead
    ```python
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
                print(torch.cuda.memory_summary())
    ```

    Peaks are not lost: the allocator keeps them from one call to the next, until `reset_peak_memory_stats()`. Reading
    a single counter is no way out: `memory_allocated()` calls `memory_stats()` and takes one entry.

    ## Confirmed by
    A profiler of the host, such as py-spy, shows the time below this line.

    ## Gain
    At most the time of the call in each step, as above; the part inside of the allocator, which grows with its blocks
    for a snapshot, was not measured here. Nothing where the device has that much work queued.

    ## References
    - `torch.cuda.memory.memory_summary`, "useful to display periodically during training":
      https://docs.pytorch.org/docs/stable/generated/torch.cuda.memory.memory_summary.html
    - `torch.cuda.memory.memory_stats`:
      https://docs.pytorch.org/docs/stable/generated/torch.cuda.memory.memory_stats.html
    - `torch.cuda.memory.memory_snapshot`:
      https://docs.pytorch.org/docs/stable/generated/torch.cuda.memory.memory_snapshot.html
    """

    code = "TRN317"
    name = "allocator-statistics-each-step"
    severity = Severity.ADVICE
    preview = True
    on = ("torch.cuda.*.memory_summary", "torch.cuda.*.memory_stats", "torch.cuda.*.memory_snapshot")
    when = EACH_STEP
    unless = (in_benchmark,)
    message = "`{text}` collects all statistics of the allocator on the host{often}"
    help = "log it every N steps"

    def found(self, site: Site) -> Match:
        """Any such call."""
        return Match(site)
