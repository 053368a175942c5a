"""TRN810."""

from __future__ import annotations

from trainlint.analysis.programs.named_calls import called
from trainlint.analysis.site import Site
from trainlint.contract.bases import ReferenceRule
from trainlint.contract.declared_rule import Match
from trainlint.finding import Confidence, Severity
from trainlint.symptoms import Symptom
from trainlint_rules.api.idioms.variables import (
    VARIABLE,
    is_idle_import,
    is_volatile,
    names_variable,
    only_named,
    wrapping_calls,
)

_UNUSED = "this import of `Variable` is unused, and `Variable` is deprecated since PyTorch 0.4"
_SEVERAL = "`Variable` is deprecated since PyTorch 0.4: tensors carry their own gradients ({count} uses in this file)"
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
    A call less for each tensor, some hundred nanoseconds of host time (not measured here). Where `volatile=True` was
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
    on = VARIABLE
    in_tests = True
    unless = (only_named,)
    message = "`Variable` is deprecated since PyTorch 0.4: tensors carry their own gradients"
    help = "use the tensor itself"

    def found(self, site: Site) -> Match | None:
        """The first use of the class as a constructor, `volatile=True`, or an import that nothing uses."""
        if is_idle_import(site):
            return Match(site, message=_UNUSED, help="remove the import")
        if not names_variable(site):
            return None
        there, calls = called(site), wrapping_calls(site.file)
        if there is None:
            return None if calls else Match(site, Confidence.LIKELY)
        if is_volatile(there.call):
            return Match(there, message=_VOLATILE, help=_NO_GRAD, severity=Severity.WARNING)
        if not calls or calls[0].call is not there.call:
            return None
        message = _SEVERAL.format(count=len(calls)) if len(calls) > 1 else None
        return Match(there, message=message)
