"""TRN803."""

from __future__ import annotations

from trainlint.symptoms import Symptom
from trainlint_rules.api import DeprecatedName


class MemoryCached(DeprecatedName):
    """Statistics of the CUDA allocator by names that were given up in PyTorch 1.4

    ## Why
    What the allocator holds is called reserved memory since PyTorch 1.4. `memory_cached` and `max_memory_cached` raise
    a FutureWarning at each call; `reset_max_memory_allocated` and `reset_max_memory_cached` do too, and no longer do
    what they are called: both reset every peak, as `reset_peak_memory_stats` says it does.

    By default it is reported only where the project states a PyTorch that warns of it, or that lacks it
    ([`target-torch`](../configuration.md#target-torch)); elsewhere it is possible.

    ## Example
    ```python
    import torch


    def report(epoch):
        print(epoch, torch.cuda.memory_cached() // 2**20, torch.cuda.max_memory_cached() // 2**20)
        torch.cuda.reset_max_memory_allocated()
    ```

    ## Use instead
    ```python
    import torch


    def report(epoch):
        print(epoch, torch.cuda.memory_reserved() // 2**20, torch.cuda.max_memory_reserved() // 2**20)
        torch.cuda.reset_peak_memory_stats()
    ```

    ## Confirmed by
    `trainlint probe` hears PyTorch's warning, and names the line that it comes from.
    FutureWarnings of `torch.cuda.memory` on the error stream.

    ## Gain
    None in speed: a line less in the log of every process, and a program that outlives the old names.

    ## References
    - `torch.cuda.memory_reserved`:
      https://docs.pytorch.org/docs/stable/generated/torch.cuda.memory.memory_reserved.html
    """

    code = "TRN803"
    name = "memory-cached"
    aliases = ("TOR101", "TOR103")
    confirmed_by = frozenset({Symptom.WARNING})
    warned_as = "renamed|reset_peak_memory_stats"
