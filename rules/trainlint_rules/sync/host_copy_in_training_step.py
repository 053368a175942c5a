"""TRN202."""

from __future__ import annotations

from trainlint.analysis.site import Site
from trainlint.contract.declared_rule import Match
from trainlint.contract.operation_rule import OperationRule
from trainlint.interpreter.machine.events import Happening
from trainlint.symptoms import Symptom
from trainlint_rules.sync.idioms.advice import instead_of_copy

TYPE_CHECKING = False
if TYPE_CHECKING:  # importing the run takes long, and a rule needs only its result
    from trainlint.interpreter.operations import Operation


class HostCopyInTrainingStep(OperationRule):
    """A GPU tensor copied to the CPU in each training step.

    ## Why
    `.cpu()`, `.tolist()` and `.to("cpu")` wait until the GPU has finished everything queued before them, then copy to
    pageable memory. Meanwhile no kernel is queued, so the GPU is idle at the start of the next step. `.numpy()` alone
    never waits: a GPU tensor refuses it.

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

    Better still, keep the metric's state on the GPU and read it once an epoch.

    ## Confirmed by
    `trainlint probe` counts the copies at this line. On a GPU it also tells from a trace what a step gains without
    them. In a profile: a copy from the GPU with a stream synchronisation at this line in each step.

    ## Gain
    One wait costs the time by which the CPU was ahead of the GPU. That is much where a step is short or made of many
    small kernels. It is nothing where the GPU is busy for hundreds of milliseconds anyway, or where the step has
    another wait close by. Not measured here; `trainlint probe` measures it on your run.

    ## References
    - PyTorch performance tuning guide, "Avoid unnecessary CPU-GPU synchronization":
      https://docs.pytorch.org/tutorials/recipes/recipes/tuning_guide.html
    """

    code = "TRN202"
    name = "host-copy-in-training-step"
    happenings = frozenset({Happening.COPY_TO_HOST, Happening.TO_LIST, Happening.TO_NUMPY})
    confirmed_by = frozenset({Symptom.HOST_SYNC})
    message = "`{text}` copies a tensor to the CPU and forces a GPU sync{often}"
    help = "copy it every N steps; if every step needs it, copy everything at once"

    def of_operation(self, site: Site, operation: Operation) -> Match | None:
        """A copy to the host outside of a forward pass."""
        return None if operation.in_forward else Match(site, help=instead_of_copy(site))
