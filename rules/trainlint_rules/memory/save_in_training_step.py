"""TRN313."""

from __future__ import annotations

from collections.abc import Iterator

from trainlint.analysis.site import Site
from trainlint.finding import Finding, Severity
from trainlint.rule import IN_STEP, Rule, Triggers
from trainlint.symptoms import Symptom


class SaveInTrainingStep(Rule):
    """A checkpoint written in each training step

    ## Why
    `torch.save` copies every tensor to the host, waits for each, pickles them and writes them out: seconds for what
    a step changes in milliseconds. A test on the rank does not help: the other ranks wait for the one that writes.

    ## Example
    ```python
    import torch


    def train(model, criterion, optimizer, train_loader, device):
        for inputs, targets in train_loader:
            inputs = inputs.to(device, non_blocking=True)
            targets = targets.to(device, non_blocking=True)
            loss = criterion(model(inputs), targets)
            optimizer.zero_grad()
            loss.backward()
            optimizer.step()
            torch.save(model.state_dict(), "latest.pt")
    ```

    ## Use instead
    ```python
    import torch


    def train(model, criterion, optimizer, train_loader, device):
        for step, (inputs, targets) in enumerate(train_loader):
            inputs = inputs.to(device, non_blocking=True)
            targets = targets.to(device, non_blocking=True)
            loss = criterion(model(inputs), targets)
            optimizer.zero_grad()
            loss.backward()
            optimizer.step()
            if step % 1000 == 0:
                torch.save(model.state_dict(), "latest.pt")
    ```

    Where a checkpoint is due often, `torch.distributed.checkpoint.async_save` writes it in the background.

    ## Stays silent
    Behind an interval, a flag, a better result or another test that holds seldom; once an epoch; in loops over
    something else than steps.

    ## Confirmed by
    `trainlint probe` times the save at this line. Device-to-host copies of all parameters and the time of the write at
    this line in each step of a profile.

    ## Gain
    The time of one checkpoint in each step: its bytes divided by the speed of the disk, and the copy to the host. Not
    measured here.

    ## References
    - Saving and loading models: https://docs.pytorch.org/tutorials/beginner/saving_loading_models.html
    - Asynchronous checkpoints:
      https://docs.pytorch.org/tutorials/recipes/distributed_async_checkpoint_recipe.html
    """

    code = "TRN313"
    name = "save-in-training-step"
    severity = Severity.WARNING
    preview = True
    confirmed_by = frozenset({Symptom.CHECKPOINT})
    triggers = Triggers(calls=frozenset({"save"}), heats=IN_STEP)

    def check(self, site: Site) -> Iterator[Finding]:
        """Find calls of torch.save that run in each step, whatever the rank."""
        if not site.heat.heat.in_step or site.origin(site.call.func) != "torch.save":
            return
        message = "`torch.save` copies everything to the host and writes it in each training step; save every n-th step"
        yield self.finding(site, message, confidence=0.9)
