"""TRN312."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator

from trainlint.analysis.programs.test_files import is_test_path
from trainlint.analysis.site import Site
from trainlint.analysis.syntax.blocks import BlockKind
from trainlint.analysis.syntax.names import last_name
from trainlint.analysis.types.values import Kind
from trainlint.analysis.types.vocabulary import CRITERION_NAME
from trainlint.finding import Finding, Severity
from trainlint.patterns import lazy
from trainlint.rule import IN_STEP, Rule, Triggers
from trainlint.symptoms import Symptom

_LEARNS_TO_LEARN = lazy(r"maml|(^|_)(meta|inner|fast|task|episode|client|clients)($|_)", re.IGNORECASE)
"""Words of methods that train a copy of the model by design."""


class DeepcopyInTrainingStep(Rule):
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

    ## Stays silent
    Behind an interval, a first step or a failure; once an epoch; for loss functions, configurations and other small
    things; in methods that train a copy by design, such as meta-learning and federated learning; in tests.

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
    severity = Severity.WARNING
    confirmed_by = frozenset({Symptom.DEEP_COPY})
    triggers = Triggers(calls=frozenset({"deepcopy"}), heats=IN_STEP)
    preview = True

    def check(self, site: Site) -> Iterator[Finding]:
        """Find deep copies of modules and of their states in each step."""
        if site.origin(site.call.func) != "copy.deepcopy" or len(site.call.args) != 1 or is_test_path(site.path):
            return
        if not site.heat.heat.in_step or not _is_whole(site, site.call.args[0]) or _trains_copies(site):
            return
        yield self.finding(
            site,
            f"`{ast.unparse(site.call)}` allocates and copies all parameters in each step; keep one copy and write "
            "into it",
            confidence=0.85,
        )


def _is_whole(site: Site, copied: ast.expr) -> bool:
    """Whether an expression is a module or the state of one."""
    if isinstance(copied, ast.Call) and last_name(copied.func) == "state_dict":
        return True
    value = site.value(copied)
    return value.kind is Kind.MODULE and not value.loss_function and not CRITERION_NAME.search(last_name(copied))


def _trains_copies(site: Site) -> bool:
    names = [function.name for function in (site.function,) if function is not None]
    loops = (block.node for block in site.block.outwards() if block.kind is BlockKind.LOOP)
    names += [last_name(loop.target) for loop in loops if isinstance(loop, ast.For)]
    return any(_LEARNS_TO_LEARN.search(name) for name in (*names, site.path.rpartition("/")[2]))
