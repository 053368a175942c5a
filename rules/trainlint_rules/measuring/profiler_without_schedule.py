"""TRN904."""

from __future__ import annotations

from dataclasses import replace

from trainlint.analysis.site import Site
from trainlint.analysis.syntax.names import argument, constant
from trainlint.contract.bases import CallRule
from trainlint.contract.declared_rule import Match
from trainlint.contract.guard import guard
from trainlint.contract.guards.arguments import given_unpacked
from trainlint.finding import Confidence
from trainlint_rules.measuring.idioms.profiled import (
    describe_loop,
    handed_on,
    is_stepped,
    profiler_name,
    recorded_briefly,
    recorded_loop,
)


@guard
def _handed_on(site: Site) -> bool:
    """The profiler has a schedule, and other code gets it and may step it."""
    return _has_schedule(site) and handed_on.holds(site)


def _has_schedule(site: Site) -> bool:
    given = argument(site.call, "schedule", 1)
    return given is not None and constant(given) is not None


_recorded_briefly = replace(
    recorded_briefly, holds=lambda site: not _has_schedule(site) and recorded_briefly.holds(site)
)


class ProfilerWithoutSchedule(CallRule):
    """`torch.profiler.profile` around training without a schedule, or with one that is never stepped

    ## Why
    Without a `schedule` the profiler records from the first step to the last: events pile up in host memory, the trace
    takes longer to write than the run was, and no viewer opens it. With a schedule but without `profiler.step()` in the
    loop, it stays in the schedule's first phase, which as a rule is one of waiting: nothing is recorded at all.

    ## Example
    ```python
    from torch.profiler import ProfilerActivity, profile


    def train(model, criterion, optimizer, train_loader, device):
        with profile(activities=[ProfilerActivity.CPU, ProfilerActivity.CUDA], record_shapes=True) as profiler:
            for inputs, targets in train_loader:
                inputs = inputs.to(device, non_blocking=True)
                targets = targets.to(device, non_blocking=True)
                loss = criterion(model(inputs), targets)
                optimizer.zero_grad()
                loss.backward()
                optimizer.step()
        profiler.export_chrome_trace("trace.json")
    ```

    ## Use instead
    ```python
    from torch.profiler import ProfilerActivity, profile, schedule


    def train(model, criterion, optimizer, train_loader, device, save):
        activities = [ProfilerActivity.CPU, ProfilerActivity.CUDA]
        phases = schedule(wait=10, warmup=2, active=3, repeat=1)
        with profile(activities=activities, schedule=phases, on_trace_ready=save) as profiler:
            for inputs, targets in train_loader:
                inputs = inputs.to(device, non_blocking=True)
                targets = targets.to(device, non_blocking=True)
                loss = criterion(model(inputs), targets)
                optimizer.zero_grad()
                loss.backward()
                optimizer.step()
                profiler.step()
    ```

    ## Confirmed by
    Host memory that grows with each step; a trace of hundreds of megabytes, or an empty one.

    ## Gain
    The recording itself: a training step on the CPU took 14.5 ms with the profiler and 11 ms without it (measured once,
    on PyTorch 2.13). Nothing once the profiler is taken out.

    ## References
    - `torch.profiler`, profile with a schedule: https://docs.pytorch.org/docs/stable/profiler.html
    - PyTorch profiler recipe: https://docs.pytorch.org/tutorials/recipes/recipes/profiler_recipe.html
    """

    code = "TRN904"
    name = "profiler-without-schedule"
    preview = True
    on = ("torch.profiler.profile", "torch.profiler.profiler.profile")
    sure = Confidence.LIKELY
    unless = (given_unpacked, _handed_on, _recorded_briefly)
    message = "the profiler records every step of training ({loop})"
    help = "pass a `schedule` of a few steps, and call the profiler's `step()` in the loop"

    def found(self, site: Site) -> Match | None:
        """A profiler without a schedule around training, or one with a schedule that nobody steps through."""
        if not _has_schedule(site):
            loop = recorded_loop(site)
            return Match(site, fields={"loop": describe_loop(site, loop)}) if loop is not None else None
        name = profiler_name(site)
        if name is None or is_stepped(site, name):
            return None
        message = "nothing calls `{profiler}.step()`: the profiler stays in the first phase of its schedule"
        return Match(site, fields={"profiler": name}, message=message, help="call it after each training step")
