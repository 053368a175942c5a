"""TRN607."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from functools import partial

from trainlint.analysis.conditions.interval_lengths import interval_length
from trainlint.analysis.conditions.subjects import Subject, asks_about
from trainlint.analysis.effects.parameter_loops import ParameterLoop, parameter_loop
from trainlint.analysis.site import Site
from trainlint.analysis.syntax.blocks import Block
from trainlint.analysis.syntax.names import last_name, nodes_in
from trainlint.analysis.tables.optimizers import is_optimizer_class
from trainlint.finding import Finding, Fix, Heat, Safety, Severity
from trainlint.patterns import lazy
from trainlint.rule import IN_STEP, Rule, Triggers
from trainlint_rules.optimizer.idioms.parameter_updates import ParameterUpdate, Update, update_of

_AVERAGES = lazy(r"ema|moving|average|polyak|soft_?update|momentum|target", re.IGNORECASE)
"""Functions that a training loop calls once in each step, even where the loop is not in sight."""
_LONGEST_INTERVAL = 4
"""What runs more seldom than each so many steps costs little."""
_GATHERS = frozenset({"GatheredParameters", "summon_full_params", "full_tensor", "redistribute"})
_MOVES = frozenset({"to", "cpu", "cuda"})
_WHAT = {
    Update.AVERAGE: "this averages parameters one by one",
    Update.DESCENT: "this is an optimizer that updates parameters one by one",
    Update.GRADIENT: "this changes gradients one by one",
}
_CURE = {
    Update.AVERAGE: "`torch._foreach_lerp_`, or `torch.optim.swa_utils.AveragedModel` with `get_ema_multi_avg_fn`, "
    "does it for all of them at once",
    Update.DESCENT: "an optimizer of `torch.optim`, or `torch._foreach_add_`, does it for all of them at once",
    Update.GRADIENT: "`torch._foreach_mul_` and its kin do it for all of them at once",
}


class UpdatePerParameter(Rule):
    """A Python loop in each step that updates parameters, their average or their gradients one by one

    ## Why
    Each operation on each tensor is a kernel of its own, and most parameters are so small that starting the kernel
    takes longer than its work: an average of a model of 300 parameters by `mul_` and `add_` is 600 kernels in each
    step. The `torch._foreach_` functions, which PyTorch's own optimizers and `torch.optim.swa_utils` use, take whole
    lists of tensors and start one kernel for dozens of them.

    ## Example
    ```python
    import torch


    @torch.no_grad()
    def update_average(average, model, decay=0.999):
        for averaged, parameter in zip(average.parameters(), model.parameters()):
            averaged.mul_(decay).add_(parameter, alpha=1 - decay)


    def train(model, average, criterion, optimizer, train_loader):
        for inputs, targets in train_loader:
            loss = criterion(model(inputs), targets)
            optimizer.zero_grad()
            loss.backward()
            optimizer.step()
            update_average(average, model)
    ```

    ## Use instead
    ```python
    import torch


    @torch.no_grad()
    def update_average(average, model, decay=0.999):
        averaged_list = list(average.parameters())
        parameter_list = list(model.parameters())
        torch._foreach_mul_(averaged_list, decay)
        torch._foreach_add_(averaged_list, parameter_list, alpha=1 - decay)


    def train(model, average, criterion, optimizer, train_loader):
        for inputs, targets in train_loader:
            loss = criterion(model(inputs), targets)
            optimizer.zero_grad()
            loss.backward()
            optimizer.step()
            update_average(average, model)
    ```

    With `torch.optim.swa_utils.AveragedModel(model, multi_avg_fn=get_ema_multi_avg_fn(decay))` PyTorch keeps the copy
    and averages it in this way; it is public API, while the `_foreach_` functions carry an underscore. They ask for
    tensors of one device and one data type each, else they fall back to a loop.

    ## Stays silent
    For loops that copy, clear, clamp or initialise; behind an interval, in set-up; where the function also has a
    `_foreach_` way. Quietly, below the default confidence: in classes of optimizers, whose algorithm nobody rewrites
    in passing; where each parameter is gathered or moved between devices on its way.

    ## Fix safety
    The fix is offered for averages by `mul_` and `add_`, or by `lerp_`, of two lists. It computes the same, but with
    functions whose names carry an underscore: they may change between versions of PyTorch. Weights that are spread
    over processes are not gathered by them, and two lists of different length are an error instead of cut to the
    shorter one.

    ## Confirmed by
    As many `mul_` and `add_` kernels in the profile of a step as there are parameters, with gaps between them.

    ## Gain
    Kernels per step fall from a few for each parameter to a few for all. PyTorch's documentation calls the foreach
    implementation of its optimizers "typically faster than the for-loop implementation on CUDA" and makes it the
    default there. How much of the step that is was not measured here: nothing where the device is busy with few large
    parameters, and much where a model of many small ones waits for the host.

    ## References
    - `torch.optim`, the foreach implementations: https://docs.pytorch.org/docs/stable/optim.html#algorithms
    - Averages of weights: https://docs.pytorch.org/docs/stable/optim.html#weight-averaging-swa-and-ema
    """

    code = "TRN607"
    name = "update-per-parameter"
    severity = Severity.WARNING
    fix_safety = Safety.UNSAFE
    triggers = Triggers(loops=True, heats=IN_STEP | {Heat.UNKNOWN})

    def check(self, site: Site) -> Iterator[Finding]:
        """Find loops over parameters whose body computes in place, in each step."""
        if not isinstance(site.node, ast.For):
            return
        loop = parameter_loop(site.file.outline, site.file.outline.loop_blocks[site.node], by_name=True)
        update = update_of(loop) if loop is not None else None
        if loop is None or update is None or _has_a_foreach_way(site, site.block):
            return
        confidence = _confidence(site, loop, update)
        if confidence:
            yield self.finding(
                site,
                f"{_WHAT[update.update]}, {_kernels(update)} for each in every step; {_CURE[update.update]}",
                at=site.node.iter,
                confidence=confidence,
                fix=partial(_fix, site, site.node),
            )


def _fix(site: Site, loop: ast.For) -> Fix | None:
    from trainlint.fixing.foreach import foreach_average
    from trainlint.fixing.rewrite import attempt

    return attempt(
        lambda: Fix("Average all at once", foreach_average(site.source, site.file.tree, loop), Safety.UNSAFE)
    )


def _kernels(update: ParameterUpdate) -> str:
    return "a kernel" if update.kernels == 1 else f"{update.kernels} kernels"


def _confidence(site: Site, loop: ParameterLoop, update: ParameterUpdate) -> float:
    heat = site.heat.heat
    if heat in (Heat.STEP, Heat.INNER):
        sure = 0.9
    elif heat is Heat.UNKNOWN and update.update is Update.AVERAGE and _AVERAGES.search(_where(site)):
        sure = 0.8
    else:
        return 0.0
    steps = interval_length(site.conditions)
    if steps is None or steps > _LONGEST_INTERVAL:
        return 0.0
    if _is_in_optimizer(site) or _passes_through(site, loop) or (loop.by_name and _defines_optimizer(site)):
        return 0.5
    return sure - 0.1 if loop.by_name else sure


def _where(site: Site) -> str:
    function = site.function
    return function.qualified_name if function is not None else ""


def _is_in_optimizer(site: Site) -> bool:
    owner = site.file.graph.owner(site.block)
    return owner is not None and any(is_optimizer_class(last_name(base)) for base in owner.node.bases)


def _defines_optimizer(site: Site) -> bool:
    classes = site.file.outline.classes.values()
    return any(is_optimizer_class(last_name(base)) for cls in classes for base in cls.node.bases)


def _passes_through(site: Site, loop: ParameterLoop) -> bool:
    """Whether each parameter is brought together from other processes or devices before it is used."""
    names = {last_name(part.func) for part in nodes_in(loop.block.node) if isinstance(part, ast.Call)}
    return bool(names & (_GATHERS | _MOVES))


def _has_a_foreach_way(site: Site, block: Block) -> bool:
    """Whether the function, or its class, uses the functions for lists of tensors too."""
    function = site.function
    owner = function.owner if function is not None else None
    roots = [item for item in (function.node if function is not None else None, owner and owner.node) if item]
    if any(
        isinstance(part, ast.Attribute) and part.attr.startswith("_foreach_")
        for root in roots
        for part in nodes_in(root)
    ):
        return True
    return asks_about(block, Subject.FOREACH)
