"""TRN611."""

from __future__ import annotations

import ast

from trainlint.analysis.effects.parameter_loops import parameter_loop
from trainlint.analysis.site import Site
from trainlint.analysis.syntax.names import argument
from trainlint.analysis.tables.clipping import NORM_FUNCTIONS
from trainlint.contract.bases import CallRule
from trainlint.contract.declared_rule import Match
from trainlint.finding import Confidence
from trainlint.symptoms import Symptom
from trainlint_rules.optimizer.idioms.optimizer_classes import in_optimizer_class


class ClipPerParameter(CallRule):
    """`clip_grad_norm_` called for each parameter by itself

    ## Why
    `clip_grad_norm_` takes the norm over all the parameters that it is given and scales them together, which keeps the
    direction of the step. Called for one parameter at a time it bounds each tensor by itself: the step turns away from
    the gradient, and the norm of the whole may still be the limit times the root of the number of parameters. Each
    call also starts several small kernels, where one call for all groups them.

    Loops over models, groups of parameters or layers are no finding.

    ## Example
    ```python
    import torch


    def train(model, criterion, optimizer, train_loader):
        for inputs, targets in train_loader:
            optimizer.zero_grad()
            criterion(model(inputs), targets).backward()
            for parameter in model.parameters():
                torch.nn.utils.clip_grad_norm_(parameter, 1.0)
            optimizer.step()
    ```

    ## Use instead
    ```python
    import torch


    def train(model, criterion, optimizer, train_loader):
        for inputs, targets in train_loader:
            optimizer.zero_grad()
            criterion(model(inputs), targets).backward()
            torch.nn.utils.clip_grad_norm_(model.parameters(), 1.0)
            optimizer.step()
    ```

    Some published methods, such as the optimizer of the first BERT, do bound each tensor by itself: there it is meant,
    and an ignore comment says so.

    ## Confirmed by
    `trainlint probe` counts and times the calls at this line; on an accelerator it counts them only. Else as many
    `aten::linalg_vector_norm` in a step of a profile as there are parameters.

    ## Gain
    A few kernels for each parameter and step become a few for all. Not measured here; the change of the algorithm
    weighs more.

    ## References
    - `torch.nn.utils.clip_grad_norm_`:
      https://docs.pytorch.org/docs/stable/generated/torch.nn.utils.clip_grad_norm_.html
    """

    code = "TRN611"
    name = "clip-per-parameter"
    preview = True
    in_tests = True
    confirmed_by = frozenset({Symptom.CLIPPING})
    on = tuple(NORM_FUNCTIONS)
    sure = Confidence.LIKELY
    unless = (in_optimizer_class,)
    message = "this clips each parameter by itself, which changes the direction of the step"
    help = "pass all parameters to one `clip_grad_norm_`"

    def found(self, site: Site) -> Match | None:
        """Clipping of the one parameter that a loop is about."""
        loop = parameter_loop(site.file.outline, site.block)
        given = argument(site.call, "parameters", 0)
        if isinstance(given, ast.List | ast.Tuple) and len(given.elts) == 1:
            given = given.elts[0]
        return Match(site) if loop is not None and isinstance(given, ast.Name) and given.id in loop.names else None
