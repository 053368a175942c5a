"""TRNP203 launch-bound."""

from trainlint.finding import Severity
from trainlint.rule import RuntimeRule


class LaunchBound(RuntimeRule):
    """The GPU waits for kernels to be launched

    ## Why
    A launch takes the CPU 5 to 10 µs, and Python more. Kernels that are shorter than that leave the GPU without
    work between them: it runs at the CPU's pace then, and a faster GPU changes nothing.

    ## Example
    ```python
    def step(model, batch, optimizer):
        optimizer.zero_grad()
        model(batch).sum().backward()
        optimizer.step()


    def train(model, loader, optimizer):
        for batch in loader:
            step(model, batch, optimizer)
    ```

    ## Use instead
    ```python
    import torch


    def step(model, batch, optimizer):
        optimizer.zero_grad()
        model(batch).sum().backward()
        optimizer.step()


    def train(model, loader, optimizer):
        compiled = torch.compile(model, mode="reduce-overhead")
        for batch in loader:
            step(compiled, batch, optimizer)
    ```

    ## Confirmed by
    A trace in which the GPU idles for 20% of the time or more because its next kernel is not launched yet, and in
    which half of the kernels start within 50 µs of their launch. Recording a trace slows launches down, too, by up to
    as much again; the lower end of the cost leaves that out.

    ## Gain
    At most the time that the GPU idles for this reason. Larger batches, fused optimizers, `torch.compile` and
    CUDA graphs each take launches away. Not measured here.

    ## References
    - Accelerating PyTorch with CUDA graphs:
      https://pytorch.org/blog/accelerating-pytorch-with-cuda-graphs/
    - torch.compile:
      https://docs.pytorch.org/docs/stable/generated/torch.compile.html
    """

    code = "TRNP203"
    name = "launch-bound"
    severity = Severity.WARNING
