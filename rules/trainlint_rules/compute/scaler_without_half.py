"""TRN403."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator

from trainlint.analysis.semantic_model import SemanticModel
from trainlint.analysis.site import Site
from trainlint.analysis.tables.precision import AUTOCAST, GRAD_SCALER
from trainlint.finding import Finding, Severity
from trainlint.patterns import lazy
from trainlint.rule import Rule, Triggers
from trainlint_rules.compute.idioms.grad_scalers import scaled_backwards, scalers
from trainlint_rules.compute.idioms.precision import Autocast, CastTo, autocast_of

_HALF = lazy(r"float16\b(?<!bfloat16)|\bfp16|\bhalf\b|16-mixed", re.IGNORECASE)
"""Traces of float16 in the file."""


class ScalerWithoutHalf(Rule):
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

    ## Stays silent
    For scalers with an `enabled` or behind a test; where any autocast of the file computes in another type than
    bfloat16, or in one that is chosen elsewhere; where the file speaks of float16; for scalers that the file does not
    use itself.

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
    severity = Severity.WARNING
    heat_matters = False
    triggers = Triggers(calls=frozenset({GRAD_SCALER.name}))
    preview = True

    def check(self, site: Site) -> Iterator[Finding]:
        """Find scalers that are surely on in files whose autocast is surely bfloat16."""
        scaler = next((item for item in scalers(site.file) if item.place.node is site.node), None)
        if scaler is None or not scaler.enabled or site.file.says(_HALF):
            return
        contexts = [item for item in _autocasts(site.file) if item.enabled is not False]
        if not contexts or any(item.dtype is not CastTo.BFLOAT16 for item in contexts) or not _scales(site.file):
            return
        yield self.finding(
            site,
            "bfloat16 has the range of float32, so nothing needs to be scaled; this scaler only costs a pass over the "
            "gradients and a wait for the device in each step",
            confidence=0.9,
        )


def _autocasts(file: SemanticModel) -> Iterator[Autocast]:
    for place in file.outline.calls.get(AUTOCAST.name, ()):
        assert isinstance(place.node, ast.Call)
        found = autocast_of(file, place.node, place.block)
        if found is not None:
            yield found


def _scales(file: SemanticModel) -> bool:
    """Whether the file trains with scaled losses."""
    return any(scaled_backwards(file, function) for function in (None, *file.outline.functions))
