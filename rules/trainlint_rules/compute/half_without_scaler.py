"""TRN402."""

from __future__ import annotations

from trainlint.analysis.site import Site
from trainlint.analysis.tables.fact_kinds import FactKind
from trainlint.analysis.tables.precision import AUTOCAST_DEVICES
from trainlint.analysis.tables.signs import LOSS_SCALING
from trainlint.contract.bases import CallRule
from trainlint.contract.declared_rule import Match
from trainlint.contract.guards.names import shows
from trainlint.contract.guards.programs import out_of_sight, owned_by_framework, uses
from trainlint.finding import Confidence, Severity
from trainlint_rules.compute.idioms.precision import CastTo, autocast_of
from trainlint_rules.compute.idioms.trained_regions import trained_regions


class HalfWithoutScaler(CallRule):
    """Training in float16 autocast without a gradient scaler

    ## Why
    float16 ends at about 6e-8: smaller gradients become zero, and the weights behind them stop to learn. Losses are
    therefore multiplied by a large factor before the backward and gradients divided by it afterwards, which is what
    `torch.amp.GradScaler` does. bfloat16 has the range of float32 and needs no scaler. On CUDA, autocast computes in
    float16 unless it is told otherwise.

    Types that a variable holds, and autocast around what no backward goes through, are not looked at.

    ## Example
    ```python
    import torch


    def train(model, criterion, optimizer, train_loader):
        for inputs, targets in train_loader:
            inputs = inputs.cuda(non_blocking=True)
            targets = targets.cuda(non_blocking=True)
            with torch.autocast("cuda"):
                loss = criterion(model(inputs), targets)
            optimizer.zero_grad()
            loss.backward()
            optimizer.step()


    if __name__ == "__main__":
        from project import criterion, model, optimizer, train_loader

        train(model, criterion, optimizer, train_loader)
    ```

    ## Use instead
    ```python
    import torch


    def train(model, criterion, optimizer, train_loader):
        for inputs, targets in train_loader:
            inputs = inputs.cuda(non_blocking=True)
            targets = targets.cuda(non_blocking=True)
            with torch.autocast("cuda", dtype=torch.bfloat16):
                loss = criterion(model(inputs), targets)
            optimizer.zero_grad()
            loss.backward()
            optimizer.step()


    if __name__ == "__main__":
        from project import criterion, model, optimizer, train_loader

        train(model, criterion, optimizer, train_loader)
    ```

    bfloat16 is fast from the Ampere generation on (compute capability 8.0). On older GPUs keep float16 and add a
    `torch.amp.GradScaler`.

    ## Confirmed by
    Gradients that are exactly zero after the backward, and are not in float32: `(p.grad == 0).float().mean()`.

    ## Gain
    No time: what is gained is the training that was meant. In the paper on mixed precision, a detector diverged in
    float16 until its loss was scaled by 8, and other networks did not need it: nothing is lost where all gradients
    are large. Not measured here.

    ## References
    - Gradient scaling: https://docs.pytorch.org/docs/stable/amp.html#gradient-scaling
    - Mixed Precision Training: https://arxiv.org/abs/1710.03740
    """

    code = "TRN402"
    name = "half-without-scaler"
    severity = Severity.ERROR
    preview = True
    on = tuple(AUTOCAST_DEVICES)
    unless = (
        shows("the code names a scale of the loss", LOSS_SCALING),
        out_of_sight,
        uses("a gradient scaler is on the way into the loop", FactKind.GRAD_SCALER),
        owned_by_framework,
    )
    message = "the float16 loss is never scaled: small gradients become zero"
    help = "use `dtype=torch.bfloat16`, or add a `torch.amp.GradScaler`"

    def found(self, site: Site) -> Match | None:
        """A context of float16 around a loss that is back-propagated."""
        autocast = autocast_of(site.file, site.call, site.block)
        if autocast is None or autocast.dtype is not CastTo.FLOAT16 or autocast.enabled is False:
            return None
        sure = Confidence.CERTAIN if autocast.enabled else Confidence.LIKELY
        return next((Match(site.at(site.node, item), sure) for item in trained_regions(site.file, site.call)), None)
