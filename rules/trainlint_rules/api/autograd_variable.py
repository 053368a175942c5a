"""TRN810."""

from __future__ import annotations

import ast

from trainlint.analysis.conditions.alternatives import origins
from trainlint.analysis.programs.named_calls import called
from trainlint.analysis.site import Site
from trainlint.analysis.syntax.memo import once
from trainlint.analysis.syntax.names import argument, constant, position
from trainlint.contract.bases import ReferenceRule
from trainlint.contract.declared_rule import Match
from trainlint.finding import Severity
from trainlint.symptoms import Symptom

TYPE_CHECKING = False
if TYPE_CHECKING:
    from trainlint.analysis.semantic_model import SemanticModel

_VARIABLE = ("torch.autograd.Variable", "torch.autograd.variable.Variable")
_VOLATILE = "`volatile=True` has no effect since PyTorch 0.4"
_NO_GRAD = "run this under `torch.no_grad()`"


class AutogradVariable(ReferenceRule):
    """`Variable(...)` around a tensor, which has carried its own gradient since PyTorch 0.4

    ## Why
    Variables and tensors were merged in PyTorch 0.4. `Variable(x)` now returns a detached tensor that shares the memory
    of `x`: at best a call for nothing in each step, at worst the place where a graph is cut without anyone seeing it.
    `volatile=True` has no effect, so evaluation that relies on it builds whole graphs. Attributes of the class, such as
    `Variable._execution_engine`, have no other name.

    PyTorch does not warn of `Variable` alone: it is one finding a file, an advice. `volatile=True`, of which PyTorch
    warns, is a finding at each place.

    ## Example
    ```python
    import torch
    from torch.autograd import Variable


    def train(model, criterion, optimizer, pairs):
        for inputs, targets in pairs:
            noise = Variable(torch.randn(64, 100))
            start = Variable(torch.zeros(64, 8), requires_grad=True)
            loss = criterion(model(Variable(inputs), noise, start), targets)
            optimizer.zero_grad()
            loss.backward()
            optimizer.step()
    ```

    ## Use instead
    ```python
    import torch


    def train(model, criterion, optimizer, pairs):
        for inputs, targets in pairs:
            noise = torch.randn(64, 100)
            start = torch.zeros(64, 8).requires_grad_()
            loss = criterion(model(inputs.detach(), noise, start), targets)
            optimizer.zero_grad()
            loss.backward()
            optimizer.step()
    ```

    `.detach()` is what `Variable` does; where `inputs` has no graph, as a batch, leave it out too.

    ## Confirmed by
    `trainlint probe` notes PyTorch's UserWarning at this line of `volatile=True`. Else nothing: a `Variable` is a
    tensor.

    ## Gain
    A call less for each tensor, some hundred nanoseconds of CPU time (not measured here). Where `volatile=True` was
    meant to switch gradients off, the memory of the whole graph of an evaluation.

    ## References
    - `torch.autograd`, Variable (deprecated):
      https://docs.pytorch.org/docs/stable/autograd.html#variable-deprecated
    - PyTorch 0.4 migration guide: https://pytorch.org/blog/pytorch-0_4_0-migration-guide/
    """

    code = "TRN810"
    name = "autograd-variable"
    editor_tag = "deprecated"
    preview = True
    severity = Severity.ADVICE
    confirmed_by = frozenset({Symptom.WARNING})
    warned_as = "volatile"
    on = _VARIABLE
    in_tests = True
    message = "`Variable` is deprecated since PyTorch 0.4: tensors carry their own gradients"
    help = "use the tensor itself"

    def found(self, site: Site) -> Match | None:
        """The first call of the class in a file, and each with `volatile=True`."""
        there = called(site)
        if there is None or origins(there.call.func, there.block).isdisjoint(_VARIABLE):
            return None
        if constant(argument(there.call, "volatile")) is True:
            return Match(there, message=_VOLATILE, help=_NO_GRAD, severity=Severity.WARNING)
        return Match(there) if there.call is _first_call(site.file) else None


@once
def _first_call(file: SemanticModel) -> ast.AST | None:
    """The first call in the text."""
    calls = (
        call
        for place in file.outline.all_calls()
        if isinstance(call := place.node, ast.Call)
        and not origins(call.func, place.block).isdisjoint(_VARIABLE)
        and constant(argument(call, "volatile")) is not True
    )
    return min(calls, key=position, default=None)
