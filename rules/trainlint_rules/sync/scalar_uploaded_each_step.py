"""TRN208."""

from __future__ import annotations

from trainlint.analysis.site import Site
from trainlint.contract.declared_rule import Match
from trainlint.contract.operation_rule import OperationRule
from trainlint.interpreter.machine.events import Happening
from trainlint.symptoms import Symptom

TYPE_CHECKING = False
if TYPE_CHECKING:  # importing the run takes long, and a rule needs only its result
    from trainlint.interpreter.operations import Operation

_READ_BACK = "`{text}` copies to the GPU what was read from it before{often}"
_KEEP = "keep the tensor on the GPU"


class ScalarUploadedEachStep(OperationRule):
    """A Python number copied to the GPU as a tensor in each training step

    ## Why
    `torch.tensor(0.5, device=device)` makes the tensor on the CPU, copies its four bytes from memory that is not
    pinned, and waits for the copy. Operators take a Python number as it is, without a copy. TRN207 reports lists and
    arrays, and tensors that another call moves.

    ## Example
    ```python
    import torch


    def train(model, criterion, optimizer, train_loader, device):
        for inputs, targets in train_loader:
            inputs = inputs.to(device, non_blocking=True)
            targets = targets.to(device, non_blocking=True)
            scale = torch.tensor(0.5, device=device)
            loss = criterion(model(inputs), targets) * scale
            optimizer.zero_grad()
            loss.backward()
            optimizer.step()
    ```

    ## Use instead
    ```python
    import torch


    def train(model, criterion, optimizer, train_loader, device):
        scale = torch.tensor(0.5, device=device)
        for inputs, targets in train_loader:
            inputs = inputs.to(device, non_blocking=True)
            targets = targets.to(device, non_blocking=True)
            loss = criterion(model(inputs), targets) * scale
            optimizer.zero_grad()
            loss.backward()
            optimizer.step()
    ```

    Often the plain number does: `loss * 0.5`. Where it must be a tensor and changes, `torch.full((), number,
    device=device)` fills it on the GPU: this queues a kernel and copies nothing.

    ## Confirmed by
    `trainlint probe` counts the copies at this line. In a profile: a `Memcpy HtoD (Pageable -> Device)` of a few bytes
    with a stream synchronisation at this line in each step.

    ## Gain
    One copy and one wait in each step: little beside a long step, and nothing where the step has another wait close by.
    Not measured here; `trainlint probe` measures it on your run.

    ## References
    - PyTorch performance tuning guide, "Create tensors directly on the target device":
      https://docs.pytorch.org/tutorials/recipes/recipes/tuning_guide.html
    - `torch.full`: https://docs.pytorch.org/docs/stable/generated/torch.full.html
    """

    code = "TRN208"
    name = "scalar-uploaded-each-step"
    happenings = frozenset({Happening.DATA_COPY, Happening.READ_BACK})
    confirmed_by = frozenset({Symptom.HOST_TO_DEVICE})
    message = "`{text}` copies a Python number to the GPU and forces a sync{often}"
    help = "use the number itself, or `torch.full(..., device=...)`, which needs no copy"

    def of_operation(self, site: Site, operation: Operation) -> Match | None:
        """A number, or what was read from the device before, that is copied to the device."""
        if operation.happening is Happening.READ_BACK:
            return Match(site, message=_READ_BACK, help=_KEEP)
        return Match(site) if operation.source == "number" else None
