"""TRN208."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator

from trainlint.analysis.conditions.branches import is_branch
from trainlint.analysis.conditions.questions import runs_where_missing
from trainlint.analysis.site import Site
from trainlint.analysis.syntax.blocks import Block
from trainlint.analysis.syntax.names import argument, constant, has_unpacked_arguments, last_name, nodes_in, position
from trainlint.analysis.syntax.reaching import reaching, single_value
from trainlint.analysis.tables.host_reads import ITEM
from trainlint.analysis.types.values import Home, Kind
from trainlint.finding import Finding, Severity
from trainlint.patterns import lazy
from trainlint.rule import IN_STEP, Rule, Triggers
from trainlint.symptoms import Symptom
from trainlint_rules.sync.idioms.following_reads import read_follows

_SURELY_HOT = 0.8
"""Below, the way from the step to this line is a guess: helpers that upload a number are mostly called now and then."""
_STEP_COUNTS = frozenset({"step", "steps", "step_t", "state_step"})
_SEVERAL = lazy(r"\b(list|tuple|sequence|iterable|ndarray)\b", re.IGNORECASE)
_REDUCTIONS = frozenset({"sum", "max", "min", "mean", "any", "all", ITEM.name})


class ScalarUploadedEachStep(Rule):
    """A Python number copied to the device as a tensor in each training step

    ## Why
    `torch.tensor(0.5, device=device)` makes the tensor on the host and copies it from memory that is not pinned, and
    the host waits for the copy, for four bytes. Operators take a Python number as it is, in the launch of the kernel.

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
    device=device)` fills it on the device: a kernel is queued and nothing is copied.

    ## Stays silent
    Outside of training steps; behind an interval, a first call or a failure; for lists of numbers and arrays, which
    need the copy; for tensors on the host, as an optimizer's count of steps mostly is; where the host waits in any
    case, since it has just read that number from the device, or reads the device right after. Where the tensor is made
    on the host and moved by another call, TRN207 speaks.

    ## Confirmed by
    `trainlint probe` counts and times `to` and `cuda` at this line; `torch.tensor` shows in a trace with Python stacks
    alone. A `Memcpy HtoD (Pageable -> Device)` of a few bytes with a stream synchronisation at this line in each step
    of a profile.

    ## Gain
    One copy and one wait in each step. Not measured here; small beside a long step, and nothing where the step waits
    right there in any case.

    ## References
    - PyTorch performance tuning guide, "Create tensors directly on the target device":
      https://docs.pytorch.org/tutorials/recipes/recipes/tuning_guide.html
    - `torch.full`: https://docs.pytorch.org/docs/stable/generated/torch.full.html
    """

    code = "TRN208"
    name = "scalar-uploaded-each-step"
    severity = Severity.WARNING
    confirmed_by = frozenset({Symptom.HOST_TO_DEVICE})
    triggers = Triggers(calls=frozenset({"tensor", "as_tensor", "scalar_tensor"}), heats=IN_STEP)

    def check(self, site: Site) -> Iterator[Finding]:
        """Find tensors made of one number on the device, in each step."""
        if not site.heat.heat.in_step or not _uploads(site) or runs_where_missing(site.conditions):
            return
        if isinstance(site.statement, ast.Return) and is_branch(site.block, early_exits=False):
            return  # what a loss is where there is nothing to compare
        number = site.call.args[0]
        if _was_read(number, site.block) or _may_be_several(number, site.block):
            return
        if read_follows(site.file, site.place, itself=True):
            return  # the host waits there in any case
        sure = site.heat.confidence >= _SURELY_HOT
        confidence = _is_number(site, number) if sure else 0.0
        if confidence:
            message = (
                "a Python number is copied to the device in each training step, and the host waits for the copy; "
                "use the number itself, or fill it there: `torch.full((), number, device=...)`"
            )
            yield self.finding(site, message, confidence=confidence)


def _uploads(site: Site) -> bool:
    """Whether a call makes a tensor on the device of what it is given, other than an optimizer's count of steps."""
    call = site.call
    if has_unpacked_arguments(call) or not call.args:
        return False
    if site.origin(call.func) not in ("torch.tensor", "torch.as_tensor"):
        return False
    device = argument(call, "device")
    if device is None or _is_step_count(device):
        return False
    return site.file.kinds.device_argument(call, site.block) is Home.DEVICE


def _is_number(site: Site, node: ast.expr) -> float:
    """How sure it is that an expression is one Python number."""
    if isinstance(node, ast.List | ast.Tuple) and len(node.elts) == 1:
        return _is_number(site, node.elts[0])
    if isinstance(constant(node), int | float):
        return 0.9
    value = site.value(node)
    return 0.85 * value.confidence if value.kind is Kind.NUMBER else 0.0


def _is_step_count(device: ast.expr) -> bool:
    """Whether a device is that of an optimizer's count of steps, which is on the host but for captured graphs."""
    return isinstance(device, ast.Attribute) and last_name(device.value) in _STEP_COUNTS


def _may_be_several(number: ast.expr, block: Block) -> bool:
    """Whether a number is a parameter whose annotation allows a list of them, too."""
    return isinstance(number, ast.Name) and any(
        isinstance(item.node, ast.arg)
        and item.node.annotation is not None
        and _SEVERAL.search(ast.unparse(item.node.annotation)) is not None
        for item in reaching(number.id, block, position(number))
    )


def _was_read(number: ast.expr, block: Block) -> bool:
    """Whether a number is the result of a reduction that the host has just read: `int(mask.sum())`."""
    made = single_value(number, block) or number
    return any(
        isinstance(call, ast.Call)
        and isinstance(call.func, ast.Name)
        and call.func.id in ("int", "float", "bool")
        and any(
            isinstance(item, ast.Call) and isinstance(item.func, ast.Attribute) and item.func.attr in _REDUCTIONS
            for item in call.args
        )
        for call in nodes_in(made)
    )
