"""TRN606."""

from __future__ import annotations

from collections.abc import Iterator

from trainlint.analysis.conditions.condition import ConditionKind
from trainlint.analysis.site import Site
from trainlint.analysis.syntax.blocks import Block, BlockKind
from trainlint.finding import Finding, Severity
from trainlint.rule import Rule, Triggers
from trainlint.symptoms import Symptom
from trainlint_rules.optimizer.idioms.optimizers import (
    Act,
    Action,
    action_of,
    actions,
    actions_of,
    always_runs_before,
    between,
    round_of,
)


class GradientsDropped(Rule):
    """Gradients that are cleared between the backward pass and the optimizer's step

    ## Why
    `zero_grad()` deletes what `backward()` has just computed, so the step that follows sees no gradient: since
    PyTorch 2.0 it skips the parameters, and nothing is learned, without any error. With gradient accumulation the
    same happens in part: where the gradients are cleared for each micro-batch and the optimizer steps each n-th time,
    n - 1 of n backward passes are thrown away.

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

    ## Stays silent
    Where another backward pass stands between clearing and step, as for the networks of a GAN or for a probing step
    that is undone; where another optimizer or module is cleared; where the step is taken with a closure.

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
    heat_matters = False
    preview = True
    confirmed_by = frozenset({Symptom.GRADIENTS_DROPPED})
    triggers = Triggers(calls=frozenset({"zero_grad"}))

    def check(self, site: Site) -> Iterator[Finding]:
        """Find clearings behind a backward whose step is still to come, and those of each micro-batch."""
        cleared = action_of(site.file, site.place)
        if cleared is None:
            return
        round_ = round_of(site.block)
        found = actions(site.file, round_)
        step = _dropped_step(found, cleared)
        if step is not None:
            yield self.finding(
                site,
                f"this clears the gradients that line {_backward(found, cleared).line} computes, before line "
                f"{step.line} steps with them; clear them before the backward pass or after the step",
                confidence=0.9 if cleared.owner == step.owner else 0.8,
            )
            return
        waiting = _waiting_step(site, found, cleared, round_)
        if waiting is not None:
            yield self.finding(
                site,
                f"this clears the gradients in each round, but line {waiting.line} steps only in some, so that the "
                "gradients of the others are lost; clear them behind the same condition",
                confidence=0.85,
            )


def _backward(found: list[Action], cleared: Action) -> Action:
    return next(item for item in reversed(found) if item.act is Act.BACKWARD and item.line <= cleared.line)


def _dropped_step(found: list[Action], cleared: Action) -> Action | None:
    """The step for which a backward has computed gradients that are cleared before it."""
    backwards, steps = actions_of(found, Act.BACKWARD), actions_of(found, Act.STEP, cleared.owner)
    earlier = [item for item in backwards if always_runs_before(item.place, cleared.place)]
    if not earlier or between(steps, earlier[-1], cleared):
        return None
    for step in steps:
        if not step.closure and always_runs_before(cleared.place, step.place):
            return None if between(backwards, cleared, step) else step
    return None


def _waiting_step(site: Site, found: list[Action], cleared: Action, round_: Block) -> Action | None:
    """The step behind a condition on a counter, in a round that clears the gradients unconditionally."""
    backwards, steps = actions_of(found, Act.BACKWARD), actions_of(found, Act.STEP, cleared.owner)
    if len(steps) != 1 or len(backwards) != 1 or round_.kind is not BlockKind.LOOP:
        return None
    guard = next((item for item in steps[0].place.block.outwards() if _counts(site, item)), None)
    if guard is None or not guard.within(round_):
        return None
    clear, backward = cleared.place, backwards[0].place
    if clear.block.within(guard) or backward.block.within(guard):
        return None
    together = always_runs_before(clear, backward) or always_runs_before(backward, clear)
    return steps[0] if together else None


def _counts(site: Site, block: Block) -> bool:
    """Whether a branch is taken each so many rounds."""
    condition = site.file.conditions.of(block)
    return condition is not None and any(
        part.kind is ConditionKind.INTERVAL and part.steps != 1 for part in condition.all
    )
