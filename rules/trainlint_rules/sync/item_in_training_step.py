"""TRN201."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from functools import partial

from trainlint.analysis.effects.guarded_reads import decided_by_callers
from trainlint.analysis.effects.reads import explicit_read
from trainlint.analysis.site import Site
from trainlint.analysis.syntax.uses import reads_of_sum
from trainlint.analysis.tables.host_reads import ITEM
from trainlint.finding import Finding, Fix, Safety, Severity
from trainlint.rule import IN_STEP, Rule, Triggers
from trainlint.symptoms import Symptom
from trainlint_rules.sync.idioms.progress import shown_by_bar
from trainlint_rules.sync.idioms.read_purposes import purpose


class ItemInTrainingStep(Rule):
    """`.item()` of a device tensor in each training step.

    ## Why
    `.item()` copies one number to the host, and the host must wait until the device has computed it.
    Until then no further kernel is queued: the device runs dry at the start of the next step, each step.
    The cost is the lost head start: large where steps are short or bound by kernel launches, small where a
    step takes hundreds of milliseconds.

    ## Example
    ```python
    import torch


    def train(model, criterion, optimizer, train_loader, device):
        running_loss = 0.0
        for inputs, targets in train_loader:
            inputs = inputs.to(device, non_blocking=True)
            targets = targets.to(device, non_blocking=True)
            loss = criterion(model(inputs), targets)
            optimizer.zero_grad()
            loss.backward()
            optimizer.step()
            running_loss += loss.item()
        print(running_loss / len(train_loader))
    ```

    ## Use instead
    ```python
    import torch


    def train(model, criterion, optimizer, train_loader, device):
        running_loss = 0.0
        for inputs, targets in train_loader:
            inputs = inputs.to(device, non_blocking=True)
            targets = targets.to(device, non_blocking=True)
            loss = criterion(model(inputs), targets)
            optimizer.zero_grad()
            loss.backward()
            optimizer.step()
            running_loss += loss.detach()
        print(float(running_loss) / len(train_loader))
    ```

    The sum stays on the device and is read once, after the loop. Or read the value only every n-th step.

    ## Stays silent
    Behind an interval, a first step, a failure or a flag; in evaluation; after the loop; for tensors on the host,
    NumPy values and shapes; for what a simulator's environment needs on the host; for a flag that all ranks agree
    on by a collective; where tokens become text. Inside the call that updates a progress bar, TRN212 speaks; where
    a function reads what its callers give it only if that is a tensor, TRN218; for a read of each parameter,
    TRN211; for `torch.isnan(x).item()` and its kin, TRN214; for `gather(loss).item()` that is only logged, TRN215.

    ## Fix safety
    The running sum becomes a float32 tensor instead of a Python float of double precision, so the printed
    value may differ in its last digits. The fix is offered only where every read of the sum stands outside the step.

    ## Confirmed by
    `trainlint probe` counts and times the reads at this line, and tells from a trace of a GPU what a step gains without
    them. `aten::_local_scalar_dense` with a stream synchronisation at this line in each step of a profile, and device
    idle time right after it.

    ## Gain
    What one wait costs is the host's lead over the device: the kernels that it had queued. That is much where a step
    is short or made of many small kernels, and nothing where the device is busy for hundreds of milliseconds anyway,
    or where the step waits for something else in any case. Not measured here: the probe is to say it for a run.

    ## References
    - PyTorch performance tuning guide, "Avoid unnecessary CPU-GPU synchronization":
      https://docs.pytorch.org/tutorials/recipes/recipes/tuning_guide.html
    - `torch.cuda.set_sync_debug_mode`:
      https://docs.pytorch.org/docs/stable/generated/torch.cuda.set_sync_debug_mode.html
    """

    code = "TRN201"
    name = "item-in-training-step"
    severity = Severity.WARNING
    fix_safety = Safety.UNSAFE
    confirmed_by = frozenset({Symptom.HOST_SYNC})
    triggers = Triggers(calls=frozenset({ITEM.name}), heats=IN_STEP)

    def check(self, site: Site) -> Iterator[Finding]:
        """Find `.item()` calls that run in each step on a value that may live on the device."""
        call = site.call
        if not site.heat.heat.in_step or call.args or not isinstance(call.func, ast.Attribute):
            return
        if decided_by_callers(site.file, call, site.block):
            return
        if purpose(site.file, call, site.block, site.statement) is not None:
            return
        confidence = explicit_read(site.value(call.func.value), site.file.device)
        if confidence and not shown_by_bar(site.file, call, site.statement):
            message = (
                "`.item()` makes the host wait for the device in each training step; "
                "keep the value as a tensor and read it every n-th step"
            )
            yield self.finding(site, message, confidence=confidence, fix=partial(_keep_sum_on_device, site, call))


def _keep_sum_on_device(site: Site, call: ast.Call) -> Fix | None:
    """For `total += loss.item()`: add the detached tensor and read the sum where it is used, outside the step."""
    statement = site.statement
    if (
        not isinstance(statement, ast.AugAssign)
        or not isinstance(statement.op, ast.Add)
        or not isinstance(statement.target, ast.Name)
    ):
        return None
    if statement.value is not call or not isinstance(call.func, ast.Attribute):
        return None
    reads = reads_of_sum(site.file, site.block, statement.target.id)
    if reads is None:
        return None
    from trainlint.fixing import rewrite

    def make() -> Fix:
        loss = rewrite.expression(site.source, call)
        attribute = loss.func  # type: ignore[attr-defined]  # `call` is an ast.Call, so its segment is a LibCST Call
        detached = loss.with_changes(func=attribute.with_changes(attr=attribute.attr.with_changes(value="detach")))
        edits = [rewrite.replace_expression(site.source, call, detached)]
        for read in reads:
            edits.extend(rewrite.wrap_in_call(site.source, read, "float"))
        return Fix("Sum detached tensors and read the sum once", tuple(sorted(edits)), Safety.UNSAFE)

    return rewrite.attempt(make)
