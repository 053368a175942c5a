"""TRN203."""

from __future__ import annotations

import ast

from trainlint.analysis.site import Site
from trainlint.analysis.tables.waits.checked_results import CHECKED
from trainlint.contract.declared_rule import Match
from trainlint.contract.operation_rule import OperationRule
from trainlint.interpreter.machine.events import Happening
from trainlint.symptoms import Symptom
from trainlint_rules.sync.idioms.advice import INSTEAD_OF_SIZE, instead_of_number

TYPE_CHECKING = False
if TYPE_CHECKING:  # importing the run takes long, and a rule needs only its result
    from trainlint.interpreter.operations import Operation

_UNCHECKED = "compute it every N steps, or outside of the step: the function waits to learn whether it succeeded"
_HOW = {
    Happening.TEST: "testing ",
    Happening.FORMAT: "formatting ",
    Happening.COMPARE: "comparing ",
    Happening.SIZE: "taking a size from ",
}
_INSTEAD_OF = {
    Happening.COMPARE: "compare on the GPU: `torch.maximum`, `torch.minimum`, or `torch.stack(values).max()`",
    Happening.SIZE: INSTEAD_OF_SIZE,
    Happening.ANSWER: "compare on the GPU and read the answer every N steps",
    Happening.CHECKED: "pass `validate_args=False` to the distribution once the code works",
    Happening.HOST_WRITE: "collect these tensors on the GPU and copy them to the CPU once",
    Happening.SCALARS_TO_TENSOR: "use `torch.stack`, which stays on the GPU",
}


class TensorReadAsPythonValue(OperationRule):
    """A GPU tensor that Python reads as a number, a truth value or text in each training step.

    ## Why
    Each of these reads the value of a GPU tensor `t`, as `.item()` does: `float(t)`, `if t > 0`, `not t.any()`, `a and
    t`, `assert t.any()`, `range(t)`, `print(t)`, an f-string, `logger.info("%s", t)`, `math.isnan(t)`, `max(1, t)`,
    `writer.add_scalar(tag, t)`, `wandb.log({"loss": t})`. The CPU waits for the GPU, and the GPU then waits for the
    CPU.

    The same happens where a GPU scalar stands for a number (`x.roll(t)`, `torch.zeros(t)`, `F.pad(x, [t, 0])`,
    `x.clamp(0, t)`), and in questions such as `3 in t` and `torch.equal(a, b)`. `torch.linalg.inv`, `cholesky`, `solve`
    and others wait to learn whether they succeeded. [What makes the CPU wait](../waits.md) lists all known cases.

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

    To choose between values, stay on the GPU: `torch.where(bad, zero, loss)`, `t.clamp(min=1)`.

    Check for NaN or infinity every n-th step: a NaN in the weights stays there, so the check still finds it. Then load
    the last checkpoint. To leave out a bad step without a check, let the GPU choose (`torch.where`,
    `torch.nan_to_num`). With gradients of zero, momentum and weight decay still move the weights; in a skipped step
    they do not. `GradScaler` skips steps whose gradients are not finite.

    ## Confirmed by
    `trainlint probe` counts the reads at this line. On a GPU it also tells from a trace what a step gains without them.
    In a profile: `aten::_local_scalar_dense` with a stream synchronisation at this line in each step.

    ## Gain
    One wait costs the time by which the CPU was ahead of the GPU. That is much where a step is short or made of many
    small kernels. It is nothing where the GPU is busy for hundreds of milliseconds anyway, or where the step has
    another wait close by. Not measured here; `trainlint probe` measures it on your run.

    ## References
    - `torch.cuda.set_sync_debug_mode`:
      https://docs.pytorch.org/docs/stable/generated/torch.cuda.set_sync_debug_mode.html
    - PyTorch performance tuning guide, "Avoid unnecessary CPU-GPU synchronization":
      https://docs.pytorch.org/tutorials/recipes/recipes/tuning_guide.html
    """

    code = "TRN203"
    name = "tensor-read-as-python-value"
    happenings = frozenset({Happening.TEST, Happening.NUMBER, Happening.FORMAT, *_INSTEAD_OF})
    confirmed_by = frozenset({Symptom.HOST_SYNC})
    message = "{how}`{text}` forces a GPU sync{often}"
    help = "log every N steps"

    def of_operation(self, site: Site, operation: Operation) -> Match:
        """A read of a tensor of the device by Python."""
        instead = _instead_of_check(site) if operation.happening is Happening.CHECKED else None
        instead = instead or _INSTEAD_OF.get(operation.happening) or instead_of_number(site)
        return Match(site, fields={"how": _HOW.get(operation.happening, "")}, help=instead)


def _instead_of_check(site: Site) -> str | None:
    """Help for a function that waits to learn whether it succeeded; None for anything else."""
    checked = CHECKED.get(site.origin(site.call.func) or "") if isinstance(site.node, ast.Call) else None
    if checked is None:
        return None
    return f"use `{checked.instead}`, which does not wait" if checked.instead else _UNCHECKED
