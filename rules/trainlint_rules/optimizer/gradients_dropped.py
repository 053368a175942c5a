"""TRN606."""

from __future__ import annotations

from trainlint.analysis.site import Site
from trainlint.contract.bases import CallRule
from trainlint.contract.declared_rule import Match
from trainlint.finding import Severity
from trainlint.symptoms import Symptom
from trainlint_rules.optimizer.idioms.dropped_gradients import dropped_before_step, filled_again


class GradientsDropped(CallRule):
    """Gradients that are cleared between the backward pass and the optimizer's step

    ## Why
    `zero_grad()` deletes what `backward()` has just computed, so the step that follows sees no gradient: since
    PyTorch 2.0 it skips the parameters, and nothing is learned, without any error. With gradient accumulation the
    same happens in part: where the gradients are cleared for each micro-batch and the optimizer steps each n-th time,
    n - 1 of n backward passes are thrown away.

    Where another optimizer or module is cleared, or the step is given a closure, which computes gradients anew, there
    is no finding.

    ## Example
    ```python
    import torch


    def train(model, criterion, optimizer, train_loader):
        for inputs, targets in train_loader:
            loss = criterion(model(inputs), targets)
            loss.backward()
            optimizer.zero_grad()
            optimizer.step()
    ```

    ## Use instead
    ```python
    import torch


    def train(model, criterion, optimizer, train_loader):
        for inputs, targets in train_loader:
            loss = criterion(model(inputs), targets)
            optimizer.zero_grad()
            loss.backward()
            optimizer.step()
    ```

    ## Confirmed by
    `trainlint probe` counts the calls at this line that clear gradients which no step has used. Else after the
    backward pass and before the step, `p.grad` of each parameter is None, or all zeros.

    ## Gain
    None in speed: this is a bug. The model learns at all, or learns from all of its batches.

    ## References
    - `torch.optim.Optimizer.zero_grad`:
      https://docs.pytorch.org/docs/stable/generated/torch.optim.Optimizer.zero_grad.html
    """

    code = "TRN606"
    name = "gradients-dropped"
    severity = Severity.ERROR
    preview = True
    in_tests = True
    confirmed_by = frozenset({Symptom.GRADIENTS_DROPPED})
    on = (".zero_grad",)
    unless = (filled_again,)
    message = "`{text}` clears the gradients that line {backward} computes, before line {step} uses them"
    help = "clear them before the backward pass or after the step"

    def found(self, site: Site) -> Match | None:
        """Clearing behind a backward whose step is still to come."""
        dropped = dropped_before_step(site)
        if dropped is None:
            return None
        return Match(site, fields={"backward": dropped.backward.line, "step": dropped.step.line})
