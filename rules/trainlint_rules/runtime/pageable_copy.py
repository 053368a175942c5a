"""TRNP202 pageable-copy."""

from trainlint.finding import Severity
from trainlint.rule import RuntimeRule


class PageableCopy(RuntimeRule):
    """Batches are copied to the GPU from pageable memory

    ## Why
    The GPU can read CPU memory by itself only where that memory is pinned. From any other, the driver first
    copies to a pinned buffer of its own, and the CPU waits for that inside of `cudaMemcpyAsync`, whether or not
    the copy was asked to be non-blocking.

    ## Example
    ```python
    from torch.utils.data import DataLoader


    def batches(dataset):
        for batch in DataLoader(dataset, batch_size=64, num_workers=8):
            yield batch.to("cuda", non_blocking=True)
    ```

    ## Use instead
    ```python
    from torch.utils.data import DataLoader


    def batches(dataset):
        for batch in DataLoader(dataset, batch_size=64, num_workers=8, pin_memory=True):
            yield batch.to("cuda", non_blocking=True)
    ```

    ## Confirmed by
    Copies named `Memcpy HtoD (Pageable -> Device)` in a trace, and what a step could gain without their waits,
    reckoned as on the page of host-sync: at most 1% of a step or more.

    ## Gain
    The interval that the finding names. In a published trace of ResNet-50 on a V100 two such copies a step block
    the CPU for 2.1 ms, of which at most 2.0 ms of 174.6 ms could be gained.

    ## References
    - Pinned memory and non-blocking copies:
      https://docs.pytorch.org/tutorials/intermediate/pinmem_nonblock.html
    - CUDA semantics, pinned memory buffers:
      https://docs.pytorch.org/docs/stable/notes/cuda.html#use-pinned-memory-buffers
    """

    code = "TRNP202"
    name = "pageable-copy"
    severity = Severity.WARNING
