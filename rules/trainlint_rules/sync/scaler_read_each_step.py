"""TRN213."""

from __future__ import annotations

from trainlint.analysis.site import Site
from trainlint.analysis.syntax.names import last_name
from trainlint.contract.declared_rule import Match
from trainlint.contract.operation_rule import OperationRule
from trainlint.interpreter.machine.events import Happening
from trainlint.symptoms import Symptom

TYPE_CHECKING = False
if TYPE_CHECKING:  # importing the run takes long, and a rule needs only its result
    from trainlint.interpreter.operations import Operation

_SAVED = "call it only when you save a checkpoint"


class ScalerReadEachStep(OperationRule):
    """The gradient scaler's scale read from the GPU in each training step.

    ## Why
    `GradScaler` keeps its scale on the GPU. `get_scale()` and `state_dict()` read it, and the CPU waits until the GPU
    has finished the optimizer step that was queued just before. The usual reason is to learn whether the scaler skipped
    that step, so that the scheduler skips it too. The optimizer can tell this without a wait.

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

    `scaler.step` calls the optimizer only where no gradient overflowed, and the hook (PyTorch 2.0) runs with it. This
    saves the second wait: `scaler.step` itself still reads one flag of each step. A fused optimizer decides on the GPU
    and is always called. With it, and wherever a skipped step in thousands does no harm, step the scheduler each time.
    To log the scale, read it every n-th step.

    ## Confirmed by
    `trainlint probe` counts the reads at this line. On a GPU it also tells from a trace what a step gains without them.
    In a profile: `aten::_local_scalar_dense` with a stream synchronisation at this line in each step.

    ## Gain
    One wait costs the time by which the CPU was ahead of the GPU. That is much where a step is short or made of many
    small kernels. It is nothing where the GPU is busy for hundreds of milliseconds anyway, or where the step has
    another wait close by. Not measured here; `trainlint probe` measures it on your run.

    ## References
    - `torch.amp.GradScaler.get_scale`, "incurs a CPU-GPU sync":
      https://docs.pytorch.org/docs/stable/amp.html#torch.amp.GradScaler.get_scale
    - `Optimizer.register_step_post_hook`:
      https://docs.pytorch.org/docs/stable/generated/torch.optim.Optimizer.register_step_post_hook.html
    """

    code = "TRN213"
    name = "scaler-read-each-step"
    happenings = frozenset({Happening.SCALE})
    confirmed_by = frozenset({Symptom.HOST_SYNC})
    message = "`{text}` reads the gradient scaler's scale and forces a GPU sync{often}"
    help = "use `optimizer.register_step_post_hook` to see whether it stepped, and log the scale every N steps"

    def of_operation(self, site: Site, operation: Operation) -> Match:
        """A read of the scale."""
        return Match(site, help=_SAVED if last_name(site.call.func) == "state_dict" else None)
