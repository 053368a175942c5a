"""TRN607."""

from __future__ import annotations

import ast
from collections.abc import Iterable

from trainlint.analysis.effects.parameter_loops import parameter_loop
from trainlint.analysis.site import Site
from trainlint.contract.bases import LoopRule
from trainlint.contract.declared_rule import EACH_STEP, Match
from trainlint.finding import Confidence, Edit, Heat, Safety
from trainlint.rule import Triggers
from trainlint_rules.optimizer.idioms.parameter_updates import Update, update_of
from trainlint_rules.optimizer.idioms.slow_updates import (
    has_foreach_way,
    of_unknown_frequency,
    read_on_the_host,
    seldom_enough,
    sure_to_cost,
)

_WORDS = {
    Update.AVERAGE: (
        "this averages parameters",
        "average all at once with `AveragedModel` and `get_ema_multi_avg_fn`, or with `torch._foreach_lerp_`",
    ),
    Update.DESCENT: (
        "this optimizer updates parameters",
        "use an optimizer of `torch.optim`, or update all at once with {foreach}",
    ),
    Update.DECAY: (
        "this scales parameters",
        "scale all at once with {foreach}; `torch.optim.AdamW` decays weights in its own step",
    ),
    Update.GRADIENT: ("this changes gradients", "change all at once with {foreach}"),
    Update.CLEANED_GRADIENT: (
        "this replaces NaN and infinity in gradients",
        "concatenate the gradients, call `nan_to_num_` once and copy back with `torch._foreach_copy_`; or skip steps "
        "whose `clip_grad_norm_` is not finite",
    ),
    Update.COPY: ("this copies parameters or gradients", "copy all at once with {foreach}"),
    Update.NORM: (
        "this takes norms of parameters or gradients",
        "take all with `torch._foreach_norm`, or use the norm that `clip_grad_norm_` returns",
    ),
}
_NORMS = frozenset({".norm", "torch.norm", "torch.linalg.norm", "torch.linalg.vector_norm"})
_COUNTED = 4
"""More kernels than these are not counted in the message: some stand behind tests."""
_MOST_NAMES = 3
_FIRST_WITH_LERP = (2, 0)
_USUAL = ("_foreach_mul_", "_foreach_add_")
"""What is named where the loop's own operations have no such function."""


class UpdatePerParameter(LoopRule):
    """A Python loop in each step that updates parameters, their average or their gradients one by one

    ## Why
    Each operation on each tensor is a kernel of its own, and most parameters are so small that starting the kernel
    takes longer than its work: an average of a model of 300 parameters by `mul_` and `add_` is 600 kernels in each
    step. The `torch._foreach_` functions, which PyTorch's own optimizers and `torch.optim.swa_utils` use, take whole
    lists of tensors and start one kernel for dozens of them.

    The same holds for an optimizer of one's own, weight decay outside of the optimizer, copies between two lists of
    parameters (as for float32 copies of half-precision weights), NaN that is replaced in each gradient, and norms taken
    one by one. Loops that only clear, clamp or initialise are no finding. Confidence is low in optimizers with fewer
    than three operations for each parameter, and where each parameter is gathered or moved between devices on its way.

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
    also = Triggers(calls=frozenset(name.rpartition(".")[2] for name in _NORMS), callees=_NORMS)
    when = EACH_STEP | {Heat.UNKNOWN: Confidence.LIKELY}
    unless = (of_unknown_frequency, has_foreach_way, seldom_enough, read_on_the_host)
    message = "{does} one by one, with {kernels} for each{often}"
    help = "{instead}"
    fix_title = "Average all at once"
    fix_safety = Safety.UNSAFE
    fix_drops = frozenset({"parameters", "mul_", "add_", "mul", "add", "lerp_", "copy_"})

    def found(self, site: Site) -> Match | None:
        """A loop over parameters whose body computes in place, copies between parameters or takes their norms."""
        in_comprehension = isinstance(site.node, ast.Call)
        loop = parameter_loop(site.file.outline, site.block if in_comprehension else site.loop, by_name=True)
        if loop is None or isinstance(loop.block.node, ast.comprehension) is not in_comprehension:
            return None
        update = update_of(loop)
        if update is None:
            return None
        does, instead = _WORDS[update.update]
        counted = f"{update.kernels} kernels" if update.kernels <= _COUNTED else "several kernels"
        kernels = "a kernel" if update.kernels == 1 else counted
        named = (update.foreach or _USUAL)[:_MOST_NAMES]
        functions = " and ".join(f"`torch.{name}`" for name in named)
        fields = {"does": does, "kernels": kernels, "instead": instead.format(foreach=functions)}
        calls = site.hot_calls if site.heat.heat.in_step else ()
        needs = _FIRST_WITH_LERP if update.update is Update.AVERAGE else None
        sure = sure_to_cost(site, loop, update)
        return Match(site.at(loop.iterated), sure, fields, related=calls, fix_needs=needs)

    def edits(self, site: Site, match: Match) -> Iterable[Edit]:
        """An average by `mul_` and `add_`, or by `lerp_`, of two lists."""
        from trainlint.fixing.foreach import foreach_average

        if isinstance(site.node, ast.For):
            yield from foreach_average(site.source, site.file.tree, site.node)
