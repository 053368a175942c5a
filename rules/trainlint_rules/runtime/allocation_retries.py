"""TRNP302 allocation-retries."""

from trainlint.finding import Severity
from trainlint.rule import RuntimeRule


class AllocationRetries(RuntimeRule):
    """Memory is so full that the allocator empties its cache to go on

    ## Why
    Where no block fits and the driver has no more, the allocator waits for the GPU, gives its whole cache back
    and asks again. The step goes on, later. A batch that is a little larger may end the training.

    ## Example
    ```python
    from torch.utils.data import DataLoader


    def loader_for(dataset):
        return DataLoader(dataset, batch_size=96, shuffle=True, num_workers=8)
    ```

    ## Use instead
    ```python
    from torch.utils.data import DataLoader


    def loader_for(dataset):
        return DataLoader(dataset, batch_size=64, shuffle=True, num_workers=8)
    ```

    ## Confirmed by
    `num_alloc_retries` of `torch.cuda.memory_stats()` rises between the first and the last step of the window.

    ## Gain
    The time of the retries, which the longest steps of the window show. Smaller batches with accumulation,
    checkpointed activations or expandable segments leave room. Not measured here.

    ## References
    - torch.cuda.memory_stats:
      https://docs.pytorch.org/docs/stable/generated/torch.cuda.memory.memory_stats.html
    - Optimizing memory usage with PYTORCH_CUDA_ALLOC_CONF:
      https://docs.pytorch.org/docs/stable/notes/cuda.html#optimizing-memory-usage-with-pytorch-cuda-alloc-conf
    """

    code = "TRNP302"
    name = "allocation-retries"
    severity = Severity.WARNING
