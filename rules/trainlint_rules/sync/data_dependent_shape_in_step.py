"""TRN209."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator

from trainlint.analysis.conditions.questions import runs_where_missing
from trainlint.analysis.effects.forward import computes
from trainlint.analysis.effects.reads import explicit_read
from trainlint.analysis.site import Site
from trainlint.analysis.syntax.names import argument, has_unpacked_arguments, last_name
from trainlint.analysis.syntax.uses import own_nodes
from trainlint.analysis.tables.host_reads import SIZED_BY_DATA
from trainlint.finding import Finding, Heat, Severity
from trainlint.patterns import lazy
from trainlint.rule import IN_STEP, Rule, Triggers
from trainlint.symptoms import Symptom
from trainlint_rules.sync.idioms.index_syncs import index_sync
from trainlint_rules.sync.idioms.read_purposes import makes_text

_CALLS = SIZED_BY_DATA | {"where", "repeat_interleave", "one_hot"}
_MAKES_RESULTS = lazy(r"inference|predict|generate|post_?process|(^|_)infer($|_)", re.IGNORECASE)
"""Functions that a forward pass calls when it does not train."""
_COMPUTING = 0.8
"""How sure it is that a forward pass or a loss runs in each step, where no loop is in sight."""


class DataDependentShapeInStep(Rule):
    """A shape that the device's data decide, in each training step.

    ## Why
    The host must know each tensor's shape before it can queue the next kernel. What `x[mask]` gives has as many rows as
    the mask has hits, and only the device knows how many: the host waits for it. So it is with `nonzero`,
    `torch.where(condition)`, `masked_select`, `unique`, `bincount`, `one_hot` without `num_classes` and
    `repeat_interleave` by a tensor; and `x[start:end]` with bounds on the device reads each of them.

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

    ## Stays silent
    For `x[mask] = number`, which fills in place; for indices that are whole numbers, `torch.where` with three
    arguments, masks and lists on the host; in evaluation and at intervals; where tokens become text. A device
    scalar that is turned into a number is TRN201 or TRN203.

    ## Confirmed by
    `trainlint probe` counts and times `nonzero`, `unique` and `masked_select` at this line, and tells from a trace
    of a GPU what a step gains without them; a boolean mask shows on a GPU alone, in the steps after the window.
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
    severity = Severity.WARNING
    confirmed_by = frozenset({Symptom.HOST_SYNC})
    triggers = Triggers(calls=_CALLS, subscripts=True, heats=IN_STEP | {Heat.UNKNOWN})

    def check(self, site: Site) -> Iterator[Finding]:
        """Find what asks for a shape or a bound that lies on the device, where it runs in each step."""
        often = _how_often(site)
        if not often or makes_text(site.file, site.block):
            return
        if isinstance(site.node, ast.Subscript):
            found = index_sync(site.file, site.node, site.block, site.statement)
            if found is None or _follows_another(site, site.node):
                return
            confidence, message = found.confidence, f"{found.how} in each training step; {found.instead}"
        else:
            confidence, instead = _called(site, site.call)
            message = (
                f"the shape of what `{last_name(site.call.func)}` gives depends on the data, so the host waits for the "
                f"device in each training step; {instead}"
            )
        if confidence:
            yield self.finding(site, message, confidence=confidence * often)


def _how_often(site: Site) -> float:
    """How sure it is that this place runs in each step; 0 where it does not."""
    heat = site.heat.heat
    if heat.in_step:
        return 1.0
    if heat is not Heat.UNKNOWN or runs_where_missing(site.conditions) or not computes(site.file, site.block):
        return 0.0
    function = site.function
    return 0.0 if function is not None and _MAKES_RESULTS.search(function.name) else _COMPUTING


def _follows_another(site: Site, node: ast.Subscript) -> bool:
    """Whether an earlier index of the same statement waits as well: one wait more is no second finding."""
    for other in own_nodes(site.statement):
        if isinstance(other, ast.Subscript) and other is not node and not isinstance(other.slice, ast.Constant):
            earlier = (other.lineno, other.col_offset, -(other.end_col_offset or 0)) < (
                node.lineno,
                node.col_offset,
                -(node.end_col_offset or 0),
            )
            if earlier and index_sync(site.file, other, site.block, site.statement) is not None:
                return True
    return False


def _called(site: Site, call: ast.Call) -> tuple[float, str]:
    """How sure it is that a call waits, and what to do instead."""
    origin = site.origin(call.func)
    given = call.args
    if origin is None:
        given = [call.func.value, *call.args] if isinstance(call.func, ast.Attribute) else []
    if not given or has_unpacked_arguments(call) or (origin is not None and not origin.startswith("torch.")):
        return 0.0, ""
    source, instead = _deciding(call, given, of_torch=origin is not None)
    value = site.value(source) if source is not None else None
    return (explicit_read(value, site.file.device) if value is not None and value.on_device else 0.0), instead


def _deciding(call: ast.Call, given: list[ast.expr], *, of_torch: bool) -> tuple[ast.expr | None, str]:
    """The tensor whose values decide the shape, None where the call says the shape itself; and what to do instead."""
    match last_name(call.func):
        case "where" if not of_torch or len(call.args) != 1 or call.keywords:
            return None, ""
        case "repeat_interleave":
            repeats = argument(call, "repeats") or given[1 if len(given) > 1 else 0]
            known = argument(call, "output_size") is not None
            return None if known else repeats, "pass `output_size=...` if the sum of the counts is known"
        case "one_hot":
            known = len(given) > 1 or argument(call, "num_classes") is not None
            return None if known else given[0], "pass `num_classes=...`"
        case _:
            return given[0], "keep the shape and weigh by a mask"
