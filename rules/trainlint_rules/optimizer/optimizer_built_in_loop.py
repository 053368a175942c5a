"""TRN603."""

from __future__ import annotations

from trainlint.analysis.programs.optimizer_builds import optimizer_builds
from trainlint.analysis.programs.steps import LoopKind
from trainlint.analysis.site import Site
from trainlint.analysis.tables.optimizers import CLASSES
from trainlint.contract.bases import CallRule
from trainlint.contract.declared_rule import Match
from trainlint.finding import Confidence, Heat, Severity
from trainlint.symptoms import Symptom
from trainlint_rules.optimizer.idioms.rebuilt_optimizers import (
    built_behind_test,
    has_no_state,
    model_is_built_too,
    steps_of,
    steps_otherwise,
)

_IN_EACH_ROUND = {Heat.STEP: Confidence.LIKELY}


class OptimizerBuiltInLoop(CallRule):
    """An optimizer that is built anew in each training step

    ## Why
    What an optimizer has learned of the gradients lies in its state: momentum, averages of squares, the number of the
    step. Built in the loop, it starts each step from nothing. Adam then takes a step of the full learning rate in the
    direction of the sign of each gradient, momentum never builds up, and a schedule cannot hold on to it. Its state is
    also allocated anew in each step.

    ## Example
    ```python
    import torch


    def train(model, criterion, train_loader):
        for inputs, targets in train_loader:
            optimizer = torch.optim.AdamW(model.parameters(), lr=1e-3)
            loss = criterion(model(inputs), targets)
            optimizer.zero_grad()
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

    To change the learning rate, set `group["lr"]` for each of `optimizer.param_groups`.

    ## Confirmed by
    `trainlint probe` counts the optimizers that this line builds in the measured steps. Else `optimizer.state` is
    empty before each step.

    ## Gain
    Convergence, and the allocation of the state in each step. Not measured here.

    ## References
    - `torch.optim`: https://docs.pytorch.org/docs/stable/optim.html#constructing-it
    """

    code = "TRN603"
    name = "optimizer-built-in-loop"
    severity = Severity.ERROR
    preview = True
    confirmed_by = frozenset({Symptom.OPTIMIZER_BUILT})
    on = tuple(CLASSES)
    when = _IN_EACH_ROUND
    unless = (has_no_state, built_behind_test, model_is_built_too, steps_otherwise)
    message = "this builds `{optimizer}`{often}: its momentum and averages start at zero each time"
    help = "build it before the loop"

    def found(self, site: Site) -> Match | None:
        """An optimizer that is built and stepped in a loop over steps."""
        build = optimizer_builds(site.file).get(site.call)
        steps = steps_of(site, LoopKind.STEP)
        return Match(site, fields={"optimizer": build.name}) if build is not None and steps else None
