"""TRN215."""

from __future__ import annotations

from trainlint.analysis.site import Site
from trainlint.analysis.tables.collectives import BRINGING_TOGETHER
from trainlint.contract.bases import CallRule
from trainlint.contract.declared_rule import EACH_STEP, Match
from trainlint.contract.guards.autograd import autograd_off_early
from trainlint.finding import Confidence
from trainlint.symptoms import Symptom
from trainlint_rules.sync.idioms.logging_collectives import is_logging_collective


class LoggingCollectiveEachStep(CallRule):
    """A loss reduced over all ranks in each training step, only to be logged

    ## Why
    Each rank waits for the slowest one in a collective, and a small one costs as much latency as any. The gradients'
    all-reduce has brought the ranks together already and hides behind the backward pass; this one hides behind nothing.
    A mean over ranks is worth a log line every n-th step, not a collective in each.
    A read in the same expression, as in `gather(loss).mean().item()`, is part of this finding; TRN201 reports one in
    another line.

    ## Example
    ```python
    import torch
    import torch.distributed as dist


    def train(model, criterion, optimizer, train_loader, writer, device):
        for step, (inputs, targets) in enumerate(train_loader):
            inputs = inputs.to(device, non_blocking=True)
            targets = targets.to(device, non_blocking=True)
            loss = criterion(model(inputs), targets)
            optimizer.zero_grad()
            loss.backward()
            optimizer.step()
            mean_loss = loss.detach().clone()
            dist.all_reduce(mean_loss)
            if step % 50 == 0:
                writer.add_scalar("loss", mean_loss, step)
    ```

    ## Use instead
    ```python
    import torch
    import torch.distributed as dist


    def train(model, criterion, optimizer, train_loader, writer, device):
        for step, (inputs, targets) in enumerate(train_loader):
            inputs = inputs.to(device, non_blocking=True)
            targets = targets.to(device, non_blocking=True)
            loss = criterion(model(inputs), targets)
            optimizer.zero_grad()
            loss.backward()
            optimizer.step()
            if step % 50 == 0:
                mean_loss = loss.detach().clone()
                dist.all_reduce(mean_loss)
                writer.add_scalar("loss", mean_loss, step)
    ```

    To log the mean of all steps, sum the loss on each rank and reduce the sum in the same branch. All ranks must come
    to it: the test may ask for the step, not for the rank.

    ## Confirmed by
    `trainlint probe` times the collective at this line where the CPU waits for it, as with gloo. What the rank
    that comes last spends there is surely gained, the wait of the others at most. Else a small
    `ncclDevKernel_AllReduce` or `AllGather` in each step of a profile, outside of the backward pass.

    ## Gain
    One small collective in each step, and the wait for the slowest rank. Not measured here; nothing on one GPU, and
    little where steps are long and ranks even.

    ## References
    - `torch.distributed.all_reduce`:
      https://docs.pytorch.org/docs/stable/distributed.html#torch.distributed.all_reduce
    - PyTorch performance tuning guide, "Avoid unnecessary CPU-GPU synchronization":
      https://docs.pytorch.org/tutorials/recipes/recipes/tuning_guide.html
    """

    code = "TRN215"
    name = "logging-collective-each-step"
    confirmed_by = frozenset({Symptom.COLLECTIVE})
    on = tuple(sorted(BRINGING_TOGETHER))
    when = EACH_STEP
    sure = Confidence.LIKELY
    unless = (autograd_off_early,)
    message = "`{text}` makes all ranks wait for each other{often}, only to log the result"
    help = "reduce the value every N steps, where you log it"

    def found(self, site: Site) -> Match | None:
        """A collective on a loss or a metric whose result is only shown."""
        return Match(site) if is_logging_collective(site.file, site.call, site.place) else None
