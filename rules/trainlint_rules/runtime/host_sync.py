"""TRNP201 host-sync."""

from trainlint.finding import Severity
from trainlint.rule import RuntimeRule


class HostSync(RuntimeRule):
    """The CPU waits for the GPU, and the GPU then waits for the CPU

    ## Why
    Python queues kernels ahead of the GPU. A read of a value, a copy to the CPU or a `synchronize` empties that
    queue: the CPU waits until the GPU has finished, and then the GPU waits until the CPU has queued more.

    Only the second wait costs. A CPU that waits for a GPU which is busy all the while loses nothing that a step
    needs, so the time in `cudaStreamSynchronize` is no measure of the cost.

    ## Example
    ```python
    def train(model, loader, optimizer):
        total = 0.0
        for batch, target in loader:
            loss = (model(batch) - target).square().mean()
            optimizer.zero_grad()
            loss.backward()
            optimizer.step()
            total += loss.item()
        return total
    ```

    ## Use instead
    ```python
    import torch


    def train(model, loader, optimizer):
        total = torch.zeros((), device="cuda")
        for batch, target in loader:
            loss = (model(batch) - target).square().mean()
            optimizer.zero_grad()
            loss.backward()
            optimizer.step()
            total += loss.detach()
        return total.item()
    ```

    ## Confirmed by
    A trace: for each wait, how long the CPU is blocked, and how long the GPU then has nothing to do. Without the
    wait a step gains at least the smaller of the first and the idle time until the GPU has work again, and at most
    the smaller of the first and the idle time until the CPU's next wait returns (with the wait's own copy, where no
    kernel hides it). This most must be 1% of a step or more; places below it are told together if they reach it so.
    Where the GPU idles while the CPU is still blocked, another process or a gap in the trace decides, and nothing
    is said.

    ## Gain
    The interval that the finding names. It is a model of the queue, held against traces and not yet against runs
    with and without each wait. Waits do not add up: without one, the next may be longer.

    ## References
    - CUDA semantics, asynchronous execution:
      https://docs.pytorch.org/docs/stable/notes/cuda.html#asynchronous-execution
    - PyTorch performance tuning guide:
      https://docs.pytorch.org/tutorials/recipes/recipes/tuning_guide.html
    """

    code = "TRNP201"
    name = "host-sync"
    severity = Severity.WARNING
