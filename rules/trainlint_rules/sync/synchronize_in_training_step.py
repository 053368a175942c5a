"""TRN204."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from functools import partial

from trainlint.analysis.conditions.subjects import Subject, asks_about
from trainlint.analysis.effects.reads import asynchronous_copy_before, captures_graph, is_measured
from trainlint.analysis.site import Site
from trainlint.analysis.syntax.names import constant, last_name
from trainlint.analysis.tables.host_reads import SYNCHRONIZE, SYNCHRONIZE_ORIGINS
from trainlint.analysis.types.values import Kind
from trainlint.finding import Finding, Fix, Safety, Severity
from trainlint.patterns import lazy
from trainlint.rule import Rule, Triggers
from trainlint.symptoms import Symptom

_LETS_GO = lazy(r"(^|_)(release|free|reset|teardown|destroy|offload|onload|swap|capture|warm_?up)($|_)", re.IGNORECASE)
_GRAPHS = lazy(r"cuda_?graph", re.IGNORECASE)
_PAIRWISE = ("batch_isend_irecv", "isend", "irecv", "P2POp")


class SynchronizeInTrainingStep(Rule):
    """The host waits for the whole device in each training step.

    ## Why
    `torch.cuda.synchronize()`, `stream.synchronize()` and `event.synchronize()` stop the host until the device has
    finished all that is queued. No kernel is queued meanwhile, so the device runs dry at the start of the next step.
    PyTorch orders kernels and copies by itself: training needs no such call, nor a timer of the project's own that
    makes it each time it starts and stops. `CUDA_LAUNCH_BLOCKING=1` does the same
    after every single kernel; it is a debugging switch.

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
            optimizer.step()
            torch.cuda.synchronize()
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
            optimizer.step()
    ```

    To measure a step, record `torch.cuda.Event(enable_timing=True)` and read the times at an interval.

    ## Stays silent
    Behind an interval; in benchmarks, profilers and around the capture of a CUDA graph; after a copy to the host
    with `non_blocking=True`, which must be waited for; where memory is released that kernels may still read, where
    ranks exchange tensors in pairs, and behind an option that asks for it.

    ## Fix safety
    The fix removes the call. Code that measures the time of a step from the host's clock then measures less.

    ## Confirmed by
    `trainlint probe` counts and times the waits at this line, and tells from a trace of a GPU what a step gains without
    them. `cudaDeviceSynchronize` or `cudaStreamSynchronize` at this line in each step of a profile, and device idle
    time after it.

    ## Gain
    What one wait costs is the host's lead over the device: the kernels that it had queued. That is much where a step
    is short or made of many small kernels, and nothing where the device is busy for hundreds of milliseconds anyway,
    or where the step waits for something else in any case. Not measured here: the probe is to say it for a run.

    ## References
    - `torch.cuda.synchronize`: https://docs.pytorch.org/docs/stable/generated/torch.cuda.synchronize.html
    - Asynchronous execution: https://docs.pytorch.org/docs/stable/notes/cuda.html#asynchronous-execution
    """

    code = "TRN204"
    name = "synchronize-in-training-step"
    severity = Severity.WARNING
    fix_safety = Safety.UNSAFE
    confirmed_by = frozenset({Symptom.HOST_SYNC})
    triggers = Triggers(calls=frozenset({SYNCHRONIZE.name}), assignments=frozenset({"CUDA_LAUNCH_BLOCKING"}))

    def check(self, site: Site) -> Iterator[Finding]:
        """Find waits for the device that run in each step, and the switch that adds one to each kernel."""
        if not isinstance(site.node, ast.Call):
            yield from self._launch_blocking(site)
            return
        what = _waits(site, site.call)
        if what is None or not site.heat.heat.in_step or asynchronous_copy_before(site.place, site.file):
            return
        excused = is_measured(site.place, site.file) or captures_graph(site.place, site.file) or _is_due(site)
        confidence = 0.5 if excused else 0.9
        message = f"`{what}` stops the host until the device is idle in each training step; remove it"
        yield self.finding(site, message, confidence=confidence, fix=partial(_removed, site))

    def _launch_blocking(self, site: Site) -> Iterator[Finding]:
        statement = site.node
        if not isinstance(statement, ast.Assign) or str(constant(statement.value)) != "1":
            return
        if site.function is not None or site.conditions:
            return
        message = (
            "`CUDA_LAUNCH_BLOCKING=1` makes the host wait for every kernel of the run; set it only while debugging"
        )
        yield self.finding(site, message, confidence=0.9, fix=partial(_removed, site))


def _waits(site: Site, call: ast.Call) -> str | None:
    """The spelling of a call that waits for the device; None for other things called synchronize."""
    origin = site.origin(call.func)
    if origin is not None:
        known = (*SYNCHRONIZE_ORIGINS, "torch.cuda.current_stream")
        return f"{origin}()" if origin.startswith(known) else None
    if isinstance(call.func, ast.Attribute):
        owner = call.func.value
        if site.value(owner).kind is Kind.STREAM or last_name(owner) in ("current_stream", "get_accelerator"):
            return f"{ast.unparse(call.func)}()"
    return None


def _is_due(site: Site) -> bool:
    """Whether the wait is there for a reason: memory is let go of, ranks exchange tensors in pairs, an option asks."""
    function = site.function
    if function is None:
        return False
    if _LETS_GO.search(function.name) or _GRAPHS.search(site.path):
        return True
    if asks_about(site.block, Subject.SYNCHRONIZATION):
        return True
    return any(
        place.block.within(function.body) for name in _PAIRWISE for place in site.file.outline.calls.get(name, ())
    )


def _removed(site: Site) -> Fix | None:
    statement = site.statement
    if isinstance(statement, ast.Expr) and statement.value is not site.node:
        return None
    if not isinstance(statement, ast.Expr | ast.Assign):
        return None
    from trainlint.fixing import rewrite

    def make() -> Fix:
        return Fix("Remove the synchronisation", rewrite.remove_statement(site.source, statement), Safety.UNSAFE)

    return rewrite.attempt(make)
