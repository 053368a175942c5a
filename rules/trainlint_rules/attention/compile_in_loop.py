"""TRN704."""

from __future__ import annotations

import ast

from trainlint.analysis.programs.named_calls import called
from trainlint.analysis.site import Site
from trainlint.contract.bases import ReferenceRule
from trainlint.contract.declared_rule import Match
from trainlint.contract.guards.conditions import made_where_missing
from trainlint.finding import Confidence
from trainlint.symptoms import Symptom
from trainlint_rules.attention.idioms.compiled_anew import behind_early_return, cached, repeated


class CompileInLoop(ReferenceRule):
    """`torch.compile` is called anew in each training step, forward pass or epoch

    ## Why
    `torch.compile` wraps what it is given, and the wrapper is meant to be built once and called often. Built in the
    loop, each call is that of a new wrapper. What was compiled before is found again only while nothing differs: a
    backend given as a lambda, or a function that closes over another number, is compiled once more, for seconds or
    minutes, until the limit of eight is reached and PyTorch goes on without compiling at all. Where the wrapper is
    stored under the name of the model that it wraps, the second round wraps the wrapper: that gives a plain function,
    without `train` or `parameters`.

    ## Example
    ```python
    import torch


    def train(model, criterion, optimizer, train_loader):
        for inputs, targets in train_loader:
            forward = torch.compile(lambda x, y: criterion(model(x), y))
            loss = forward(inputs, targets)
            optimizer.zero_grad()
            loss.backward()
            optimizer.step()
    ```

    ## Use instead
    ```python
    import torch


    def train(model, criterion, optimizer, train_loader):
        forward = torch.compile(lambda x, y: criterion(model(x), y))
        for inputs, targets in train_loader:
            loss = forward(inputs, targets)
            optimizer.zero_grad()
            loss.backward()
            optimizer.step()
    ```

    What changes from step to step is best given as a tensor argument.

    ## Confirmed by
    `trainlint probe` counts the calls of `torch.compile` at this line in the measured steps. Else
    `TORCH_LOGS=recompiles` names the line in several steps, or a warning tells of `recompile_limit`.

    ## Gain
    Measured here, PyTorch 2.13 on a CPU: half a millisecond for each wrapper of a module, where nothing is compiled
    again; and eight compilations, then none any more, where the backend is a lambda. Compiling a whole network takes
    minutes. Next to nothing is gained where a step takes seconds and the same function is found again.

    ## References
    - `torch.compile`: https://docs.pytorch.org/docs/stable/generated/torch.compile.html
    - Different backends each time: https://github.com/pytorch/pytorch/issues/168373
    """

    code = "TRN704"
    name = "compile-in-loop"
    preview = True
    confirmed_by = frozenset({Symptom.COMPILE_CALL})
    on = ("torch.compile", "torch._dynamo.optimize")
    sure = Confidence.LIKELY
    unless = (made_where_missing, behind_early_return, cached)
    message = "`{function}` runs again in every {round}"
    help = "compile once, outside, and call the result"

    def found(self, site: Site) -> Match | None:
        """A call or a decorator that runs in each step, forward pass or epoch."""
        function = site.origin(site.node) if isinstance(site.node, ast.expr) else None
        call, decorates = called(site), isinstance(site.statement, ast.FunctionDef | ast.AsyncFunctionDef)
        if function not in self.on or (call is None and not decorates):
            return None
        often = repeated(site)
        return Match(call or site, fields={"function": function, "round": often}) if often else None
