"""TRN404."""

from __future__ import annotations

from trainlint.analysis.site import Site
from trainlint.analysis.tables.clipping import IMPORTED
from trainlint.contract.bases import CallRule
from trainlint.contract.declared_rule import Match
from trainlint.finding import Severity
from trainlint_rules.compute.idioms.scaled_gradients import scaled_step, unscaled_before


class ClipBeforeUnscale(CallRule):
    """Gradients are clipped while they are still multiplied by the loss scale

    ## Why
    A gradient scaler multiplies the loss, and with it all gradients, by a factor that starts at 65536. Clipped to a
    norm of 1 in this state, gradients come out 65536 times too short once the scaler has divided them: every step is
    clipped, whatever its gradients were, to almost nothing. Optimizers that divide by the size of gradients, such as
    Adam, hide it, so that training goes on, only with another clipping than was meant, and one that changes with the
    scale.

    Only functions of PyTorch and timm are looked at: Accelerate, Fabric and other frameworks unscale before they clip.

    ## Example
    ```python
    import torch


    def train(model, criterion, optimizer, loader, device):
        scaler = torch.amp.GradScaler("cuda")
        for inputs, targets in loader:
            inputs = inputs.to(device, non_blocking=True)
            targets = targets.to(device, non_blocking=True)
            with torch.autocast("cuda", dtype=torch.float16):
                loss = criterion(model(inputs), targets)
            optimizer.zero_grad()
            scaler.scale(loss).backward()
            torch.nn.utils.clip_grad_norm_(model.parameters(), 1.0)
            scaler.step(optimizer)
            scaler.update()
    ```

    ## Use instead
    ```python
    import torch


    def train(model, criterion, optimizer, loader, device):
        scaler = torch.amp.GradScaler("cuda")
        for inputs, targets in loader:
            inputs = inputs.to(device, non_blocking=True)
            targets = targets.to(device, non_blocking=True)
            with torch.autocast("cuda", dtype=torch.float16):
                loss = criterion(model(inputs), targets)
            optimizer.zero_grad()
            scaler.scale(loss).backward()
            scaler.unscale_(optimizer)
            torch.nn.utils.clip_grad_norm_(model.parameters(), 1.0)
            scaler.step(optimizer)
            scaler.update()
    ```

    `scaler.step` knows that gradients were unscaled and does not divide them again. Once for each optimizer and
    step: a second `unscale_` before `update()` raises an error.

    ## Confirmed by
    The norm that `clip_grad_norm_` returns is about the scale, `scaler.get_scale()`, times what it is after
    `unscale_`.

    ## Gain
    No time: what is gained is the training that was meant. PyTorch's documentation shows the order; what the defect
    costs in quality was not measured here. Nothing is gained where the bound is never reached, scale included.

    ## References
    - Automatic mixed precision examples, "Gradient clipping":
      https://docs.pytorch.org/docs/stable/notes/amp_examples.html#gradient-clipping
    """

    code = "TRN404"
    name = "clip-before-unscale"
    severity = Severity.ERROR
    in_tests = True
    on = tuple(f"{package}.*.{name}" for name in sorted(IMPORTED) for package in ("torch", "timm"))
    unless = (unscaled_before,)
    message = "gradients are clipped to almost nothing: the loss scale still multiplies them"
    help = "call `{scaler}.unscale_({optimizer})` first"

    def found(self, site: Site) -> Match | None:
        """Clipping between the backward of a scaled loss and the step of its scaler."""
        step = scaled_step(site)
        if step is None:
            return None
        return Match(site, fields={"scaler": step.scaler, "optimizer": site.text(step.optimizer), "step": step})
