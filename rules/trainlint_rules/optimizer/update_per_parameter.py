"""TRN607."""

from __future__ import annotations

import ast

from trainlint.analysis.effects.parameter_loops import ParameterLoop, parameter_loop
from trainlint.analysis.site import Site
from trainlint.analysis.syntax.names import last_name, nodes_in
from trainlint.analysis.tables.host_reads import CPU, ITEM
from trainlint.analysis.tables.optimizers import is_optimizer_class
from trainlint.analysis.tables.waits.device_copies import MOVES
from trainlint.contract.bases import LoopRule
from trainlint.contract.declared_rule import EACH_STEP, Match
from trainlint.contract.guard import guard
from trainlint.finding import Confidence, Heat
from trainlint.patterns import lazy
from trainlint.rule import Triggers
from trainlint_rules.optimizer.idioms.parameter_updates import ParameterUpdate, Update, update_of

_WORDS = {
    Update.AVERAGE: (
        "this code averages parameters",
        "average all at once with `AveragedModel` and `get_ema_multi_avg_fn`, or with `torch._foreach_lerp_`",
    ),
    Update.DESCENT: (
        "this optimizer updates parameters",
        "use an optimizer of `torch.optim`, or update all at once with `torch._foreach_mul_` and `torch._foreach_add_`",
    ),
    Update.GRADIENT: (
        "this code changes gradients",
        "change all at once with `torch._foreach_mul_` and `torch._foreach_add_`",
    ),
    Update.COPY: ("this copies parameters or gradients", "copy all at once with `torch._foreach_copy_`"),
    Update.NORM: (
        "this takes norms of parameters or gradients",
        "take all with `torch._foreach_norm`, or use the norm that `clip_grad_norm_` returns",
    ),
}
_NORMS = frozenset({".norm", "torch.norm", "torch.linalg.norm", "torch.linalg.vector_norm"})
_AVERAGES = lazy(r"(?i)ema|moving|average|polyak|soft_?update|momentum|target")
"""Functions that a training loop calls once in each step, even where the loop is not in sight."""
_MANY_KERNELS = 3
"""From this many operations for each parameter on, an optimizer of one's own is reported."""
_SLOW_WAYS = frozenset({"GatheredParameters", "summon_full_params", "full_tensor", "redistribute", *MOVES, CPU.name})


@guard
def has_foreach_way(site: Site) -> bool:
    """The function or its class also uses, or checks for, `_foreach_` functions."""
    function = site.function
    roots = [item.node for item in (function, function.owner if function else None) if item is not None]
    parts = (part for root in roots for part in nodes_in(root) if isinstance(part, ast.Attribute))
    return any(part.attr.startswith("_foreach_") for part in parts)


class UpdatePerParameter(LoopRule):
    """A Python loop in each step that updates parameters, their average or their gradients one by one

    ## Why
    Each operation on each tensor is a kernel of its own, and most parameters are so small that starting the kernel
    takes longer than its work: an average of a model of 300 parameters by `mul_` and `add_` is 600 kernels in each
    step. The `torch._foreach_` functions, which PyTorch's own optimizers and `torch.optim.swa_utils` use, take whole
    lists of tensors and start one kernel for dozens of them.

    The same holds for an optimizer of one's own, copies between two lists of parameters (as for float32 copies of
    half-precision weights), and norms taken one by one. Loops that only clear, clamp, scale or initialise are no
    finding. Confidence is low in optimizers with fewer than three operations for each parameter, and where each
    parameter is gathered or moved between devices on its way.

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

    ## Confirmed by
    As many `mul_` and `add_` kernels in the profile of a step as there are parameters, with gaps between them.

    ## Gain
    Kernels per step fall from a few for each parameter to a few for all. PyTorch's documentation calls the foreach
    implementation of its optimizers "typically faster than the for-loop implementation on CUDA" and makes it the
    default there. How much of the step that is was not measured here: nothing where the GPU is busy with few large
    parameters, and much where a model of many small ones waits for the CPU.

    ## References
    - `torch.optim`, the foreach implementations: https://docs.pytorch.org/docs/stable/optim.html#algorithms
    - Averages of weights: https://docs.pytorch.org/docs/stable/optim.html#weight-averaging-swa-and-ema
    """

    code = "TRN607"
    name = "update-per-parameter"
    also = Triggers(calls=frozenset(name.rpartition(".")[2] for name in _NORMS), callees=_NORMS)
    when = EACH_STEP | {Heat.UNKNOWN: Confidence.LIKELY}
    unless = (has_foreach_way,)
    message = "{does} one by one{often}"
    help = "{instead}"

    def found(self, site: Site) -> Match | None:
        """A loop over parameters whose body computes in place, copies between parameters or takes their norms."""
        in_comprehension = isinstance(site.node, ast.Call)
        loop = parameter_loop(site.file.outline, site.block if in_comprehension else site.loop, by_name=True)
        if loop is None or isinstance(loop.block.node, ast.comprehension) is not in_comprehension:
            return None
        update = update_of(loop)
        if update is None or not _runs_often(site, update) or _reads_norms(loop, update):
            return None
        of_optimizer = update.update is Update.AVERAGE and _in_optimizer(site)
        does, instead = _WORDS[Update.DESCENT if of_optimizer else update.update]
        calls = site.hot_calls if site.heat.heat.in_step else ()
        fields = {"does": does, "instead": instead}
        return Match(site.at(loop.iterated), _sure_to_cost(site, loop, update), fields, related=calls)


def _runs_often(site: Site, update: ParameterUpdate) -> bool:
    """Where no loop in sight says how often: an averaging function by its name."""
    is_average = update.update is Update.AVERAGE and site.function is not None
    named = is_average and site.function is not None and _AVERAGES.search(site.function.qualified_name)
    return site.heat.heat is not Heat.UNKNOWN or bool(named)


def _reads_norms(loop: ParameterLoop, update: ParameterUpdate) -> bool:
    """Whether each norm is read on the host, which TRN201 reports."""
    return update.update is Update.NORM and not _called(loop).isdisjoint({ITEM.name, "float"})


def _sure_to_cost(site: Site, loop: ParameterLoop, update: ParameterUpdate) -> Confidence:
    """How sure it is that nothing but habit speaks for a loop.

    Lists do not help where each parameter is gathered from other processes or moved between devices. An optimizer
    with few operations for each parameter is not rewritten for them.
    """
    if _called(loop) & _SLOW_WAYS:
        return Confidence.POSSIBLE
    if _in_optimizer(site):
        return Confidence.LIKELY if update.kernels >= _MANY_KERNELS else Confidence.POSSIBLE
    return Confidence.LIKELY if loop.by_name or site.heat.heat is Heat.UNKNOWN else Confidence.CERTAIN


def _called(loop: ParameterLoop) -> frozenset[str]:
    """The last names of what is called for each parameter."""
    return frozenset(
        last_name(part.func) for item in loop.body for part in nodes_in(item) if isinstance(part, ast.Call)
    )


def _in_optimizer(site: Site) -> bool:
    """Whether a loop stands in the class of an optimizer."""
    owner = site.file.graph.owner(site.block)
    return owner is not None and any(is_optimizer_class(last_name(base)) for base in owner.node.bases)
