"""TRN214."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from trainlint.analysis.effects.guarded_reads import decided_by_callers
from trainlint.analysis.effects.python_reads import READING_CALLS, python_reads
from trainlint.analysis.effects.reads import explicit_read
from trainlint.analysis.site import Site
from trainlint.analysis.tables.host_reads import ITEM
from trainlint.finding import Finding, Severity
from trainlint.patterns import lazy
from trainlint.rule import IN_STEP, Rule, Triggers
from trainlint.symptoms import Symptom
from trainlint_rules.sync.idioms.following_reads import read_follows
from trainlint_rules.sync.idioms.progress import shown_by_bar
from trainlint_rules.sync.idioms.read_purposes import Purpose, purpose

_SAVING = lazy(r"(^|_)(save|checkpoint)(_|$)")


class NanGuardEachStep(Rule):
    """A test for NaN or infinity that reads a device tensor in each training step

    ## Why
    `if torch.isnan(loss).any()`, `assert torch.isfinite(x).all()` and `math.isnan(loss)` ask the device for an answer
    and wait for it. Asked in each step, the device runs dry in each step, for something that happens seldom or never.

    ## Example
    ```python
    import torch


    def train(model, criterion, optimizer, train_loader, device):
        for inputs, targets in train_loader:
            inputs = inputs.to(device, non_blocking=True)
            targets = targets.to(device, non_blocking=True)
            loss = criterion(model(inputs), targets)
            if not torch.isfinite(loss):
                raise FloatingPointError("the loss is not finite")
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
            if step % 50 == 0 and not torch.isfinite(loss):
                raise FloatingPointError("the loss is not finite")
            optimizer.zero_grad()
            loss.backward()
            optimizer.step()
    ```

    A NaN in the weights does not go away, so a later check still finds it; load the last checkpoint then. To leave out
    a bad step instead, let the device choose (`torch.where`, `nan_to_num`): GradScaler already skips steps whose
    gradients are not finite.

    ## Stays silent
    Behind an interval, a flag or a failure; in evaluation; for values that are on the host already: there the read that
    brought them is the finding (TRN201); where the next statements read the device in any case; in functions that save
    checkpoints. In loops over parameters TRN211 speaks, and TRN203 does not repeat this one.

    ## Confirmed by
    `trainlint probe` counts and times the reads at this line, and tells from a trace of a GPU what a step gains without
    them. `aten::_local_scalar_dense` with a stream synchronisation at this line in each step of a profile, and device
    idle time right after it.

    ## Gain
    One wait for the device in each step; what it costs depends on how far the host was ahead. Not measured here.
    Nothing is gained where the same step reads the loss in any case, as for a log line.

    ## References
    - PyTorch performance tuning guide, "Avoid unnecessary CPU-GPU synchronization":
      https://docs.pytorch.org/tutorials/recipes/recipes/tuning_guide.html
    - `torch.amp.GradScaler`, which skips steps with gradients that are not finite:
      https://docs.pytorch.org/docs/stable/amp.html#gradient-scaling
    """

    code = "TRN214"
    name = "nan-guard-each-step"
    severity = Severity.WARNING
    confirmed_by = frozenset({Symptom.HOST_SYNC})
    triggers = Triggers(calls=READING_CALLS | {ITEM.name}, reads=True, heats=IN_STEP)

    def check(self, site: Site) -> Iterator[Finding]:
        """Find tests for NaN that read a device tensor and run in each step."""
        if not site.heat.heat.in_step:
            return
        for node, confidence in _reads(site):
            if shown_by_bar(site.file, site.node, site.statement):
                return
            if _saves(site) or read_follows(site.file, site.place):
                return
            if purpose(site.file, node, site.block, site.statement) is Purpose.NAN_GUARD:
                message = (
                    "asking whether a device tensor holds NaN makes the host wait for the device in each training "
                    "step; ask every n-th step, or let the device choose (`torch.where`)"
                )
                yield self.finding(site, message, at=node, confidence=confidence)
            return


def _reads(site: Site) -> Iterator[tuple[ast.AST, float]]:
    node = site.node
    if isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute) and node.func.attr == ITEM.name:
        if not node.args and not decided_by_callers(site.file, node, site.block):
            confidence = explicit_read(site.value(node.func.value), site.file.device)
            if confidence:
                yield node, confidence
        return
    for part, confidence, _ in python_reads(site):
        yield part, confidence


def _saves(site: Site) -> bool:
    """Whether the function is there to write checkpoints, which happens now and then, whatever calls it."""
    return site.function is not None and _SAVING.search(site.function.name) is not None
