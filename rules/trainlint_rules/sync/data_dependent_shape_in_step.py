"""TRN209."""

from __future__ import annotations

import ast

from trainlint.analysis.effects.reads import explicit_read
from trainlint.analysis.site import Site
from trainlint.analysis.syntax.names import last_name, position
from trainlint.analysis.syntax.uses import enclosing_nodes
from trainlint.analysis.tables.host_reads import SIZED_BY_DATA, WAITING_TO_HOST
from trainlint.contract.bases import CallRule
from trainlint.contract.declared_rule import EACH_STEP, Match
from trainlint.contract.guard import early_guard, guard
from trainlint.finding import Confidence, Heat
from trainlint.interpreter.machine.events import Happening
from trainlint.rule import Triggers
from trainlint.symptoms import Symptom
from trainlint_rules.sync.idioms.counted_shapes import SIZED, deciding_tensor, may_not_train, sure_of_wait
from trainlint_rules.sync.idioms.index_syncs import earlier_index_sync, index_sync, same_mask
from trainlint_rules.sync.idioms.reads.read_purposes import makes_text
from trainlint_rules.sync.idioms.reads.value_uses import ValueUse, counts_rows, use_of_value

TYPE_CHECKING = False
if TYPE_CHECKING:  # importing the run takes long, and a rule needs only its result
    from trainlint.interpreter.operations import Operation

_ALIKE = "indexes by the same mask"
_ONCE = "keep the shape (`torch.where`, a masked mean), or find the rows once: `rows = mask.nonzero().squeeze(1)`"
_DISTINCT = frozenset({"unique", "unique_consecutive"})
_ROWS = "use a mask or `torch.where`, or find the rows once per step for all uses"
_MARKED = "mark each value on the GPU and count the marks: `seen.index_fill_(0, x.flatten(), 1).sum()`"
_COUNTED = (
    "the CPU must know how many rows match: take a fixed number on the GPU (`topk`), or read one number for all uses"
)


@early_guard
def _makes_text(site: Site) -> bool:
    """The loop decodes tokens to text, which takes far longer."""
    return makes_text(site.file, site.block)


@guard
def _follows_another(site: Site) -> bool:
    """An earlier index of the same statement waits too."""
    return isinstance(site.node, ast.Subscript) and earlier_index_sync(site.file, site.node, site.place)


@guard
def _reported_at_first_index(site: Site) -> bool:
    """The finding about an earlier index by the same mask names this place too."""
    if not isinstance(site.node, ast.Subscript):
        return False
    others = same_mask(site.file, site.node, site.place)
    here = position(site.node)
    return any(
        isinstance(other.node, ast.Subscript) and position(other.node) < here and site.block.within(other.block)
        for other in others
    )


@guard
def _read_at_once(site: Site) -> bool:
    """The same expression copies the result to the CPU and waits anyway."""
    for node in enclosing_nodes(site.file, site.node, site.statement):
        if isinstance(node, ast.Attribute) and node.attr in WAITING_TO_HOST:
            return True
        if not isinstance(node, (ast.Attribute, ast.Call, ast.Subscript)):
            return False
        if isinstance(node, ast.Call) and not isinstance(node.func, ast.Attribute):
            return False
    return False


class DataDependentShapeInStep(CallRule):
    """A shape that the device's data decide, in each training step.

    ## Why
    The host must know each tensor's shape before it can queue the next kernel. What `x[mask]` gives has as many rows as
    the mask has hits, and only the device knows how many: the host waits for it. So it is with `nonzero`,
    `torch.where(condition)`, `masked_select`, `unique`, `bincount`, `one_hot` without `num_classes` and
    `repeat_interleave` by a tensor; and `x[start:end]` with bounds on the device reads each of them, as
    `rows[index]` of a list does with a device scalar.

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

    A weight of zero does not hide an infinite loss: use `torch.where(known, losses, 0)` where there may be one. Where
    the shape is known some other way, say it: `nonzero_static(size=...)`, `one_hot(..., num_classes=...)`,
    `repeat_interleave(..., output_size=...)`. Where few rows of many are kept and much work follows on them, the wait
    may be worth it.

    ## Confirmed by
    `trainlint probe` counts the waits at this line, and tells from a trace of a GPU what a step gains without them.
    `aten::nonzero`, `aten::_unique2` or `aten::_local_scalar_dense` with a stream synchronisation at this line in
    each step of a profile.

    ## Gain
    What one wait costs is the host's lead over the device: the kernels that it had queued. That is much where a step
    is short or made of many small kernels, and nothing where the device is busy for hundreds of milliseconds anyway,
    or where the step waits for something else in any case. Not measured here: the probe is to say it for a run.

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
    on = (*sorted(SIZED_BY_DATA), *sorted(SIZED), "where")
    also = Triggers(subscripts=True)
    when = EACH_STEP | {Heat.UNKNOWN: Confidence.LIKELY}
    unless = (_makes_text, may_not_train, _follows_another, _read_at_once, _reported_at_first_index)
    message = "`{what}` has a data-dependent shape and forces a GPU sync{often}"
    help = "use a mask or `torch.where`"

    def of_operation(self, site: Site, operation: Operation) -> Match:
        """A shape that the device decides, or a bound that lies there."""
        return Match(site, fields={"what": site.text()}, help=_instead(site, operation.happening))

    def found(self, site: Site) -> Match | None:
        """A call whose result's size lies on the device, or an index that the host must read."""
        if isinstance(site.node, ast.Subscript):
            return _indexed(site, site.node)
        tensor = deciding_tensor(site)
        value = site.value(tensor) if tensor is not None else None
        if value is None or not (value.on_device and explicit_read(value, site.file.device)):
            return None
        name = last_name(site.call.func)
        instead = _instead_of_call(site, name)
        return Match(site, sure_of_wait(site, explicit_read(value, site.file.device)), {"what": name}, help=instead)


def _instead(site: Site, happening: Happening) -> str | None:
    """What to do instead of an operation."""
    if isinstance(site.node, ast.Call):
        return _instead_of_call(site, last_name(site.call.func))
    if happening is Happening.MASK_INDEX and isinstance(site.node, ast.Subscript):
        return _COUNTED if counts_rows(site, site.node) else _ONCE
    return None


def _instead_of_call(site: Site, name: str) -> str | None:
    """Help for a call by what becomes of its result; None where nothing special is known of that."""
    if name in SIZED:
        return f"pass `{SIZED[name][0]}=...`"
    if counts_rows(site, site.call):
        return _MARKED if name in _DISTINCT else _COUNTED
    return _ROWS if use_of_value(site, site.call) is ValueUse.RETURNED else None


def _indexed(site: Site, node: ast.Subscript) -> Match | None:
    """An index that the host must read."""
    index = index_sync(site.file, node, site.block, site.statement)
    if index is None:
        return None
    counted = index.mask is not None and counts_rows(site, node)
    others = [other.node for other in same_mask(site.file, node, site.place)]
    once = bool(others) and index.mask is not None and not counted
    return Match(
        site,
        sure_of_wait(site, index.confidence),
        message=f"{index.how}{{often}}",
        help=_COUNTED if counted else _ONCE if once else index.instead,
        related=tuple(site.related(other, _ALIKE) for other in others if isinstance(other, ast.Subscript)),
    )
