"""TRN403."""

from __future__ import annotations

from trainlint.analysis.site import Site
from trainlint.analysis.tables.precision import SCALER_ENABLED_AT
from trainlint.analysis.tables.signs import FLOAT16
from trainlint.contract.bases import CallRule
from trainlint.contract.declared_rule import Match
from trainlint.contract.guard import guard
from trainlint.contract.guards.names import shows
from trainlint_rules.compute.idioms.grad_scalers import scaled_backwards, scalers
from trainlint_rules.compute.idioms.precision import CastTo, autocasts_of


@guard
def _switched(site: Site) -> bool:
    """`enabled` or a check decides whether the scaler is used."""
    return not any(scaler.enabled for scaler in scalers(site.file) if scaler.place.node is site.node)


@guard
def _other_type(site: Site) -> bool:
    """An autocast in the file uses, or may use, another type than bfloat16."""
    return any(item.dtype is not CastTo.BFLOAT16 for item in autocasts_of(site.file) if item.enabled is not False)


@guard
def _unused(site: Site) -> bool:
    """The file back-propagates no loss that it scales."""
    return not any(scaled_backwards(site.file, function) for function in (None, *site.file.outline.functions))


class ScalerWithoutHalf(CallRule):
    """A gradient scaler in training that computes in bfloat16

    ## Why
    A scaler keeps gradients from vanishing in float16. bfloat16 has the range of float32, where nothing vanishes, so
    the scaler only costs: each step multiplies the loss, looks at all gradients for infinities, divides them, and makes
    the host wait for the answer before the optimizer may go on. At its start it also skips steps, while it looks for
    a scale that nobody needs.

    ## Example
    ```python
    import torch


    def train(model, criterion, optimizer, loader):
        scaler = torch.amp.GradScaler("cuda")
        for inputs, targets in loader:
            inputs = inputs.cuda(non_blocking=True)
            targets = targets.cuda(non_blocking=True)
            with torch.autocast("cuda", dtype=torch.bfloat16):
                loss = criterion(model(inputs), targets)
            optimizer.zero_grad()
            scaler.scale(loss).backward()
            scaler.step(optimizer)
            scaler.update()
    ```

    ## Use instead
    ```python
    import torch


    def train(model, criterion, optimizer, loader):
        for inputs, targets in loader:
            inputs = inputs.cuda(non_blocking=True)
            targets = targets.cuda(non_blocking=True)
            with torch.autocast("cuda", dtype=torch.bfloat16):
                loss = criterion(model(inputs), targets)
            optimizer.zero_grad()
            loss.backward()
            optimizer.step()
    ```

    Where the type is chosen at run time, choose the scaler with it: `GradScaler("cuda", enabled=dtype ==
    torch.float16)` does nothing where it is not needed.

    ## Confirmed by
    `scaler.is_enabled()` where autocast's type is `torch.bfloat16`; a copy from device to host in each `scaler.step`.

    ## Gain
    One wait for the device and one pass over the gradients in each step; not measured here. Nothing where a log or a
    norm is read back in each step anyway.

    ## References
    - Gradient scaling: https://docs.pytorch.org/docs/stable/amp.html#gradient-scaling
    - Working with unscaled gradients: https://docs.pytorch.org/docs/stable/notes/amp_examples.html
    """

    code = "TRN403"
    name = "scaler-without-half"
    preview = True
    in_tests = True
    on = tuple(SCALER_ENABLED_AT)
    unless = (shows("the code names float16", FLOAT16), _switched, _other_type, _unused)
    message = "gradients of bfloat16 need no scaler, which costs a pass over them and a GPU sync in every step"
    help = "remove the scaler, and call `loss.backward()` and `optimizer.step()`"

    def found(self, site: Site) -> Match | None:
        """A scaler in a file that uses autocast."""
        return Match(site) if any(item.enabled is not False for item in autocasts_of(site.file)) else None
