"""TRN902."""

from __future__ import annotations

from collections.abc import Iterator

from trainlint.analysis.programs.loops import describe_loop
from trainlint.analysis.site import Site
from trainlint.finding import Finding, Severity
from trainlint.rule import Rule, Triggers
from trainlint_rules.measuring.idioms.profiled import is_switched, recorded_loop

_RECORDERS = frozenset({"emit_nvtx", "emit_itt", "profile"})


class ProfilerLeftOn(Rule):
    """`emit_nvtx` or the older autograd profiler around all of training

    ## Why
    `torch.autograd.profiler.profile` keeps every event of every operation in host memory until it ends, and has no
    schedule: around a whole run its record grows with each step. `emit_nvtx` and `emit_itt` mark each operation for a
    tool that is attached, and cost host time for each whether it is or not. All are made for some steps of a run.

    ## Example
    ```python
    import torch


    def train(model, criterion, optimizer, train_loader, device):
        with torch.autograd.profiler.emit_nvtx():
            for inputs, targets in train_loader:
                inputs = inputs.to(device, non_blocking=True)
                targets = targets.to(device, non_blocking=True)
                loss = criterion(model(inputs), targets)
                optimizer.zero_grad()
                loss.backward()
                optimizer.step()
    ```

    ## Use instead
    ```python
    import torch


    def train(model, criterion, optimizer, train_loader, device, profiled):
        with torch.autograd.profiler.emit_nvtx(enabled=profiled):
            for inputs, targets in train_loader:
                inputs = inputs.to(device, non_blocking=True)
                targets = targets.to(device, non_blocking=True)
                loss = criterion(model(inputs), targets)
                optimizer.zero_grad()
                loss.backward()
                optimizer.step()
    ```

    To look at a few steps of a long run, use `torch.profiler.profile` with a schedule.

    ## Stays silent
    Where the user has a say in it: a switch among the arguments, a test around it; where the loop ends after a literal
    number of rounds or by `break`; and in `torch.profiler.profile`, of which another rule speaks.

    ## Confirmed by
    Host memory that grows with each step, and `record_function` events of each operation in a profile of the host.

    ## Gain
    The time that is spent on recording, paid for each operation. Not measured here; nothing where the host is far ahead
    of the device.

    ## References
    - `torch.autograd.profiler`: https://docs.pytorch.org/docs/stable/autograd.html#profiler
    - `torch.profiler.schedule`: https://docs.pytorch.org/docs/stable/profiler.html#torch.profiler.schedule
    """

    code = "TRN902"
    name = "profiler-left-on"
    severity = Severity.WARNING
    heat_matters = False
    preview = True
    triggers = Triggers(calls=_RECORDERS)

    def check(self, site: Site) -> Iterator[Finding]:
        """Find recorders that are on, without a condition, while a training loop runs."""
        origin = site.origin(site.call.func) or ""
        module, _, name = origin.rpartition(".")
        if module != "torch.autograd.profiler" or name not in _RECORDERS:
            return
        if is_switched(site.file, site.call, site.block, "enabled"):
            return
        loop = recorded_loop(site)
        if loop is not None:
            message = (
                f"`{name}` records each operation of all of training ({describe_loop(loop)}); put it behind a switch, "
                "or around some steps"
            )
            yield self.finding(site, message, confidence=0.85)
