"""TRN609."""

from __future__ import annotations

from collections.abc import Iterator

from trainlint.analysis.site import Site
from trainlint.contract.bases import LoopRule
from trainlint.contract.declared_rule import Match
from trainlint.contract.guards.programs import owned_by_framework
from trainlint.finding import Confidence
from trainlint_rules.optimizer.idioms.schedule_lengths import counts_batches, length_is_scaled, planned_schedules


class StepSizeNotScaled(LoopRule):
    """A schedule of step sizes planned for each batch, while the optimizer steps once for several

    ## Why
    With gradient accumulation the optimizer, and the schedule beside it, steps once for n batches. A schedule whose
    length is the number of batches then ends at an n-th of its way: a cosine over 4 accumulated batches stops at 85 %
    of its peak instead of zero, and a warm-up takes n times as long. The last, small steps, in which most of the loss
    falls, are never taken.

    A schedule that steps with each batch is right, and one whose length does not come from that of a loader is no
    finding.

    ## Example
    ```python
    import torch


    def train(model, criterion, train_loader, accumulation_steps=4):
        optimizer = torch.optim.AdamW(model.parameters(), lr=1e-3)
        schedule = torch.optim.lr_scheduler.CosineAnnealingLR(optimizer, T_max=len(train_loader))
        for i, (inputs, targets) in enumerate(train_loader):
            loss = criterion(model(inputs), targets) / accumulation_steps
            loss.backward()
            if (i + 1) % accumulation_steps == 0:
                optimizer.step()
                schedule.step()
                optimizer.zero_grad()
    ```

    ## Use instead
    ```python
    import torch


    def train(model, criterion, train_loader, accumulation_steps=4):
        optimizer = torch.optim.AdamW(model.parameters(), lr=1e-3)
        schedule = torch.optim.lr_scheduler.CosineAnnealingLR(optimizer, T_max=len(train_loader) // accumulation_steps)
        for i, (inputs, targets) in enumerate(train_loader):
            loss = criterion(model(inputs), targets) / accumulation_steps
            loss.backward()
            if (i + 1) % accumulation_steps == 0:
                optimizer.step()
                schedule.step()
                optimizer.zero_grad()
    ```

    ## Confirmed by
    The learning rate after the last step is not the one that the schedule ends with.

    ## Gain
    None in speed: the learning rates are those that were asked for. The figure above is the cosine at a quarter of its
    way, (1 + cos(pi / 4)) / 2.

    ## References
    - `CosineAnnealingLR`:
      https://docs.pytorch.org/docs/stable/generated/torch.optim.lr_scheduler.CosineAnnealingLR.html
    """

    code = "TRN609"
    name = "step-size-not-scaled"
    preview = True
    in_tests = True
    sure = Confidence.LIKELY
    unless = (owned_by_framework, length_is_scaled)
    message = "this schedule is planned for every batch, and line {line} steps it once for several batches{count}"
    help = "divide its length by the number of batches that make a step"

    def found(self, site: Site) -> Iterator[Match]:
        """Schedules as long as the loader that step with the optimizer, once for several batches."""
        for planned in planned_schedules(site):
            if counts_batches(planned):
                fields = {"line": planned.steps.line, "count": f" (`{planned.count}`)" if planned.count else ""}
                yield Match(site.at(planned.call, planned.block), fields=fields)
