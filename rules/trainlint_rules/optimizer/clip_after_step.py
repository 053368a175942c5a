"""TRN608."""

from __future__ import annotations

from collections.abc import Iterator

from trainlint.analysis.site import Site
from trainlint.analysis.tables.clipping import FUNCTIONS
from trainlint.finding import Finding, Severity
from trainlint.rule import Rule, Triggers
from trainlint.symptoms import Symptom
from trainlint_rules.optimizer.idioms.optimizers import (
    Act,
    Action,
    actions,
    actions_of,
    always_runs_before,
    between,
    round_of,
)


class ClipAfterStep(Rule):
    """Gradients that are clipped after the optimizer has already used them

    ## Why
    `clip_grad_norm_` and `clip_grad_value_` change `.grad` in place, and the optimizer reads it in `step()`. Behind the
    step, before the gradients are cleared, the clipping has no effect at all: its kernels run in each step, the norm
    that is logged looks as if it were bounded, and the one bad batch it was meant for still breaks the training.

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

    ## Stays silent
    Where another backward pass or another step stands around it, so that the clipped gradients are used after all;
    where gradients are not cleared in the same round.

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
    heat_matters = False
    preview = True
    confirmed_by = frozenset({Symptom.CLIPPED_TOO_LATE})
    triggers = Triggers(calls=frozenset(FUNCTIONS))

    def check(self, site: Site) -> Iterator[Finding]:
        """Find clippings between a step and the next backward pass, in rounds that clear the gradients."""
        found = actions(site.file, round_of(site.block))
        clip = next((item for item in found if item.call is site.node), None)
        if clip is None or not any(item.act is Act.CLEAR for item in found):
            return
        step = _step_before(found, clip)
        if step is not None:
            yield self.finding(
                site,
                f"line {step.line} has stepped with these gradients already, so clipping them changes nothing; clip "
                "between the backward pass and the step",
                confidence=0.9,
            )


def _step_before(found: list[Action], clip: Action) -> Action | None:
    """The step that surely used the gradients before they are clipped, where none follows."""
    steps, backwards = actions_of(found, Act.STEP), actions_of(found, Act.BACKWARD)
    if not steps or not all(always_runs_before(item.place, clip.place) for item in steps):
        return None
    last = steps[-1]
    filled = any(always_runs_before(item.place, last.place) for item in backwards)
    again = any(item.line > clip.line for item in backwards)
    return last if filled and not again and not between(backwards, last, clip) else None
