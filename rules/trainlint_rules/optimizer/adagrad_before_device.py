"""TRN610."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from trainlint.analysis.programs.optimizer_builds import optimizer_builds
from trainlint.analysis.site import Site
from trainlint.analysis.syntax.blocks import Place
from trainlint.analysis.syntax.names import dotted
from trainlint.finding import Finding, Severity
from trainlint.rule import Rule, Triggers
from trainlint_rules.optimizer.idioms.optimizers import always_runs_before

_MOVES = ("to", "cuda")


class AdagradBeforeDevice(Rule):
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

    ## Stays silent
    For all other optimizers; where the model is moved before; where its state is loaded after the move, which brings
    it to the device of the parameters.

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
    heat_matters = False
    preview = True
    triggers = Triggers(calls=frozenset({"Adagrad"}))

    def check(self, site: Site) -> Iterator[Finding]:
        """Find moves of a model behind an Adagrad of its parameters, in the same function."""
        if site.origin(site.call.func) not in ("torch.optim.Adagrad", "torch.optim.adagrad.Adagrad"):
            return
        build = optimizer_builds(site.file).get(site.call)
        if build is None:
            return
        for move in site.calls(*_MOVES):
            if _moves_one_of(move, build.models) and always_runs_before(site.place, move.place):
                if move.function is site.function and not _is_loaded(site, move.place):
                    yield self.finding(
                        site,
                        f"Adagrad creates its state here, on the host, and line {move.call.lineno} moves the "
                        "parameters away from it; build it after the move",
                        confidence=0.9,
                    )
                    return


def _moves_one_of(move: Site, models: frozenset[str]) -> bool:
    function = move.call.func
    if not isinstance(function, ast.Attribute) or dotted(function.value) not in models:
        return False
    return function.attr == "cuda" or any(_names_device(item) for item in move.call.args)


def _names_device(given: ast.expr) -> bool:
    """Whether an argument of `to` is a device and not a data type."""
    text = ast.unparse(given).lower()
    return "cuda" in text or "dev" in text or "rank" in text or "gpu" in text


def _is_loaded(site: Site, move: Place) -> bool:
    """Whether the optimizer's state is loaded behind the move."""
    return any(
        always_runs_before(move, other.place) and "opt" in ast.unparse(other.call.func).lower()
        for other in site.calls("load_state_dict")
    )
