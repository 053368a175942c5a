"""TRN308."""

from __future__ import annotations

from trainlint.analysis.site import Site
from trainlint.analysis.syntax.names import dotted
from trainlint.contract.declared_rule import DeclaredRule, Match
from trainlint.contract.guard import guard
from trainlint.finding import Severity
from trainlint.rule import Triggers
from trainlint_rules.memory.idioms.divided_losses import own_quotient


@guard
def _without_backward(site: Site) -> bool:
    """No backward goes through the sum, such as a running mean for a log."""
    quotient = own_quotient(site.node)
    name = dotted(quotient.left) if quotient is not None else None
    return name is None or not site.file.backwards(site.block).goes_through(name)


class LossAddedToItself(DeclaredRule):
    """A loss that is meant to be divided is added to its own quotient: `loss += loss / n`

    ## Why
    `loss += loss / n` makes the loss `1 + 1/n` times what it was. Where `n` batches make one step, the gradients of
    that step come out `n + 1` times too large: three times for two batches, nine times for eight. With plain SGD that
    is another learning rate; with any optimizer it is another clipping and another balance with weight decay.

    ## Example
    ```python
    def train(model, criterion, optimizer, loader, device, accumulate):
        for step, (inputs, targets) in enumerate(loader):
            inputs = inputs.to(device, non_blocking=True)
            targets = targets.to(device, non_blocking=True)
            loss = criterion(model(inputs), targets)
            loss += loss / accumulate
            loss.backward()
            if (step + 1) % accumulate == 0:
                optimizer.step()
                optimizer.zero_grad()
    ```

    ## Use instead
    ```python
    def train(model, criterion, optimizer, loader, device, accumulate):
        for step, (inputs, targets) in enumerate(loader):
            inputs = inputs.to(device, non_blocking=True)
            targets = targets.to(device, non_blocking=True)
            loss = criterion(model(inputs), targets)
            loss = loss / accumulate
            loss.backward()
            if (step + 1) % accumulate == 0:
                optimizer.step()
                optimizer.zero_grad()
    ```

    ## Confirmed by
    Cannot be measured: a probe sees a loss, and not what it was meant to be.

    ## Gain
    No time: what is gained is the step that was meant. The factor `n + 1` follows from the arithmetic and is tested.

    ## References
    - `torch.autograd.backward`, which adds gradients up:
      https://docs.pytorch.org/docs/stable/generated/torch.autograd.backward.html
    - Gradient accumulation in the automatic mixed precision examples:
      https://docs.pytorch.org/docs/stable/notes/amp_examples.html#gradient-accumulation
    """

    code = "TRN308"
    name = "loss-added-to-itself"
    severity = Severity.ERROR
    preview = True
    in_tests = True
    also = Triggers(accumulations=True)
    unless = (_without_backward,)
    message = "this adds `{quotient}` to `{loss}` instead of dividing `{loss}`"
    help = "write `{loss} = {quotient}`"

    def found(self, site: Site) -> Match | None:
        """Something that is added to its own quotient."""
        quotient = own_quotient(site.node)
        if quotient is None:
            return None
        return Match(site, fields={"quotient": site.text(quotient), "loss": site.text(quotient.left), "node": quotient})
