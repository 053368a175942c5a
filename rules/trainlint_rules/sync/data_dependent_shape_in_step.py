"""TRN209."""

from __future__ import annotations

import ast

from trainlint.analysis.site import Site
from trainlint.analysis.syntax.names import last_name
from trainlint.contract.declared_rule import Match
from trainlint.contract.operation_rule import OperationRule
from trainlint.interpreter.machine.events import Happening
from trainlint.symptoms import Symptom

TYPE_CHECKING = False
if TYPE_CHECKING:  # importing the run takes long, and a rule needs only its result
    from trainlint.interpreter.operations import Operation

_SIZES = {"repeat_interleave": "output_size", "one_hot": "num_classes"}
"""Calls that may be told the size, and by which argument."""
_ONCE = "keep the shape (`torch.where`, a masked mean), or find the rows once: `rows = mask.nonzero().squeeze(1)`"
_BOUND = "`{text}` is a bound that the CPU reads from the GPU{often}, and forces a sync"
_BOUNDS_ONCE = "read all bounds once (`bounds.tolist()`), or keep them on the CPU"
_MARKED = "mark each value on the GPU and count the marks: `seen.index_fill_(0, x.flatten(), 1).sum()`"


class DataDependentShapeInStep(OperationRule):
    """A shape that depends on the values of a GPU tensor, in each training step.

    ## Why
    The CPU must know the shape of each tensor before it can queue the next kernel. `x[mask]` has as many rows as the
    mask has true values, and only the GPU knows how many, so the CPU waits. The same holds for `nonzero`,
    `torch.where(condition)`, `masked_select`, `unique`, `bincount`, `one_hot` without `num_classes`, and
    `repeat_interleave` by a tensor. The CPU also reads bounds and indices that are on the GPU: `x[start:end]`, and
    `rows[index]` of a list.

    ## Example
    ```python
    import torch
    import torch.nn.functional as F


    def train(model, optimizer, train_loader, device):
        for inputs, targets in train_loader:
            inputs = inputs.to(device, non_blocking=True)
            targets = targets.to(device, non_blocking=True)
            losses = F.cross_entropy(model(inputs), targets, reduction="none")
            known = targets != 0
            loss = losses[known].mean()
            optimizer.zero_grad()
            loss.backward()
            optimizer.step()
    ```

    ## Use instead
    ```python
    import torch
    import torch.nn.functional as F


    def train(model, optimizer, train_loader, device):
        for inputs, targets in train_loader:
            inputs = inputs.to(device, non_blocking=True)
            targets = targets.to(device, non_blocking=True)
            losses = F.cross_entropy(model(inputs), targets, reduction="none")
            known = targets != 0
            loss = (losses * known).sum() / known.sum()
            optimizer.zero_grad()
            loss.backward()
            optimizer.step()
    ```

    A weight of zero does not remove an infinite loss: use `torch.where(known, losses, 0)` where there may be one. Where
    you know the size, pass it: `nonzero_static(size=...)`, `one_hot(..., num_classes=...)`, `repeat_interleave(...,
    output_size=...)`. Where few of many rows are kept and much work follows on them, the wait may be worth it.

    ## Confirmed by
    `trainlint probe` counts the waits at this line. On a GPU it also tells from a trace what a step gains without them.
    In a profile: `aten::nonzero`, `aten::_unique2` or `aten::_local_scalar_dense` with a stream synchronisation at this
    line in each step.

    ## Gain
    One wait costs the time by which the CPU was ahead of the GPU. That is much where a step is short or made of many
    small kernels. It is nothing where the GPU is busy for hundreds of milliseconds anyway, or where the step has
    another wait close by. Not measured here; `trainlint probe` measures it on your run.

    ## References
    - `torch.nonzero`, "causes host-device synchronization":
      https://docs.pytorch.org/docs/stable/generated/torch.nonzero.html
    - `torch.repeat_interleave`, `output_size`:
      https://docs.pytorch.org/docs/stable/generated/torch.repeat_interleave.html
    """

    code = "TRN209"
    name = "data-dependent-shape-in-step"
    happenings = frozenset({Happening.SIZED, Happening.MASK_INDEX, Happening.MASK_WRITE, Happening.BOUND})
    confirmed_by = frozenset({Symptom.HOST_SYNC})
    message = "`{text}` has a data-dependent shape and forces a GPU sync{often}"
    help = "keep the mask, as `torch.where(mask, x, y)` has a fixed shape; or find the rows once per step for all uses"

    def of_operation(self, site: Site, operation: Operation) -> Match:
        """A shape that the device decides, or a bound that lies there."""
        name = last_name(site.call.func) if isinstance(site.node, ast.Call) else ""
        if name in _SIZES:
            return Match(site, help=f"pass `{_SIZES[name]}=...`")
        if operation.happening is Happening.BOUND:
            return Match(site, message=_BOUND, help=_BOUNDS_ONCE)
        if operation.happening is Happening.MASK_INDEX:
            return Match(site, help=_ONCE)
        return Match(site, help=_MARKED if name.startswith("unique") else None)
