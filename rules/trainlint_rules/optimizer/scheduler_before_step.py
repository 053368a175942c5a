"""TRN604."""

from __future__ import annotations

from trainlint.analysis.site import Site
from trainlint.contract.bases import CallRule
from trainlint.contract.declared_rule import Match
from trainlint.finding import Confidence, Severity
from trainlint.symptoms import Symptom
from trainlint_rules.optimizer.idioms.optimizers import Act, action_of, always_runs_before
from trainlint_rules.optimizer.idioms.scheduled_steps import steps_before, steps_of_round


class SchedulerBeforeStep(CallRule):
    """A schedule that moves on before the optimizer's step, so that the first learning rate is never used

    ## Why
    A schedule of `torch.optim.lr_scheduler` sets its first learning rate when it is built. Where `scheduler.step()`
    runs before `optimizer.step()`, the first step already uses the second value, and each later one the value that
    was meant for its successor. PyTorch 1.1 turned the order around and warns of the old one when it runs.

    Noise schedules of diffusion models are no finding. Confidence is low where the class is not one of
    `torch.optim.lr_scheduler`, since warm-ups that keep their own count want this order.

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
    preview = True
    in_tests = True
    confirmed_by = frozenset({Symptom.WARNING})
    warned_as = "lr_scheduler.step"
    on = (".step",)
    unless = (steps_before,)
    message = "`{schedule}` moves on before line {line} steps the optimizer, and its first learning rate is never used"
    help = "call `{schedule}.step()` after the optimizer's step"

    def found(self, site: Site) -> Match | None:
        """A step of a schedule before the optimizer's in the same round."""
        schedule = action_of(site.file, site.place)
        if schedule is None or schedule.act is not Act.SCHEDULE:
            return None
        late = next((place for place in steps_of_round(site) if always_runs_before(site.place, place)), None)
        if late is None:
            return None
        sure = Confidence.CERTAIN if schedule.sure else Confidence.POSSIBLE
        return Match(site, sure, {"schedule": schedule.owner, "line": late.statement.lineno})
