"""TRN211."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from trainlint.analysis.effects.guarded_reads import decided_by_callers
from trainlint.analysis.effects.python_reads import READING_CALLS, python_reads
from trainlint.analysis.effects.reads import explicit_read
from trainlint.analysis.site import Site
from trainlint.analysis.tables.host_reads import CPU, WAITING_TO_HOST
from trainlint.analysis.types.values import Home, Kind
from trainlint.finding import Finding, Severity
from trainlint.rule import IN_STEP, Rule, Triggers
from trainlint.symptoms import Symptom
from trainlint_rules.sync.idioms.read_purposes import reads_each_parameter

_READS = WAITING_TO_HOST | {"to"}


class SyncPerParameter(Rule):
    """A number read on the host for each parameter or gradient in each training step

    ## Why
    A loop over the parameters that reads a norm, a sum or a truth value of each one waits for the device as often as
    the model has parameters: some 150 times a step for a ResNet-50, several hundred times for a transformer. Between
    two waits the device computes one small reduction and idles.

    ## Example
    ```python
    import torch


    def train(model, criterion, optimizer, train_loader, device):
        for inputs, targets in train_loader:
            inputs = inputs.to(device, non_blocking=True)
            targets = targets.to(device, non_blocking=True)
            loss = criterion(model(inputs), targets)
            optimizer.zero_grad()
            loss.backward()
            squares = 0.0
            for parameter in model.parameters():
                squares += parameter.grad.norm().item() ** 2
            optimizer.step()
    ```

    ## Use instead
    ```python
    import torch


    def train(model, criterion, optimizer, train_loader, device):
        for inputs, targets in train_loader:
            inputs = inputs.to(device, non_blocking=True)
            targets = targets.to(device, non_blocking=True)
            loss = criterion(model(inputs), targets)
            optimizer.zero_grad()
            loss.backward()
            norm = torch.nn.utils.clip_grad_norm_(model.parameters(), float("inf"))
            optimizer.step()
    ```

    `clip_grad_norm_` returns the norm of all gradients as one tensor, and with an infinite bound it clips nothing.
    For anything else, collect the results on the device (`torch._foreach_norm`, `torch.stack`) and read them once,
    every n-th step.

    ## Stays silent
    Outside of training steps; behind an interval, a flag or a failure; for entries of a state dict, which are copied
    to be saved; for loops that keep their sums on the device. This rule speaks for all reads in such a loop: TRN201,
    TRN202 and TRN203 do not repeat them.

    ## Confirmed by
    `trainlint probe` counts and times the reads at this line, and tells from a trace of a GPU what a step gains without
    them. As many stream synchronisations at this line in each step of a profile as the model has parameters.

    ## Gain
    All but one of these waits in each step. What one costs depends on how far the host was ahead; not measured here.
    Nothing is gained where the loop runs behind an interval, or where the parameters are on the host.

    ## References
    - `torch.nn.utils.clip_grad_norm_`:
      https://docs.pytorch.org/docs/stable/generated/torch.nn.utils.clip_grad_norm_.html
    - PyTorch performance tuning guide, "Avoid unnecessary CPU-GPU synchronization":
      https://docs.pytorch.org/tutorials/recipes/recipes/tuning_guide.html
    """

    code = "TRN211"
    name = "sync-per-parameter"
    severity = Severity.WARNING
    confirmed_by = frozenset({Symptom.HOST_SYNC})
    triggers = Triggers(calls=_READS | READING_CALLS, reads=True, heats=IN_STEP)

    def check(self, site: Site) -> Iterator[Finding]:
        """Find reads of a device value in a loop over parameters that runs in each step."""
        if not site.heat.heat.in_step:
            return
        for node, confidence in _reads(site):
            if reads_each_parameter(site.file, node, site.block, site.statement):
                message = (
                    "this waits for the device once for each parameter in each training step; "
                    "keep the numbers on the device and read one result (`clip_grad_norm_` returns the norm of all)"
                )
                yield self.finding(site, message, at=node, confidence=confidence)
                return


def _reads(site: Site) -> Iterator[tuple[ast.AST, float]]:
    node = site.node
    if isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute) and node.func.attr in _READS:
        value = site.value(node.func.value)
        moves = node.func.attr in (CPU.name, "to")
        if node.func.attr == "to" and site.file.kinds.device_argument(node, site.block) is not Home.HOST:
            return
        if (moves and value.kind is Kind.UNKNOWN) or decided_by_callers(site.file, node, site.block):
            return
        if any(keyword.arg == "non_blocking" for keyword in node.keywords):
            return
        confidence = explicit_read(value, site.file.device)
        if confidence:
            yield node, confidence
        return
    for part, confidence, _ in python_reads(site):
        yield part, confidence
