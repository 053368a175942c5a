"""TRNP303 memory-fragmented."""

from trainlint.finding import Severity
from trainlint.rule import RuntimeRule


class MemoryFragmented(RuntimeRule):
    """A large part of the reserved memory is holes between tensors

    ## Why
    The allocator cuts large blocks into smaller ones. What is free between two tensors that live long serves only
    what fits there. A training may run out of memory with gigabytes free, in pieces.

    ## Example
    ```python
    def train(model, loader, optimizer):
        for tokens in loader:
            model(tokens).sum().backward()
            optimizer.step()
            optimizer.zero_grad()
    ```

    ## Use instead
    ```python
    import os

    os.environ["PYTORCH_ALLOC_CONF"] = "expandable_segments:True"


    def train(model, loader, optimizer):
        for tokens in loader:
            model(tokens).sum().backward()
            optimizer.step()
            optimizer.zero_grad()
    ```

    ## Confirmed by
    `inactive_split_bytes` of `torch.cuda.memory_stats()` is 20% of `reserved_bytes` or more at the end of the window.

    ## Gain
    Memory, not time: about the size of the holes. Before PyTorch 2.9 the variable is `PYTORCH_CUDA_ALLOC_CONF`. Not
    measured here.

    ## References
    - Optimizing memory usage with PYTORCH_CUDA_ALLOC_CONF:
      https://docs.pytorch.org/docs/stable/notes/cuda.html#optimizing-memory-usage-with-pytorch-cuda-alloc-conf
    - Understanding CUDA memory usage:
      https://docs.pytorch.org/docs/stable/torch_cuda_memory.html
    """

    code = "TRNP303"
    name = "memory-fragmented"
    severity = Severity.ADVICE
