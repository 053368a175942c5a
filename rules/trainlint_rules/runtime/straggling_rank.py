"""TRNP502 straggling-rank."""

from trainlint.finding import Severity
from trainlint.rule import RuntimeRule


class StragglingRank(RuntimeRule):
    """All ranks wait for one

    ## Why
    A collective ends when the last rank has come to it. A rank with longer sequences, a slower loader, logging of
    its own or a throttled GPU sets the pace of all. It is the one that waits least.

    ## Example
    ```python
    import torch.distributed as dist


    def train(model, loader, optimizer, draw):
        for batch in loader:
            model(batch).mean().backward()
            optimizer.step()
            optimizer.zero_grad()
            if dist.get_rank() == 0:
                draw(model)
    ```

    ## Use instead
    ```python
    import torch.distributed as dist


    def train(model, loader, optimizer, draw):
        for step, batch in enumerate(loader):
            model(batch).mean().backward()
            optimizer.step()
            optimizer.zero_grad()
            if step % 1000 == 0 and dist.get_rank() == 0:
                draw(model)
    ```

    ## Confirmed by
    The traces of all ranks: one spends less time in communication than the median of the others, by 5% of a step or
    more. Without traces the report names a rank whose own work is longer than the others' by 10% of its step or more.

    ## Gain
    At most the time that the others wait. Not measured here.

    ## References
    - PyTorch Distributed (Li et al., 2020):
      https://arxiv.org/abs/2006.15704
    """

    code = "TRNP502"
    name = "straggling-rank"
    severity = Severity.WARNING
