"""TRN312."""

from __future__ import annotations

from trainlint.analysis.site import Site
from trainlint.contract.bases import CallRule
from trainlint.contract.declared_rule import EACH_STEP, Match
from trainlint.finding import Confidence
from trainlint.symptoms import Symptom
from trainlint_rules.memory.idioms.copied_models import copies_loss_function, is_whole_model, trains_copies_by_design


class DeepcopyInTrainingStep(CallRule):
    """The model or its state is copied whole in each training step

    ## Why
    `copy.deepcopy` allocates all parameters once more and copies them one by one, a kernel each, behind Python's walk
    over every object of the model. Done in each step, this costs as much memory as the model itself, and time that
    grows with the number of parameters, for a copy that the next step throws away.

    ## Example
    ```python
    import copy


    def train(model, criterion, optimizer, loader, device):
        for inputs, targets in loader:
            inputs = inputs.to(device, non_blocking=True)
            targets = targets.to(device, non_blocking=True)
            before = copy.deepcopy(model.state_dict())
            loss = criterion(model(inputs), targets)
            optimizer.zero_grad()
            loss.backward()
            optimizer.step()
        return before
    ```

    ## Use instead
    ```python
    import torch


    def train(model, criterion, optimizer, loader, device):
        before = [weight.detach().clone() for weight in model.parameters()]
        for inputs, targets in loader:
            inputs = inputs.to(device, non_blocking=True)
            targets = targets.to(device, non_blocking=True)
            torch._foreach_copy_(before, [weight.detach() for weight in model.parameters()])
            loss = criterion(model(inputs), targets)
            optimizer.zero_grad()
            loss.backward()
            optimizer.step()
        return before
    ```

    For an average of the weights, `torch.optim.swa_utils.AveragedModel` keeps one copy and updates it in place.

    ## Confirmed by
    `trainlint probe` times the copy at this line; on an accelerator it counts it only. Else allocated memory rises
    by the size of the model in each step, with a copy kernel for each parameter.

    ## Gain
    One allocation and one kernel for each parameter in each step, and the memory of one model; not measured here.
    Nothing where steps take seconds and the model is small.

    ## References
    - `torch.optim.swa_utils.AveragedModel`:
      https://docs.pytorch.org/docs/stable/generated/torch.optim.swa_utils.AveragedModel.html
    - `copy.deepcopy`: https://docs.python.org/3/library/copy.html#copy.deepcopy
    """

    code = "TRN312"
    name = "deepcopy-in-training-step"
    preview = True
    confirmed_by = frozenset({Symptom.DEEP_COPY})
    on = ("copy.deepcopy",)
    when = EACH_STEP
    sure = Confidence.LIKELY
    unless = (copies_loss_function, trains_copies_by_design)
    message = "`{text}` allocates and copies all parameters{often}"
    help = "keep one copy and write into it with `torch._foreach_copy_`"

    def found(self, site: Site) -> Match | None:
        """A copy of a module or of its state."""
        given = site.call.args
        return Match(site) if len(given) == 1 and is_whole_model(site, given[0]) else None
