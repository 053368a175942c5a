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
    """`.item()` of a GPU tensor in each training step.

    ## Why
    `.item()` copies one number to the CPU, and the CPU waits until the GPU has computed it. Meanwhile no further kernel
    is queued, so the GPU has nothing to do when it is done. This costs much where steps are short or made of many small
    kernels, and little where a step takes hundreds of milliseconds.

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

    The sum stays on the GPU and is read once, after the loop. Or read the value only every n-th step.

    - Progress bars: `set_postfix` reads the value at each call; tqdm's `mininterval` and `miniters` delay the drawing,
      not the read. Update the bar every n-th step.
    - Norms: a loop that reads the norm of each parameter waits some 150 times a step for a ResNet-50.
      `clip_grad_norm_(parameters, float("inf"))` returns the norm of all gradients as one tensor and clips nothing. For
      anything else, collect the results on the GPU (`torch._foreach_norm`, `torch.stack`) and read them once.
    - Meters: a meter that calls `.item()` on tensors costs nothing for numbers. Sum on the GPU, and give the meter the
      sum every n-th step.

    ## Fix safety
    The running sum becomes a float32 tensor instead of a Python float, which has double precision, so the printed value
    may differ in its last digits. The fix is offered only where all reads of the sum stand outside of the step.

    ## Confirmed by
    `trainlint probe` counts the reads at this line. On a GPU it also tells from a trace what a step gains without them.
    In a profile: `aten::_local_scalar_dense` with a stream synchronisation at this line in each step, and an idle GPU
    right after it.

    ## Gain
    One wait costs the time by which the CPU was ahead of the GPU. That is much where a step is short or made of many
    small kernels. It is nothing where the GPU is busy for hundreds of milliseconds anyway, or where the step has
    another wait close by. Not measured here; `trainlint probe` measures it on your run.

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
