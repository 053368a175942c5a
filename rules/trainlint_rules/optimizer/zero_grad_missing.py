"""TRN605."""

from __future__ import annotations

from trainlint.analysis.site import Site
from trainlint.analysis.tables.signs import CLEARED_GRADIENTS
from trainlint.contract.bases import LoopRule
from trainlint.contract.declared_rule import Match
from trainlint.contract.guards.names import shows
from trainlint.contract.guards.programs import owned_by_framework
from trainlint.finding import Confidence, Severity
from trainlint_rules.optimizer.idioms.cleared_gradients import given_away, overwritten, uncleared_step


class ZeroGradMissing(LoopRule):
    """A training loop in which nothing ever clears the gradients

    ## Why
    `backward()` adds to `.grad`. Where nothing clears it, each step follows the sum of all gradients since the start:
    the direction is more and more that of batches long gone, with plain SGD the step grows without bound, and training
    diverges or stalls without an error.

    ## Example
    ```python
    import torch


    def train(model, criterion, train_loader):
        optimizer = torch.optim.AdamW(model.parameters(), lr=1e-3)
        for inputs, targets in train_loader:
            loss = criterion(model(inputs), targets)
            loss.backward()
            optimizer.step()
    ```

    ## Use instead
    ```python
    import torch


    def train(model, criterion, train_loader):
        optimizer = torch.optim.AdamW(model.parameters(), lr=1e-3)
        for inputs, targets in train_loader:
            loss = criterion(model(inputs), targets)
            optimizer.zero_grad()
            loss.backward()
            optimizer.step()
    ```

    ## Confirmed by
    Before each backward pass but the first, `p.grad` of the parameters is neither None nor zero.

    ## Gain
    None in speed: this is a bug. The model learns from the current batch.

    ## References
    - Why gradients add up, and how to clear them:
      https://docs.pytorch.org/tutorials/recipes/recipes/zeroing_out_gradients.html
    """

    code = "TRN605"
    name = "zero-grad-missing"
    severity = Severity.ERROR
    unless = (
        shows("the file clears gradients in another way, or steps with a closure", CLEARED_GRADIENTS),
        overwritten,
        owned_by_framework,
        given_away,
    )
    message = "nothing clears the gradients: line {step} steps with the sum over all batches so far"
    help = "call `{optimizer}.zero_grad()` before the backward pass"

    def found(self, site: Site) -> Match | None:
        """A backward and a step in a loop over steps."""
        uncleared = uncleared_step(site)
        if uncleared is None:
            return None
        backward, step = uncleared
        sure = Confidence.CERTAIN if step.sure else Confidence.LIKELY
        return Match(site.at(backward, site.loop), sure, {"step": step.line, "optimizer": step.optimizer})
