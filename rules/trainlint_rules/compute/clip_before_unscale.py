"""TRN404."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from trainlint.analysis.site import Site
from trainlint.analysis.syntax.blocks import Place
from trainlint.analysis.syntax.names import dotted, position
from trainlint.analysis.syntax.reaching import single_value
from trainlint.analysis.tables.clipping import FUNCTIONS
from trainlint.contract.bases import CallRule
from trainlint.contract.declared_rule import Match
from trainlint.contract.guard import guard
from trainlint.finding import Severity


@guard
def told_before(site: Site) -> bool:
    """An earlier call of the function clips, too."""
    earlier = (other for other in site.calls(*FUNCTIONS) if other.function is site.function)
    return any(position(other.call) < position(site.call) for other in earlier)


@guard
def unscaled(site: Site) -> bool:
    """The function unscales gradients, or scales them back by itself."""
    names = [name for name in site.file.outline.calls if "unscale" in name.lower()]
    return any(other.function is site.function for other in site.calls(*names, "get_scale", "master_params"))


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
    on = tuple(f"{package}.*.{name}" for name in sorted(FUNCTIONS) for package in ("torch", "timm"))
    unless = (unscaled, told_before)
    message = "gradients are clipped to almost nothing: the loss scale still multiplies them"
    help = "call `{scaler}.unscale_({optimizer})` first"

    def found(self, site: Site) -> Match | None:
        """Clipping between the backward of a scaled loss and the step of its scaler, all on one way."""
        for backward, scaler in _scaled_backwards(site):
            for step in site.calls("step"):
                on_the_way = site.block.within(backward.block) and step.block.within(backward.block)
                by_scaler = isinstance(step.call.func, ast.Attribute) and dotted(step.call.func.value) == scaler
                if on_the_way and by_scaler and step.call.args and position(step.call) > position(site.call):
                    return Match(site, fields={"scaler": scaler, "optimizer": site.text(step.call.args[0])})
        return None


def _scaled_backwards(site: Site) -> Iterator[tuple[Place, str]]:
    """The backward passes before a place in its function that start from what a scaler multiplied, and the scaler."""
    for other in site.calls("backward"):
        func = other.call.func
        if not isinstance(func, ast.Attribute) or other.function is not site.function:
            continue
        match single_value(func.value, other.block) or func.value:
            case ast.Call(func=ast.Attribute(attr="scale", value=scaler)):
                if position(other.call) < position(site.call):
                    yield other.place, dotted(scaler) or ""
