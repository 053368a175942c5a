"""TRNP304 memory-grows."""

from trainlint.finding import Severity
from trainlint.rule import RuntimeRule


class MemoryGrows(RuntimeRule):
    """Tensors hold more memory after each step

    ## Why
    Something keeps what a step makes: a list of outputs or losses with their graphs, a running sum that is never
    detached, a closure, a cache. If it goes on, the training ends when the GPU is full, hours later and far from
    the line that keeps it.

    ## Example
    ```python
    def train(model, loader, optimizer):
        outputs = []
        for batch in loader:
            output = model(batch)
            output.sum().backward()
            optimizer.step()
            optimizer.zero_grad()
            outputs.append(output)
        return outputs
    ```

    ## Use instead
    ```python
    def train(model, loader, optimizer):
        means = []
        for batch in loader:
            output = model(batch)
            output.sum().backward()
            optimizer.step()
            optimizer.zero_grad()
            means.append(output.detach().mean())
        return means
    ```

    ## Confirmed by
    The bytes that tensors hold at the end of each step: the median of the slopes between all pairs of steps is 1 KiB
    or more a step, and memory grew in four of five pairs or more. Fewer than ten steps prove nothing. Where it grew,
    Python's garbage is collected after the window, and growth that is gone then is none.

    Without a GPU, the same of the C library's heap (glibc), and in addition: after each of three more steps,
    autograd remembers more operations than before. Much else may fill a heap.

    ## Gain
    The training runs to its end. How many steps it has left follows from the slope.

    ## References
    - Frequently asked questions, out of memory:
      https://docs.pytorch.org/docs/stable/notes/faq.html
    - Understanding CUDA memory usage:
      https://docs.pytorch.org/docs/stable/torch_cuda_memory.html
    """

    code = "TRNP304"
    name = "memory-grows"
    severity = Severity.WARNING
