"""TRN411."""

from __future__ import annotations

from trainlint.analysis.site import Site
from trainlint.analysis.tables.signs import COMPLEX128, FLOAT64
from trainlint.contract.bases import CallRule
from trainlint.contract.declared_rule import Match
from trainlint.contract.guards.names import shows
from trainlint.finding import Confidence, Severity
from trainlint_rules.compute.idioms.double_arrays import cast_on_the_way, is_copied_to_device, is_double


class DoublePrecisionTensor(CallRule):
    """Float64 of NumPy goes to the device as it is: twice the bytes, and slow arithmetic

    ## Why
    NumPy computes in float64 unless told otherwise, and `torch.from_numpy` and `torch.tensor` keep that. On the
    device a float64 tensor takes twice the memory and the copy twice the time; what is computed with it becomes
    float64, too. Consumer GPUs do float64 arithmetic at 1/32 to 1/64 of their float32 rate (CUDA's table of
    arithmetic throughput).

    Tensors that stay on the host are no finding, nor are arrays whose type is not sure. Confidence is low outside of
    steps.

    ## Example
    ```python
    import numpy as np
    import torch


    def train(model, criterion, optimizer, train_loader):
        for inputs, targets in train_loader:
            weights = torch.from_numpy(np.linspace(1.0, 0.5, len(targets))).cuda()
            loss = (criterion(model(inputs), targets) * weights).mean()
            optimizer.zero_grad()
            loss.backward()
            optimizer.step()
    ```

    ## Use instead
    ```python
    import numpy as np
    import torch


    def train(model, criterion, optimizer, train_loader):
        for inputs, targets in train_loader:
            weights = torch.from_numpy(np.linspace(1.0, 0.5, len(targets)).astype(np.float32)).cuda()
            loss = (criterion(model(inputs), targets) * weights).mean()
            optimizer.zero_grad()
            loss.backward()
            optimizer.step()
    ```

    The copy still waits in each step (TRN207); `torch.linspace(..., device="cuda")` needs none.

    ## Confirmed by
    A tensor of `torch.float64` on the device in a training step.

    ## Gain
    Half the bytes of this copy; not measured here. Nothing worth having for a few numbers.

    ## References
    - Arithmetic throughput: https://docs.nvidia.com/cuda/cuda-c-programming-guide/index.html#arithmetic-instructions
    - `torch.from_numpy`: https://docs.pytorch.org/docs/stable/generated/torch.from_numpy.html
    """

    code = "TRN411"
    name = "double-precision-tensor"
    severity = Severity.ADVICE
    preview = True
    on = ("torch.from_numpy", "torch.tensor", "torch.as_tensor")
    unless = (shows("the code names float64, as science does", FLOAT64, COMPLEX128), cast_on_the_way)
    message = "`{array}` is copied to the GPU as float64{often}: twice the bytes, and slow arithmetic"
    help = "convert the array with `.astype(np.float32)` first"

    def found(self, site: Site) -> Match | None:
        """An array of float64 that becomes a tensor on the device."""
        array = next(iter(site.call.args), None)
        if array is None or not is_double(site, array) or not is_copied_to_device(site):
            return None
        sure = Confidence.LIKELY if site.heat.heat.in_step else Confidence.POSSIBLE
        return Match(site, sure, {"array": site.text(array)})
