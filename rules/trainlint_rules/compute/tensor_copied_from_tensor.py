"""TRN416."""

from __future__ import annotations

from trainlint.analysis.site import Site
from trainlint.contract.bases import CallRule
from trainlint.contract.declared_rule import Match
from trainlint.finding import Severity
from trainlint.symptoms import Symptom
from trainlint_rules.compute.idioms.copied_tensors import (
    converts_itself,
    copied_tensor,
)


class TensorCopiedFromTensor(CallRule):
    """`torch.tensor(x)` of what is a tensor already: a copy with a warning, and the graph is cut

    ## Why
    `torch.tensor` is for lists and numbers. Given a tensor it copies it, cuts it from the graph, and warns that
    `x.detach().clone()` is what one should write. Where the copy was meant only to choose a device or a data type,
    `x.to(...)` copies nothing if nothing changes, and keeps the gradient.

    Lists, numbers and arrays are what `torch.tensor` is for; what is only likely a tensor, by its name or on some
    ways, is no finding.

    ## Example
    ```python
    import torch


    def train(model, criterion, optimizer, train_loader):
        for inputs, targets in train_loader:
            loss = criterion(model(inputs), targets)
            target = torch.tensor(torch.zeros(8))
            optimizer.zero_grad()
            loss.backward()
            optimizer.step()
    ```

    ## Use instead
    ```python
    import torch


    def train(model, criterion, optimizer, train_loader):
        for inputs, targets in train_loader:
            loss = criterion(model(inputs), targets)
            target = torch.zeros(8).detach().clone()
            optimizer.zero_grad()
            loss.backward()
            optimizer.step()
    ```

    There is no fix in projects that make tensors on a device by default (`torch.set_default_device`, or a device that
    is entered by `with`): there, `torch.tensor(x)` brings the copy to that device.

    ## Confirmed by
    `trainlint probe` hears PyTorch's warning, and names the line that it comes from.
    The warning "To copy construct from a tensor, it is recommended to use sourceTensor.detach().clone()".

    ## Gain
    A warning less, and a copy less where `.to(...)` is enough; not measured here. Nothing for speed where the copy is
    wanted.

    ## References
    - `torch.tensor`: https://docs.pytorch.org/docs/stable/generated/torch.tensor.html
    """

    code = "TRN416"
    name = "tensor-copied-from-tensor"
    severity = Severity.ADVICE
    preview = True
    in_tests = True
    confirmed_by = frozenset({Symptom.WARNING})
    warned_as = "copy construct from a tensor"
    on = ("torch.tensor",)
    unless = (converts_itself,)
    message = "`{tensor}` is a tensor already: `torch.tensor` copies it with a warning and cuts its graph"
    help = "call `.detach().clone()` on it, or `.to(...)` if no copy is needed"

    def found(self, site: Site) -> Match | None:
        """`torch.tensor` of what is surely a tensor."""
        given = copied_tensor(site)
        return Match(site, fields={"tensor": site.text(given), "given": given}) if given is not None else None
