"""TRN203."""

from __future__ import annotations

from collections.abc import Iterator

from trainlint.analysis.effects.python_reads import READING_CALLS, python_reads
from trainlint.analysis.site import Site
from trainlint.finding import Finding, Severity
from trainlint.rule import IN_STEP, Rule, Triggers
from trainlint.symptoms import Symptom
from trainlint_rules.sync.idioms.progress import shown_by_bar
from trainlint_rules.sync.idioms.read_purposes import purpose


class TensorReadAsPythonValue(Rule):
    """A device tensor that Python reads as a number, a truth value or text in each training step.

    ## Why
    `float(t)`, `if t > 0`, `not t.any()`, `a and t`, `assert t.any()`, `range(t)`, `print(t)`, an f-string,
    `logger.info("%s", t)`, `math.isnan(t)`, `max(1, t)`, `writer.add_scalar(tag, t)` and `wandb.log({"loss": t})` all
    call `.item()` inside: the host waits for the device, and the device then waits for the host. They look harmless
    since no `.item()` is in sight.

    ## Example
    ```python
    import torch


    def train(model, criterion, optimizer, train_loader, device):
        for inputs, targets in train_loader:
            inputs = inputs.to(device, non_blocking=True)
            targets = targets.to(device, non_blocking=True)
            loss = criterion(model(inputs), targets)
            if loss > 100:
                raise RuntimeError("the loss explodes")
            optimizer.zero_grad()
            loss.backward()
            optimizer.step()
    ```

    ## Use instead
    ```python
    import torch


    def train(model, criterion, optimizer, train_loader, device):
        for step, (inputs, targets) in enumerate(train_loader):
            inputs = inputs.to(device, non_blocking=True)
            targets = targets.to(device, non_blocking=True)
            loss = criterion(model(inputs), targets)
            if step % 50 == 0 and loss > 100:
                raise RuntimeError("the loss explodes")
            optimizer.zero_grad()
            loss.backward()
            optimizer.step()
    ```

    Choosing between values can stay on the device: `torch.where(bad, zero, loss)`, `t.clamp(min=1)`.

    ## Stays silent
    For shapes, dtypes, `is None`, identity; behind an interval, a flag or a failure; in evaluation; for values on
    the host; for `torch._assert_async`; for a flag that all ranks agree on by a collective. Inside the call that
    updates a progress bar, TRN212 speaks; for a read of each parameter, TRN211; for a test that asks for NaN or
    infinity, TRN214.

    ## Confirmed by
    `trainlint probe` counts and times the reads at this line, and tells from a trace of a GPU what a step gains without
    them. `aten::_local_scalar_dense` with a stream synchronisation at this line in each step of a profile.

    ## Gain
    What one wait costs is the host's lead over the device: the kernels that it had queued. That is much where a step
    is short or made of many small kernels, and nothing where the device is busy for hundreds of milliseconds anyway,
    or where the step waits for something else in any case. Not measured here: the probe is to say it for a run.

    ## References
    - `torch.cuda.set_sync_debug_mode`:
      https://docs.pytorch.org/docs/stable/generated/torch.cuda.set_sync_debug_mode.html
    - PyTorch performance tuning guide, "Avoid unnecessary CPU-GPU synchronization":
      https://docs.pytorch.org/tutorials/recipes/recipes/tuning_guide.html
    """

    code = "TRN203"
    name = "tensor-read-as-python-value"
    severity = Severity.WARNING
    confirmed_by = frozenset({Symptom.HOST_SYNC})
    triggers = Triggers(calls=READING_CALLS, reads=True, heats=IN_STEP)

    def check(self, site: Site) -> Iterator[Finding]:
        """Find reads that run in each step on a device tensor; one finding a statement for formatted text."""
        if not site.heat.heat.in_step:
            return
        for node, confidence, how in python_reads(site):
            if shown_by_bar(site.file, site.node, site.statement):
                return
            if purpose(site.file, node, site.block, site.statement) is not None:
                return
            message = (
                f"{how} reads a device tensor on the host, which waits for the device in each training step; "
                "read it every n-th step or keep the decision on the device"
            )
            yield self.finding(site, message, at=node, confidence=confidence)
            return
