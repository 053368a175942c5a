"""TRNP301 allocator-churn."""

from trainlint.finding import Severity
from trainlint.rule import RuntimeRule


class AllocatorChurn(RuntimeRule):
    """GPU memory goes back to the driver and is asked for again in the steps

    ## Why
    PyTorch keeps the memory that tensors have left, and hands it out again without asking the driver. Where the
    cache is emptied in the loop, the next step asks the driver anew: `cudaMalloc` takes long, and `cudaFree` waits
    for the GPU.

    ## Example
    ```python
    import torch


    def train(model, loader, optimizer):
        for batch in loader:
            model(batch).sum().backward()
            optimizer.step()
            optimizer.zero_grad()
            torch.cuda.empty_cache()
    ```

    ## Use instead
    ```python
    def train(model, loader, optimizer):
        for batch in loader:
            model(batch).sum().backward()
            optimizer.step()
            optimizer.zero_grad()
    ```

    ## Confirmed by
    Both `num_device_alloc` and `num_device_free` of `torch.cuda.memory_stats()` rise between the first and the last
    step of the window.

    ## Gain
    What the calls of the driver take, and the waits that they bring: a trace of the run tells (driver-allocation).
    Not measured here.

    ## References
    - CUDA semantics, memory management:
      https://docs.pytorch.org/docs/stable/notes/cuda.html#memory-management
    - torch.cuda.memory_stats:
      https://docs.pytorch.org/docs/stable/generated/torch.cuda.memory.memory_stats.html
    """

    code = "TRNP301"
    name = "allocator-churn"
    severity = Severity.WARNING
