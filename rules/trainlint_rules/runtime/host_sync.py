"""TRNP201 host-sync."""

from trainlint.finding import Severity
from trainlint.rule import RuntimeRule


class HostSync(RuntimeRule):
    """The host waits for the device, and the device then waits for the host

    ## Why
    Python queues kernels ahead of the device. A read of a value, a copy to the host or a `synchronize` empties that
    queue: the host waits until the device has finished, and then the device waits until the host has queued more.

    Only the second wait costs. A host that waits for a device which is busy all the while loses nothing that a step
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
    A trace: for each wait, how long the host is blocked, and how long the device then has nothing to do. Without the
    wait a step gains at least the smaller of the first and the idle time until the device has work again, and at most
    the smaller of the first and the idle time until the host's next wait returns (with the wait's own copy, where no
    kernel hides it). This most must be 1% of a step or more; places below it are told together if they reach it so.
    Where the device idles while the host is still blocked, another process or a gap in the trace decides, and nothing
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
