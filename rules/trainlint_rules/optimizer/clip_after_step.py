"""TRN608."""

from __future__ import annotations

from trainlint.analysis.site import Site
from trainlint.analysis.tables.clipping import FUNCTIONS
from trainlint.contract.bases import CallRule
from trainlint.contract.declared_rule import Match
from trainlint.finding import Severity
from trainlint.symptoms import Symptom
from trainlint_rules.optimizer.idioms.late_clips import backward_follows, clip_and_step, not_cleared


class ClipAfterStep(CallRule):
    """Gradients that are clipped after the optimizer has already used them

    ## Why
    `clip_grad_norm_` and `clip_grad_value_` change `.grad` in place, and the optimizer reads it in `step()`. Behind the
    step, before the gradients are cleared, the clipping has no effect at all: its kernels run in each step, the norm
    that is logged looks as if it were bounded, and the one bad batch it was meant for still breaks the training.

    Where another step follows the clipping in the same round, it uses the clipped gradients, and there is no finding.

    ## Example
    ```python
    import torch


    def train(model, criterion, optimizer, train_loader):
        for inputs, targets in train_loader:
            optimizer.zero_grad()
            loss = criterion(model(inputs), targets)
            loss.backward()
            optimizer.step()
            torch.nn.utils.clip_grad_norm_(model.parameters(), 1.0)
    ```

    ## Use instead
    ```python
    import torch


    def train(model, criterion, optimizer, train_loader):
        for inputs, targets in train_loader:
            optimizer.zero_grad()
            loss = criterion(model(inputs), targets)
            loss.backward()
            torch.nn.utils.clip_grad_norm_(model.parameters(), 1.0)
            optimizer.step()
    ```

    ## Confirmed by
    `trainlint probe` counts the clippings at this line between a step and the next backward. Else the norm of the
    gradients, taken just before the step, is larger than the limit.

    ## Gain
    None in speed: this is a bug. Steps are bounded, as they were meant to be.

    ## References
    - `torch.nn.utils.clip_grad_norm_`:
      https://docs.pytorch.org/docs/stable/generated/torch.nn.utils.clip_grad_norm_.html
    """

    code = "TRN608"
    name = "clip-after-step"
    severity = Severity.ERROR
    preview = True
    in_tests = True
    confirmed_by = frozenset({Symptom.CLIPPED_TOO_LATE})
    on = tuple(FUNCTIONS)
    unless = (not_cleared, backward_follows)
    message = "clipping has no effect: line {line} has already used these gradients"
    help = "clip between the backward pass and the step"

    def found(self, site: Site) -> Match | None:
        """A clipping behind the steps of its round."""
        late = clip_and_step(site)
        return Match(site, fields={"line": late[1].line}) if late is not None else None
