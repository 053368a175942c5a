"""TRNP305 driver-allocation."""

from trainlint.finding import Severity
from trainlint.rule import RuntimeRule


class DriverAllocation(RuntimeRule):
    """Steps ask the driver for GPU memory, or give it back

    ## Why
    After the first steps the allocator's cache holds all that a step needs. Where steps still call `cudaMalloc` or
    `cudaFree` then, memory is short, the cache is emptied, or shapes change so that nothing fits again.

    ## Example
    ```python
    import torch


    def evaluate(model, loader):
        for batch in loader:
            with torch.no_grad():
                yield model(batch)
            torch.cuda.empty_cache()
    ```

    ## Use instead
    ```python
    import torch


    def evaluate(model, loader):
        for batch in loader:
            with torch.no_grad():
                yield model(batch)
    ```

    ## Confirmed by
    `cudaMalloc` and `cudaFree` (`hipMalloc`, `hipFree`) in a trace, its first steps left out: together once a step or
    more, and 1% of the step's time or more on the CPU.

    ## Gain
    At most the CPU's time in these calls, and at least the time for which the GPU had nothing to do meanwhile.
    Not measured here.

    ## References
    - CUDA semantics, memory management:
      https://docs.pytorch.org/docs/stable/notes/cuda.html#memory-management
    """

    code = "TRNP305"
    name = "driver-allocation"
    severity = Severity.WARNING
