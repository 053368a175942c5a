"""TRN202."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from trainlint.analysis.effects.guarded_reads import decided_by_callers
from trainlint.analysis.effects.reads import explicit_read
from trainlint.analysis.site import Site
from trainlint.analysis.syntax.names import argument
from trainlint.analysis.tables.host_reads import COPIES
from trainlint.analysis.types.values import Home, Kind
from trainlint.finding import Finding, Severity
from trainlint.rule import IN_STEP, Rule, Triggers
from trainlint.symptoms import Symptom
from trainlint_rules.sync.idioms.progress import shown_by_bar
from trainlint_rules.sync.idioms.read_purposes import copy_purpose


class HostCopyInTrainingStep(Rule):
    """A device tensor copied to the host in each training step.

    ## Why
    `.cpu()`, `.tolist()` and `.to("cpu")` wait until the device has finished everything queued before them,
    then copy from the device to pageable memory. Meanwhile no kernel is queued, so the device idles at the start of the
    next step.

    ## Example
    ```python
    import torch


    def train(model, criterion, optimizer, train_loader, device, meter):
        for inputs, targets in train_loader:
            inputs = inputs.to(device, non_blocking=True)
            targets = targets.to(device, non_blocking=True)
            outputs = model(inputs)
            loss = criterion(outputs, targets)
            optimizer.zero_grad()
            loss.backward()
            optimizer.step()
            meter.add(outputs.detach().cpu(), targets.cpu())
    ```

    ## Use instead
    ```python
    import torch


    def train(model, criterion, optimizer, train_loader, device, meter):
        for step, (inputs, targets) in enumerate(train_loader):
            inputs = inputs.to(device, non_blocking=True)
            targets = targets.to(device, non_blocking=True)
            outputs = model(inputs)
            loss = criterion(outputs, targets)
            optimizer.zero_grad()
            loss.backward()
            optimizer.step()
            if step % 50 == 0:
                meter.add(outputs.detach().cpu(), targets.cpu())
    ```

    Better still, keep the metric's state on the device and read it once an epoch.

    ## Stays silent
    In checkpoints, evaluation and at intervals; for tensors that are on the host already, NumPy arrays and modules;
    for `.numpy()` alone, which a device tensor refuses; for copies with `non_blocking=True`; for actions that a
    simulator's environment needs; for a flag that all ranks agree on by a collective; where tokens become text.
    Inside the call that updates a progress bar, TRN212 speaks; in a forward pass or a loss, TRN210; for a copy of
    each parameter, TRN211.

    ## Confirmed by
    `trainlint probe` counts and times the copies at this line, and tells from a trace of a GPU what a step gains
    without them. A device-to-host copy with a stream synchronisation at this line in each step of a profile.

    ## Gain
    What one wait costs is the host's lead over the device: the kernels that it had queued. That is much where a step
    is short or made of many small kernels, and nothing where the device is busy for hundreds of milliseconds anyway,
    or where the step waits for something else in any case. Not measured here: the probe is to say it for a run.

    ## References
    - PyTorch performance tuning guide, "Avoid unnecessary CPU-GPU synchronization":
      https://docs.pytorch.org/tutorials/recipes/recipes/tuning_guide.html
    """

    code = "TRN202"
    name = "host-copy-in-training-step"
    severity = Severity.WARNING
    confirmed_by = frozenset({Symptom.HOST_SYNC})
    triggers = Triggers(calls=COPIES | {"to"}, heats=IN_STEP)

    def check(self, site: Site) -> Iterator[Finding]:
        """Find copies to the host that run in each step on a device tensor."""
        call = site.call
        if not site.heat.heat.in_step or not isinstance(call.func, ast.Attribute):
            return
        name = call.func.attr
        if argument(call, "non_blocking") is not None or (
            name == "to" and site.file.kinds.device_argument(call, site.block) is not Home.HOST
        ):
            return
        value = site.value(call.func.value)
        if value.kind is Kind.UNKNOWN or decided_by_callers(site.file, call, site.block):
            return
        if copy_purpose(site.file, call, site.block, site.statement) is not None:
            return
        confidence = explicit_read(value, site.file.device)
        if confidence and not shown_by_bar(site.file, call, site.statement):
            spelling = '.to("cpu")' if name == "to" else f".{name}()"
            message = (
                f"`{spelling}` waits for the device and copies to the host in each training step; "
                "keep the tensor on the device, or copy every n-th step"
            )
            yield self.finding(site, message, confidence=confidence)
