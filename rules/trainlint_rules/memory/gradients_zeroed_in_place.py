"""TRN306."""

from __future__ import annotations

from trainlint.analysis.site import Site
from trainlint.analysis.syntax.names import argument, constant, last_name
from trainlint.contract.bases import CallRule
from trainlint.contract.declared_rule import Match
from trainlint.finding import Confidence
from trainlint.symptoms import Symptom
from trainlint_rules.memory.idioms.iterations import REPEATED
from trainlint_rules.memory.idioms.zeroed_gradients import (
    adds_to_gradients,
    for_some_parameters,
    gradients_in_buffers,
    is_off_by_default,
    passes_option_on,
    zeroed_gradient,
)

_OFF = "`{option}` is off by default: `zero_grad` keeps all gradients and fills them with zeros"
_ON = "make `set_to_none=True` the default"
_UNSET = "set each gradient to `None`, as `zero_grad()` does"


class GradientsZeroedInPlace(CallRule):
    """Gradients are overwritten with zeros instead of being given up

    ## Why
    A gradient of zeros takes as much memory as any other: four bytes a parameter in float32, through the whole next
    forward, where memory is needed for activations. Writing the zeros costs a pass over all gradients, and the next
    backward reads them back to add to them. A gradient of `None` costs nothing: backward then stores its result
    without a sum. Since PyTorch 2.0, `zero_grad()` does just that.

    ## Example
    ```python
    def train(model, criterion, optimizer, loader, device):
        for inputs, targets in loader:
            inputs = inputs.to(device, non_blocking=True)
            targets = targets.to(device, non_blocking=True)
            loss = criterion(model(inputs), targets)
            for parameter in model.parameters():
                parameter.grad.zero_()
            loss.backward()
            optimizer.step()
    ```

    ## Use instead
    ```python
    def train(model, criterion, optimizer, loader, device):
        for inputs, targets in loader:
            inputs = inputs.to(device, non_blocking=True)
            targets = targets.to(device, non_blocking=True)
            loss = criterion(model(inputs), targets)
            for parameter in model.parameters():
                parameter.grad = None
            loss.backward()
            optimizer.step()
    ```

    Plain `zero_grad()` does that by itself since PyTorch 2.0. Found, too: `zero_grad(set_to_none=False)`, also by a
    switch of the program that is off by default. That is somebody's decision, so there is no fix for it.

    ## Confirmed by
    `trainlint probe` times `zero_grad(set_to_none=False)` at this line; on an accelerator it counts it only. Else
    `p.grad` is a tensor of zeros before the backward; a fill kernel for each parameter, or one for each group of
    them, in each step.

    ## Gain
    The memory of all gradients outside of the backward, and one pass over them. PyTorch's documentation promises a
    lower memory footprint and a modest speed-up; not measured here. Nothing is gained at the peak where that is
    reached at the end of the backward.

    ## References
    - `torch.optim.Optimizer.zero_grad`:
      https://docs.pytorch.org/docs/stable/generated/torch.optim.Optimizer.zero_grad.html
    - Performance tuning guide, "Use parameter.grad = None instead of model.zero_grad()":
      https://docs.pytorch.org/tutorials/recipes/recipes/tuning_guide.html
    """

    code = "TRN306"
    name = "gradients-zeroed-in-place"
    confirmed_by = frozenset({Symptom.GRADIENTS_ZEROED})
    aliases = ("TOR402",)
    on = (".zero_grad", ".zero_", ".fill_")
    when = REPEATED
    unless = (gradients_in_buffers, adds_to_gradients, passes_option_on, for_some_parameters)
    message = "`{text}` keeps the memory of all gradients and fills it with zeros"
    help = "leave the argument out, or pass `set_to_none=True`"

    def found(self, site: Site) -> Match | None:
        """`zero_grad` that is told to write zeros, and zeros that are written into each gradient of a loop."""
        if last_name(site.call.func) != "zero_grad":
            gradient = zeroed_gradient(site)
            return Match(site, fields={"gradient": gradient}, help=_UNSET) if gradient is not None else None
        given = argument(site.call, "set_to_none", 0)
        if given is not None and constant(given) is ... and is_off_by_default(site, given):
            return Match(site, Confidence.LIKELY, {"option": site.text(given)}, message=_OFF, help=_ON)
        return Match(site) if given is not None and constant(given) is False else None
