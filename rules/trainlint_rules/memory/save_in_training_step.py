"""TRN313."""

from __future__ import annotations

from trainlint.analysis.site import Site
from trainlint.contract.bases import CallRule
from trainlint.contract.declared_rule import EACH_STEP, Match
from trainlint.symptoms import Symptom


class SaveInTrainingStep(CallRule):
    """A checkpoint written in each training step

    ## Why
    `torch.save` copies every tensor to the CPU, waits for each, pickles them and writes them out: seconds for what
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

    ## Confirmed by
    `trainlint probe` times the save at this line. GPU-to-CPU copies of all parameters and the time of the write at
    this line in each step of a profile.

    ## Gain
    The time of one checkpoint in each step: its bytes divided by the speed of the disk, and the copy to the CPU. Not
    measured here.

    ## References
    - Saving and loading models: https://docs.pytorch.org/tutorials/beginner/saving_loading_models.html
    - Asynchronous checkpoints:
      https://docs.pytorch.org/tutorials/recipes/distributed_async_checkpoint_recipe.html
    """

    code = "TRN313"
    name = "save-in-training-step"
    preview = True
    confirmed_by = frozenset({Symptom.CHECKPOINT})
    on = ("torch.save",)
    when = EACH_STEP
    message = "`torch.save` copies every tensor to the CPU and writes a file{often}"
    help = "save every N steps"

    def found(self, site: Site) -> Match:
        """Any checkpoint, whatever the rank."""
        return Match(site)
