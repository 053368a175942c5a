"""TRN604."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from trainlint.analysis.programs.steps import LoopKind
from trainlint.analysis.site import Site
from trainlint.analysis.syntax.blocks import BlockKind, Place
from trainlint.finding import Finding, Severity
from trainlint.rule import Rule, Triggers
from trainlint.symptoms import Symptom
from trainlint_rules.optimizer.idioms.optimizers import (
    Act,
    action_of,
    actions,
    actions_of,
    always_runs_before,
    round_of,
)


class SchedulerBeforeStep(Rule):
    """A schedule that moves on before the optimizer's step, so that the first learning rate is never used

    ## Why
    A schedule of `torch.optim.lr_scheduler` sets its first learning rate when it is built. Where `scheduler.step()`
    runs before `optimizer.step()`, the first step already uses the second value, and each later one the value that
    was meant for its successor. PyTorch 1.1 turned the order around and warns of the old one when it runs.

    ## Example
    ```python
    import torch


    def train(model, criterion, train_loader):
        optimizer = torch.optim.AdamW(model.parameters(), lr=1e-3)
        scheduler = torch.optim.lr_scheduler.OneCycleLR(optimizer, 1e-3, total_steps=len(train_loader))
        for inputs, targets in train_loader:
            loss = criterion(model(inputs), targets)
            optimizer.zero_grad()
            loss.backward()
            scheduler.step()
            optimizer.step()
    ```

    ## Use instead
    ```python
    import torch


    def train(model, criterion, train_loader):
        optimizer = torch.optim.AdamW(model.parameters(), lr=1e-3)
        scheduler = torch.optim.lr_scheduler.OneCycleLR(optimizer, 1e-3, total_steps=len(train_loader))
        for inputs, targets in train_loader:
            loss = criterion(model(inputs), targets)
            optimizer.zero_grad()
            loss.backward()
            optimizer.step()
            scheduler.step()
    ```

    ## Stays silent
    For schedules that are told where they are, as in `scheduler.step(epoch)`; for noise schedules of diffusion models;
    where the class is not one of `torch.optim.lr_scheduler`, since warm-ups that keep their own count want this order.

    ## Confirmed by
    `trainlint probe` hears PyTorch's warning, and names the line that it comes from.
    PyTorch's warning "Detected call of `lr_scheduler.step()` before `optimizer.step()`" at the first step.

    ## Gain
    None in speed: the learning rates are those that were asked for. With a schedule per step the difference is one
    step of many; with one per epoch a whole epoch is trained at the wrong rate.

    ## References
    - How to adjust the learning rate: https://docs.pytorch.org/docs/stable/optim.html#how-to-adjust-learning-rate
    """

    code = "TRN604"
    name = "scheduler-before-step"
    severity = Severity.ERROR
    confirmed_by = frozenset({Symptom.WARNING})
    warned_as = "lr_scheduler.step"
    heat_matters = False
    preview = True
    triggers = Triggers(calls=frozenset({"step"}))

    def check(self, site: Site) -> Iterator[Finding]:
        """Find steps of schedules that stand before the optimizer's in each round."""
        schedule = action_of(site.file, site.place)
        if schedule is None or schedule.act is not Act.SCHEDULE or site.call.args or site.call.keywords:
            return
        steps = [item.place for item in actions_of(actions(site.file, round_of(site.block)), Act.STEP)]
        steps = steps or list(_epochs(site))
        if any(always_runs_before(place, site.place) for place in steps):
            return
        late = next((place for place in steps if always_runs_before(site.place, place)), None)
        if late is not None:
            yield self.finding(
                site,
                f"`{schedule.owner}` moves on before line {late.statement.lineno} steps the optimizer, so its first "
                "learning rate is never used; step the optimizer first",
                confidence=0.9 if schedule.sure else 0.6,
            )


def _epochs(site: Site) -> Iterator[Place]:
    """Calls in the same loop of functions that train for an epoch, in this file or in another."""
    loop = round_of(site.block)
    for place in site.file.outline.calls_by_loop.get(loop, ()):
        call = place.node
        if loop.kind is BlockKind.LOOP and isinstance(call, ast.Call):
            edge = site.file.graph.callee.get(call)
            here = site.file.loops.summary(edge.function) if edge is not None else None
            if LoopKind.EPOCH in (here, site.file.outside.steps.get(site.file.keys.call(call))):
                yield place
