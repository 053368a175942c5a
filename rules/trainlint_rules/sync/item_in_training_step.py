"""TRN201."""

from __future__ import annotations

import ast
from collections.abc import Iterable

from trainlint.analysis.site import Site
from trainlint.analysis.syntax.names import end_position
from trainlint.analysis.syntax.uses import reads_of_sum
from trainlint.analysis.tables.host_reads import ITEM
from trainlint.contract.declared_rule import Match
from trainlint.contract.operation_rule import OperationRule
from trainlint.finding import Edit, Safety
from trainlint.interpreter.machine.events import Happening
from trainlint.symptoms import Symptom
from trainlint_rules.sync.idioms.advice import instead_of_number
from trainlint_rules.sync.idioms.reads_besides import other_reads

TYPE_CHECKING = False
if TYPE_CHECKING:  # importing the run takes long, and a rule needs only its result
    from trainlint.interpreter.operations import Operation


class ItemInTrainingStep(OperationRule):
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

    A progress bar needs its digits at each call of `set_postfix`: tqdm's `mininterval` and `miniters` delay the
    drawing, not the read. Update it every n-th step. A loop over the parameters that reads each norm waits as often as
    the model has parameters, some 150 times a step for a ResNet-50. `clip_grad_norm_(parameters, float("inf"))` returns
    the norm of all gradients as one tensor and clips nothing; for anything else, collect the results on the device
    (`torch._foreach_norm`, `torch.stack`) and read them once. A meter that calls `.item()` on what is a tensor costs
    nothing for numbers: its callers decide, and best sum on the device and give it the sum every n-th step.

    ## Fix safety
    The running sum becomes a float32 tensor instead of a Python float of double precision, so the printed
    value may differ in its last digits. The fix is offered only where every read of the sum stands outside the step.

    ## Confirmed by
    `trainlint probe` counts the reads at this line, and tells from a trace of a GPU what a step gains without
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
    happenings = frozenset({Happening.ITEM})
    confirmed_by = frozenset({Symptom.HOST_SYNC})
    message = "`{text}` forces a GPU sync{often}"
    help = "accumulate `{value}.detach()` and call `.item()` only when you log"
    fix_title = "Sum detached tensors and read the sum once"
    fix_safety = Safety.UNSAFE

    def of_operation(self, site: Site, operation: Operation) -> Match:
        """`.item()` of a tensor of the device."""
        return Match(site, help=instead_of_number(site))

    def edits(self, site: Site, match: Match) -> Iterable[Edit]:
        """For `total += loss.item()`: add the detached tensor and read the sum where it is used, outside the step.

        Nothing where the step reads the tensor besides: it waits there then.
        """
        from trainlint.fixing.rewrite import wrap_in_call

        match site.statement:
            case ast.AugAssign(target=ast.Name(id=name), op=ast.Add(), value=site.node):
                reads = reads_of_sum(site.file, site.block, name)
            case _:
                reads = None
        if reads is None or _read_besides(site):
            return
        stop = site.source.offset(*end_position(site.call.func))
        yield Edit(stop - len(ITEM.name), stop, "detach")
        for read in reads:
            yield from wrap_in_call(site.source, read, "float")


def _read_besides(site: Site) -> bool:
    """Whether the same step reads the same tensor in another call, too."""
    tensor = ast.dump(site.receiver)
    return any(ast.dump(other.receiver) == tensor for other in other_reads(site))
