"""TRNP501 exposed-communication."""

from trainlint.finding import Severity
from trainlint.rule import RuntimeRule


class ExposedCommunication(RuntimeRule):
    """Nothing is computed while gradients or parameters travel

    ## Why
    Collectives can run beside the kernels of forward and backward. What remains after all overlap is time in which
    the GPU only waits for the network or for other ranks, in each step.

    ## Example
    ```python
    import torch.distributed as dist


    def backward(model, loss):
        loss.backward()
        for parameter in model.parameters():
            dist.all_reduce(parameter.grad)
    ```

    ## Use instead
    ```python
    from torch.nn.parallel import DistributedDataParallel


    def prepared(model, device):
        return DistributedDataParallel(model, device_ids=[device])
    ```

    ## Confirmed by
    A trace in which kernels of NCCL or RCCL run while no other kernel does, for 10% of a step or more. Some always
    remains, such as the last bucket's. Where the CPU communicates (Gloo), a trace does not tell.

    ## Gain
    At most the exposed time. A rank that waits for a slower one waits inside its collectives, too: look for
    straggling-rank first. Not measured here.

    ## References
    - DistributedDataParallel, internal design:
      https://docs.pytorch.org/docs/stable/notes/ddp.html#internal-design
    - PyTorch Distributed (Li et al., 2020):
      https://arxiv.org/abs/2006.15704
    """

    code = "TRNP501"
    name = "exposed-communication"
    severity = Severity.WARNING
