"""TRN607."""

from __future__ import annotations

import ast
from collections.abc import Iterable

from trainlint.analysis.effects.parameter_loops import parameter_loop
from trainlint.analysis.site import Site
from trainlint.contract.bases import LoopRule
from trainlint.contract.declared_rule import EACH_STEP, Match
from trainlint.finding import Confidence, Edit, Heat, Safety
from trainlint_rules.optimizer.idioms.parameter_updates import Update, update_of
from trainlint_rules.optimizer.idioms.slow_updates import (
    has_foreach_way,
    seldom_enough,
    sure_to_cost,
    unknown_and_no_average,
)

_WORDS = {
    Update.AVERAGE: (
        "this averages parameters",
        "average all at once with `AveragedModel` and `get_ema_multi_avg_fn`, or with `torch._foreach_lerp_`",
    ),
    Update.DESCENT: (
        "this optimizer updates parameters",
        "use an optimizer of `torch.optim`, or update all at once with `torch._foreach_add_`",
    ),
    Update.GRADIENT: ("this changes gradients", "change all at once with `torch._foreach_mul_` or the like"),
}


class UpdatePerParameter(LoopRule):
    """A Python loop in each step that updates parameters, their average or their gradients one by one

    ## Why
    Each operation on each tensor is a kernel of its own, and most parameters are so small that starting the kernel
    takes longer than its work: an average of a model of 300 parameters by `mul_` and `add_` is 600 kernels in each
    step. The `torch._foreach_` functions, which PyTorch's own optimizers and `torch.optim.swa_utils` use, take whole
    lists of tensors and start one kernel for dozens of them.

    Loops that only copy, clear, clamp or initialise are no finding. Confidence is low in classes of optimizers, whose
    algorithm nobody rewrites in passing, and where each parameter is gathered or moved between devices on its way.

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
    when = EACH_STEP | {Heat.UNKNOWN: Confidence.LIKELY}
    unless = (unknown_and_no_average, has_foreach_way, seldom_enough)
    message = "{does} one by one, with {kernels} for each{often}"
    help = "{instead}"
    fix_title = "Average all at once"
    fix_safety = Safety.UNSAFE

    def found(self, site: Site) -> Match | None:
        """A loop over parameters whose body computes in place."""
        loop = parameter_loop(site.file.outline, site.loop, by_name=True)
        update = update_of(loop) if loop is not None else None
        if loop is None or update is None or not isinstance(site.node, ast.For):
            return None
        does, instead = _WORDS[update.update]
        kernels = "a kernel" if update.kernels == 1 else f"{update.kernels} kernels"
        fields = {"does": does, "kernels": kernels, "instead": instead}
        return Match(site.at(site.node.iter), sure_to_cost(site, loop), fields)

    def edits(self, site: Site, match: Match) -> Iterable[Edit]:
        """An average by `mul_` and `add_`, or by `lerp_`, of two lists."""
        from trainlint.fixing.foreach import foreach_average

        if isinstance(site.node, ast.For):
            yield from foreach_average(site.source, site.file.tree, site.node)
