"""TRN902."""

from __future__ import annotations

from trainlint.analysis.site import Site
from trainlint.analysis.syntax.names import last_name
from trainlint.contract.bases import CallRule
from trainlint.contract.declared_rule import Match
from trainlint.finding import Confidence
from trainlint_rules.measuring.idioms.profiled import describe_loop, recorded_briefly, recorded_loop, switched


class ProfilerLeftOn(CallRule):
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

    To look at a few steps of a long run, use `torch.profiler.profile` with a schedule (TRN904).

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
    preview = True
    on = tuple(f"torch.autograd.profiler.{name}" for name in ("emit_nvtx", "emit_itt", "profile"))
    sure = Confidence.LIKELY
    unless = (switched, recorded_briefly)
    message = "`{recorder}` records every operation of the whole training run ({loop})"
    help = "enable it by an option, or for a few steps only"

    def found(self, site: Site) -> Match | None:
        """A recorder around a training loop."""
        loop = recorded_loop(site)
        if loop is None:
            return None
        return Match(site, fields={"recorder": last_name(site.call.func), "loop": describe_loop(site, loop)})
