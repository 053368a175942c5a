"""TRN611."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from trainlint.analysis.effects.parameter_loops import parameter_loop
from trainlint.analysis.site import Site
from trainlint.analysis.syntax.names import argument, last_name
from trainlint.analysis.tables.clipping import NORM_FUNCTIONS
from trainlint.analysis.tables.optimizers import is_optimizer_class
from trainlint.finding import Finding, Severity
from trainlint.rule import Rule, Triggers
from trainlint.symptoms import Symptom


class ClipPerParameter(Rule):
    """`clip_grad_norm_` called for each parameter by itself

    ## Why
    `clip_grad_norm_` takes the norm over all the parameters that it is given and scales them together, which keeps the
    direction of the step. Called for one parameter at a time it bounds each tensor by itself: the step turns away from
    the gradient, and the norm of the whole may still be the limit times the root of the number of parameters. Each
    call also starts several small kernels, where one call for all groups them.

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

    ## Stays silent
    For loops over models, groups of parameters or layers; in classes of optimizers.

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
    severity = Severity.WARNING
    heat_matters = False
    preview = True
    confirmed_by = frozenset({Symptom.CLIPPING})
    triggers = Triggers(calls=NORM_FUNCTIONS)

    def check(self, site: Site) -> Iterator[Finding]:
        """Find clippings of the one parameter that a loop is about."""
        loop = parameter_loop(site.file.outline, site.block)
        given = argument(site.call, "parameters", 0)
        if isinstance(given, ast.List | ast.Tuple) and len(given.elts) == 1:
            given = given.elts[0]
        if loop is None or not isinstance(given, ast.Name) or given.id not in loop.names:
            return
        owner = site.file.graph.owner(site.block)
        if owner is not None and any(is_optimizer_class(last_name(base)) for base in owner.node.bases):
            return
        yield self.finding(
            site,
            "this bounds each parameter's gradient by itself, which turns the step away from the gradient; give "
            "`clip_grad_norm_` all parameters at once",
            confidence=0.8,
        )
