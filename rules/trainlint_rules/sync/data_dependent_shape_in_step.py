"""TRN209."""

from __future__ import annotations

import ast
import re

from trainlint.analysis.conditions.questions import runs_where_missing
from trainlint.analysis.effects.forward import computes
from trainlint.analysis.effects.reads import explicit_read
from trainlint.analysis.site import Site
from trainlint.analysis.syntax.names import argument, has_unpacked_arguments, last_name
from trainlint.contract.bases import CallRule
from trainlint.contract.confidence import doubted, level
from trainlint.contract.declared_rule import EACH_STEP, Match
from trainlint.contract.guard import guard
from trainlint.finding import Confidence, Heat
from trainlint.patterns import lazy
from trainlint.rule import Triggers
from trainlint.symptoms import Symptom
from trainlint_rules.sync.idioms.index_syncs import earlier_index_sync, index_sync
from trainlint_rules.sync.idioms.read_purposes import makes_text

_CALLS = frozenset({"nonzero", "argwhere", "masked_select", "unique", "unique_consecutive", "bincount"})
_SIZED = {"repeat_interleave": ("output_size", 1), "one_hot": ("num_classes", 0)}
"""Calls that may be told the size: by which argument, and where the tensor stands that decides it otherwise."""
_MAKES_RESULTS = lazy(r"inference|predict|generate|post_?process|(^|_)infer($|_)", re.IGNORECASE)
"""Functions that a forward pass calls when it does not train."""


@guard("the loop makes text of tokens, which takes far longer", before_found=True)
def _makes_text(site: Site) -> bool:
    return makes_text(site.file, site.block)


@guard("it runs at an unknown frequency, and not in a forward pass or loss that trains", before_found=True)
def _may_not_train(site: Site) -> bool:
    if site.heat.heat.in_step:
        return False
    makes_results = site.function is not None and _MAKES_RESULTS.search(site.function.name)
    return bool(makes_results) or runs_where_missing(site.conditions) or not computes(site.file, site.block)


@guard("an earlier index of the same statement waits as well")
def _follows_another(site: Site) -> bool:
    return isinstance(site.node, ast.Subscript) and earlier_index_sync(site.file, site.node, site.place)


class DataDependentShapeInStep(CallRule):
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
    confirmed_by = frozenset({Symptom.HOST_SYNC})
    on = (*_CALLS, *_SIZED, "where")
    also = Triggers(subscripts=True)
    when = EACH_STEP | {Heat.UNKNOWN: Confidence.LIKELY}
    unless = (_makes_text, _may_not_train, _follows_another)
    message = "`{what}` has a data-dependent shape and forces a GPU sync{often}"
    help = "use a mask or `torch.where`"

    def found(self, site: Site) -> Match | None:
        """A call whose result's size lies on the device, or an index that the host must read."""
        if isinstance(site.node, ast.Subscript):
            index = index_sync(site.file, site.node, site.block, site.statement)
            if index is None:
                return None
            return Match(site, _sure(site, index.confidence), message=f"{index.how}{{often}}", help=index.instead)
        tensor = _deciding(site.call, _given(site))
        value = site.value(tensor) if tensor is not None else None
        if value is None or not (value.on_device and explicit_read(value, site.file.device)):
            return None
        name = last_name(site.call.func)
        instead = f"pass `{_SIZED[name][0]}=...`" if name in _SIZED else None
        return Match(site, _sure(site, explicit_read(value, site.file.device)), {"what": name}, help=instead)


def _sure(site: Site, known: float) -> Confidence:
    """How sure a wait is: by what is known of the tensor, and by whether a training loop is in sight."""
    return min(level(known), doubted(site.heat.heat is Heat.UNKNOWN, level(known) < Confidence.CERTAIN))


def _given(site: Site) -> list[ast.expr]:
    """What a function of torch, or a method together with its tensor, is given; nothing for other calls."""
    origin = site.origin(site.call.func)
    if has_unpacked_arguments(site.call) or (origin is not None and not origin.startswith("torch.")):
        return []
    if origin is not None:
        return site.call.args
    return [site.receiver, *site.call.args] if isinstance(site.call.func, ast.Attribute) else []


def _deciding(call: ast.Call, given: list[ast.expr]) -> ast.expr | None:
    """The tensor whose values decide the shape; None where the call says the shape itself."""
    name = last_name(call.func)
    if not given or (name == "where" and (given != call.args or len(given) != 1 or call.keywords)):
        return None
    if name not in _SIZED:
        return given[0]
    option, place = _SIZED[name]
    if argument(call, option) is not None or (name == "one_hot" and len(given) > 1):
        return None
    return argument(call, "repeats") or given[min(place, len(given) - 1)]
