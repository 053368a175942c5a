"""TRN610."""

from __future__ import annotations

from trainlint.analysis.site import Site
from trainlint.contract.bases import CallRule
from trainlint.contract.declared_rule import Match
from trainlint.finding import Severity
from trainlint_rules.optimizer.idioms.late_moves import loaded_afterwards, moves_afterwards


class AdagradBeforeDevice(CallRule):
    """Adagrad built before its model is moved to the device

    ## Why
    Adagrad, alone among PyTorch's optimizers, creates its state when it is built, on the device where the parameters
    are then. Where the model moves to CUDA afterwards, the parameters and their gradients are on the device and the
    sums of squares are not: the first step stops with "Expected all tensors to be on the same device". The other
    optimizers create their state in the first step and may be built before the move.

    ## Example
    ```python
    import torch


    def build(model):
        optimizer = torch.optim.Adagrad(model.parameters(), lr=0.01)
        model.cuda()
        return model, optimizer
    ```

    ## Use instead
    ```python
    import torch


    def build(model):
        model.cuda()
        optimizer = torch.optim.Adagrad(model.parameters(), lr=0.01)
        return model, optimizer
    ```

    ## Confirmed by
    The first `optimizer.step()` raises, as tensors are on two devices.

    ## Gain
    None in speed: the program stops at its first step.

    ## References
    - `torch.optim.Adagrad`: https://docs.pytorch.org/docs/stable/generated/torch.optim.Adagrad.html
    """

    code = "TRN610"
    name = "adagrad-before-device"
    severity = Severity.ERROR
    preview = True
    in_tests = True
    on = ("torch.optim.Adagrad", "torch.optim.adagrad.Adagrad")
    unless = (loaded_afterwards,)
    message = "Adagrad creates its state on the CPU, and line {line} moves the parameters to the GPU"
    help = "build it after the move"

    def found(self, site: Site) -> Match | None:
        """A move of the model behind an Adagrad of its parameters, in the same function."""
        move = next(iter(moves_afterwards(site)), None)
        return Match(site, fields={"line": move.call.lineno}) if move is not None else None
