"""TRN213."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from trainlint.analysis.site import Site
from trainlint.analysis.syntax.names import argument, constant
from trainlint.analysis.syntax.reaching import single_value
from trainlint.analysis.types.values import Home, Kind
from trainlint.finding import Finding, Severity
from trainlint.rule import IN_STEP, Rule, Triggers
from trainlint.symptoms import Symptom

_SURE = 0.92
_BY_NAME = 0.8


class ScalerReadEachStep(Rule):
    """The gradient scaler's scale read from the device in each training step.

    ## Why
    `GradScaler` keeps its scale on the device. `get_scale()` and `state_dict()` read it, and the host waits until the
    device has finished the optimizer step that was queued just before. The usual reason is to learn whether the scaler
    skipped that step, so that the scheduler skips it too; the optimizer itself can tell for nothing.

    ## Example
    ```python
    import torch


    def train(model, criterion, optimizer, scheduler, train_loader, device):
        scaler = torch.amp.GradScaler("cuda")
        for inputs, targets in train_loader:
            inputs = inputs.to(device, non_blocking=True)
            targets = targets.to(device, non_blocking=True)
            with torch.autocast("cuda", dtype=torch.float16):
                loss = criterion(model(inputs), targets)
            optimizer.zero_grad()
            scaler.scale(loss).backward()
            scale = scaler.get_scale()
            scaler.step(optimizer)
            scaler.update()
            if scaler.get_scale() >= scale:
                scheduler.step()
    ```

    ## Use instead
    ```python
    import torch


    def train(model, criterion, optimizer, scheduler, train_loader, device):
        scaler = torch.amp.GradScaler("cuda")
        steps_done = []
        optimizer.register_step_post_hook(lambda *_: steps_done.append(True))
        for inputs, targets in train_loader:
            inputs = inputs.to(device, non_blocking=True)
            targets = targets.to(device, non_blocking=True)
            with torch.autocast("cuda", dtype=torch.float16):
                loss = criterion(model(inputs), targets)
            optimizer.zero_grad()
            scaler.scale(loss).backward()
            scaler.step(optimizer)
            scaler.update()
            if steps_done:
                scheduler.step()
                steps_done.clear()
    ```

    `scaler.step` calls the optimizer only where no gradient overflowed, and the hook (PyTorch 2.0) runs with it. What
    this saves is the second wait: `scaler.step` itself still reads one flag of each step. A fused optimizer decides on
    the device and is always called; with it, and wherever a skipped step in thousands does no harm, step the scheduler
    each time. To log the scale, read it every n-th step.

    ## Stays silent
    In checkpoints, at intervals, in evaluation; for a scaler with `enabled=False`, one for the CPU, and scalers of the
    project's own.

    ## Confirmed by
    `trainlint probe` counts and times the reads at this line, and tells from a trace of a GPU what a step gains without
    them. `aten::_local_scalar_dense` with a stream synchronisation at this line in each step of a profile.

    ## Gain
    What one wait costs is the host's lead over the device: the kernels that it had queued. That is much where a step
    is short or made of many small kernels, and nothing where the device is busy for hundreds of milliseconds anyway,
    or where the step waits for something else in any case. Not measured here: the probe is to say it for a run.

    ## References
    - `torch.amp.GradScaler.get_scale`, "incurs a CPU-GPU sync":
      https://docs.pytorch.org/docs/stable/amp.html#torch.amp.GradScaler.get_scale
    - `Optimizer.register_step_post_hook`:
      https://docs.pytorch.org/docs/stable/generated/torch.optim.Optimizer.register_step_post_hook.html
    """

    code = "TRN213"
    name = "scaler-read-each-step"
    severity = Severity.WARNING
    preview = True
    confirmed_by = frozenset({Symptom.HOST_SYNC})
    triggers = Triggers(calls=frozenset({"get_scale", "state_dict"}), heats=IN_STEP)

    def check(self, site: Site) -> Iterator[Finding]:
        """Find reads of a scaler's state that run in each step."""
        call = site.call
        if not site.heat.heat.in_step or not isinstance(call.func, ast.Attribute) or site.file.device is Home.HOST:
            return
        confidence = _confidence(site, call.func.value)
        if not confidence or site.file.graph.callee.get(call) is not None:
            return
        if call.func.attr == "get_scale":
            message = (
                "`get_scale()` makes the host wait for the device in each training step; let a hook of the optimizer "
                "tell whether it stepped, and log the scale every n-th step"
            )
        else:
            message = (
                "the scaler's `state_dict()` makes the host wait for the device in each training step; "
                "take it with checkpoints only"
            )
        yield self.finding(site, message, confidence=confidence)


def _confidence(site: Site, owner: ast.expr) -> float:
    """How sure it is that a value is PyTorch's scaler, in use, for a device; 0 where it is not."""
    value = site.value(owner)
    if value.kind is not Kind.SCALER:
        return 0.0
    made = single_value(owner, site.block)
    if isinstance(made, ast.Call):
        if constant(argument(made, "enabled")) is False or constant(argument(made, "device", 0)) == "cpu":
            return 0.0
    return _SURE if value.confidence == 1.0 else _BY_NAME
