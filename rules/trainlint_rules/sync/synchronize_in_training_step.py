"""TRN204."""

from __future__ import annotations

import ast
from collections.abc import Iterable

from trainlint.analysis.effects.removable_calls import removable, wait_is_used
from trainlint.analysis.site import Site
from trainlint.analysis.syntax.names import last_name, nodes_in
from trainlint.analysis.tables.waits.clocks import CLOCKS
from trainlint.contract.declared_rule import Match
from trainlint.contract.operation_rule import OperationRule
from trainlint.finding import Edit, Safety
from trainlint.interpreter.machine.events import Happening
from trainlint.symptoms import Symptom
from trainlint_rules.sync.idioms.reads_besides import reads_besides

TYPE_CHECKING = False
if TYPE_CHECKING:  # importing the run takes long, and a rule needs only its result
    from trainlint.interpreter.operations import Operation

_READ_LATER = "read the times of events some steps later, when they are over: that needs no wait"
_TIMED = "measure with CUDA events: without the wait, this clock would be wrong"


class SynchronizeInTrainingStep(OperationRule):
    """The CPU waits for the whole GPU in each training step.

    ## Why
    `torch.cuda.synchronize()`, `stream.synchronize()` and `event.synchronize()` stop the CPU until the GPU has finished
    all that is queued. No kernel is queued meanwhile, so the GPU is idle at the start of the next step. PyTorch orders
    kernels and copies by itself: training needs no such call, nor a timer of the project that makes one whenever it
    starts and stops. `CUDA_LAUNCH_BLOCKING=1` does the same after every single kernel; it is a debugging switch.

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
    The fix removes the call. Code elsewhere that measures a step by the CPU's clock then measures less time.

    There is no fix

    - where the function reads a clock, or copies to the CPU without waiting;
    - where the file works with streams, events or collectives that go on by themselves;
    - where waiting for the GPU is all that the function does;
    - where the same step reads a GPU tensor: it waits there then.

    ## Confirmed by
    `trainlint probe` counts the waits at this line. On a GPU it also tells from a trace what a step gains without them.
    In a profile: `cudaDeviceSynchronize` or `cudaStreamSynchronize` at this line in each step, and an idle GPU after
    it.

    ## Gain
    One wait costs the time by which the CPU was ahead of the GPU. That is much where a step is short or made of many
    small kernels. It is nothing where the GPU is busy for hundreds of milliseconds anyway, or where the step has
    another wait close by. Not measured here; `trainlint probe` measures it on your run.

    ## References
    - `torch.cuda.synchronize`: https://docs.pytorch.org/docs/stable/generated/torch.cuda.synchronize.html
    - Asynchronous execution: https://docs.pytorch.org/docs/stable/notes/cuda.html#asynchronous-execution
    """

    code = "TRN204"
    name = "synchronize-in-training-step"
    happenings = frozenset({Happening.SYNCHRONIZE})
    confirmed_by = frozenset({Symptom.HOST_SYNC})
    message = "`{text}` makes the CPU wait for the GPU{often}"
    help = "remove it; to time a step, use CUDA events"
    fix_title = "Remove the synchronisation"
    fix_safety = Safety.UNSAFE

    def of_operation(self, site: Site, operation: Operation) -> Match:
        """A wait for the device."""
        return Match(site, help=_help_text(site))

    def edits(self, site: Site, match: Match) -> Iterable[Edit]:
        """The statement goes, if the wait is all of it, nothing in sight needs it and no other read waits as well."""
        from trainlint.fixing.rewrite import remove_statement

        kept = wait_is_used(site.file, site.place) or reads_besides(site)
        statement = None if kept else removable(site.file, site.place)
        return () if statement is None else remove_statement(site.source, statement)


def _help_text(site: Site) -> str | None:
    """Help for a wait that a time needs: of events, or of the host's clock in the same function."""
    function = site.function
    if function is None:
        return None
    calls = [node for node in nodes_in(function.node) if isinstance(node, ast.Call)]
    if any(last_name(call.func) == "elapsed_time" for call in calls):
        return _READ_LATER
    return _TIMED if any(last_name(call.func) in CLOCKS for call in calls) else None
