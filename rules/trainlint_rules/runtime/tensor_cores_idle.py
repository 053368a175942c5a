"""TRNP401 tensor-cores-idle."""

from trainlint.finding import Severity
from trainlint.rule import RuntimeRule


class TensorCoresIdle(RuntimeRule):
    """Matrix products run without the GPU's tensor cores

    ## Why
    NVIDIA's GPUs since Volta multiply matrices of 16 bits, and since Ampere those of 32 bits with rounded factors
    (TF32), on units that are several times as fast as the others. PyTorch uses them for float32 only where it is
    allowed to.

    ## Example
    ```python
    def train(model, loader, optimizer, criterion):
        for images, labels in loader:
            loss = criterion(model(images), labels)
            optimizer.zero_grad()
            loss.backward()
            optimizer.step()
    ```

    ## Use instead
    ```python
    import torch


    def train(model, loader, optimizer, criterion):
        for images, labels in loader:
            with torch.autocast("cuda", dtype=torch.bfloat16):
                loss = criterion(model(images), labels)
            optimizer.zero_grad()
            loss.backward()
            optimizer.step()
    ```

    ## Confirmed by
    A trace of an NVIDIA GPU of compute capability 7.0 or more, in which less than half of the time of matrix
    products and convolutions is spent in kernels of tensor cores, while the others take 10% of a step or more.

    ## Gain
    At most the time of those kernels. How much of it depends on shapes and on the GPU; it changes rounding. Not
    measured here.

    ## References
    - Automatic mixed precision:
      https://docs.pytorch.org/docs/stable/amp.html
    - CUDA semantics, TensorFloat-32:
      https://docs.pytorch.org/docs/stable/notes/cuda.html#tensorfloat-32-tf32-on-ampere-and-later-devices
    """

    code = "TRNP401"
    name = "tensor-cores-idle"
    severity = Severity.WARNING
