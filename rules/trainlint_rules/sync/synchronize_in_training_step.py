"""TRN204."""

from __future__ import annotations

import ast
from collections.abc import Iterable

from trainlint.analysis.effects.removable_calls import removable, wait_is_used
from trainlint.analysis.site import Site
from trainlint.analysis.syntax.names import last_name, nodes_in
from trainlint.analysis.tables.host_reads import SYNCHRONIZE
from trainlint.contract.bases import CallRule
from trainlint.contract.declared_rule import EACH_STEP, Match
from trainlint.contract.guard import early_guard
from trainlint.finding import Confidence, Edit, Heat, Safety
from trainlint.interpreter.machine.events import Happening
from trainlint.rule import Triggers
from trainlint.symptoms import Symptom
from trainlint_rules.measuring.idioms.timing import is_clock
from trainlint_rules.sync.idioms.due_waits import DUE, reads_besides, waits_for_device

TYPE_CHECKING = False
if TYPE_CHECKING:  # importing the run takes long, and a rule needs only its result
    from trainlint.interpreter.operations import Operation

_SET_UP = {Heat.ONCE: Confidence.CERTAIN, Heat.UNKNOWN: Confidence.CERTAIN}
"""When an environment variable is set."""


_READ_LATER = "read the times of events some steps later, when they are over: that needs no wait"
_TIMED = "measure with CUDA events: without the wait, this clock would be wrong"


def _help_text(site: Site) -> str | None:
    """Help for a wait that a time needs: of events, or of the host's clock in the same function."""
    function = site.function
    if function is None:
        return None
    calls = [node for node in nodes_in(function.node) if isinstance(node, ast.Call)]
    if any(last_name(call.func) == "elapsed_time" for call in calls):
        return _READ_LATER
    return _TIMED if any(is_clock(site.file, call, site.block) for call in calls) else None


@early_guard
def _outside_of_steps(site: Site) -> bool:
    """The call is in no training step."""
    return isinstance(site.node, ast.Call) and not site.heat.heat.in_step


class SynchronizeInTrainingStep(CallRule):
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

    ## Fix safety
    The fix removes the call. Code elsewhere that measures the time of a step from the host's clock then measures less.
    There is no fix where the function reads a clock or copies to the host without waiting, where the file works with
    streams, events or collectives that go on by themselves, where waiting for the device is all that the function does,
    nor where it reads a tensor to the host in the same step: it waits there then.

    ## Confirmed by
    `trainlint probe` counts the waits at this line, and tells from a trace of a GPU what a step gains without
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
    happenings = frozenset({Happening.SYNCHRONIZE})
    confirmed_by = frozenset({Symptom.HOST_SYNC})
    on = (SYNCHRONIZE.name,)
    also = Triggers(assignments=frozenset({"CUDA_LAUNCH_BLOCKING"}))
    when = EACH_STEP | _SET_UP
    unless = (_outside_of_steps, *DUE)
    message = "`{text}` makes the CPU wait for the GPU{often}"
    help = "remove it; to time a step, use CUDA events"
    fix_title = "Remove the synchronisation"
    fix_safety = Safety.UNSAFE

    def of_operation(self, site: Site, operation: Operation) -> Match | None:
        """A wait for the device, unless something in the program needs it."""
        return None if any(reason.holds(site) for reason in DUE) else Match(site, help=_help_text(site))

    def found(self, site: Site) -> Match | None:
        """A wait for the device, or the variable that adds one to each kernel."""
        match site.node:
            case ast.Call():
                return Match(site, help=_help_text(site)) if waits_for_device(site) else None
            case ast.Assign(value=ast.Constant(value="1")):
                message = "`CUDA_LAUNCH_BLOCKING=1` forces a GPU sync after every kernel"
                return Match(site, message=message, help="set it only while debugging")
        return None

    def edits(self, site: Site, match: Match) -> Iterable[Edit]:
        """The statement goes, if the wait is all of it, nothing in sight needs it and no other read waits as well."""
        from trainlint.fixing.rewrite import remove_statement

        statement: ast.stmt | None = site.statement
        if not isinstance(statement, ast.Assign):
            kept = wait_is_used(site.file, site.place) or reads_besides(site)
            statement = None if kept else removable(site.file, site.place)
        if statement is not None:
            yield from remove_statement(site.source, statement)
