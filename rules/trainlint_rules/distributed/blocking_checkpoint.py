"""TRN534."""

from __future__ import annotations

from trainlint.analysis.site import Site
from trainlint.contract.bases import CallRule
from trainlint.contract.declared_rule import Match
from trainlint.finding import Confidence, Severity
from trainlint.symptoms import Symptom
from trainlint_rules.distributed.idioms.saved_states import (
    behind_rare_test,
    saves_state_in_step,
    seldom,
    steps_between,
    to_buffer,
)


class BlockingCheckpoint(CallRule):
    """`torch.save` of a model's state every few training steps, for which the training waits

    ## Why
    `torch.save` copies each tensor to the host, serialises it and writes it, and the loop goes on when the last byte is
    out: the devices do nothing meanwhile. With the optimizer's states a checkpoint holds some 12 bytes a parameter: 84
    GB for 7 billion parameters, minutes on a shared disk. Every few steps, that outweighs the training. Save more
    seldom, or let `torch.distributed.checkpoint.async_save` copy to the host and write while the next steps run.

    ## Example
    ```python
    import torch


    def train(model, criterion, optimizer, loader, device):
        for step, (inputs, targets) in enumerate(loader):
            inputs = inputs.to(device, non_blocking=True)
            targets = targets.to(device, non_blocking=True)
            loss = criterion(model(inputs), targets)
            optimizer.zero_grad()
            loss.backward()
            optimizer.step()
            if step % 20 == 0:
                torch.save({"model": model.state_dict(), "optimizer": optimizer.state_dict()}, "last.pt")
    ```

    ## Use instead
    ```python
    import torch


    def train(model, criterion, optimizer, loader, device):
        for step, (inputs, targets) in enumerate(loader):
            inputs = inputs.to(device, non_blocking=True)
            targets = targets.to(device, non_blocking=True)
            loss = criterion(model(inputs), targets)
            optimizer.zero_grad()
            loss.backward()
            optimizer.step()
            if step % 2000 == 0:
                torch.save({"model": model.state_dict(), "optimizer": optimizer.state_dict()}, "last.pt")
    ```

    ## Confirmed by
    `trainlint probe` times the saves at this line; a window that none falls into says nothing. Gaps in a profile of the
    device at each save, and their share of the time.

    ## Gain
    The time of a save, each time. PyTorch reports pauses more than ten times shorter with asynchronous checkpoints.
    Nothing where a save takes less than a step, as for small models on a local disk.

    ## References
    - `torch.distributed.checkpoint.async_save`: https://docs.pytorch.org/docs/stable/distributed.checkpoint.html
    - Reducing Model Checkpointing Times by Over 10x: https://pytorch.org/blog/reducing-checkpointing-times/
    """

    code = "TRN534"
    name = "blocking-checkpoint"
    severity = Severity.ADVICE
    preview = True
    confirmed_by = frozenset({Symptom.CHECKPOINT})
    on = ("torch.save",)
    sure = Confidence.LIKELY
    unless = (to_buffer, behind_rare_test, seldom)
    message = "training waits every {steps} until this checkpoint is written"
    help = "save less often, or use `torch.distributed.checkpoint.async_save`"

    def found(self, site: Site) -> Match | None:
        """A save of a model's state in a loop over training steps."""
        steps = steps_between(site) if saves_state_in_step(site) else 0
        return None if steps == 0 else Match(site, fields={"steps": "step" if steps == 1 else f"{steps} steps"})
