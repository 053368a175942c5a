"""TRN218."""

from __future__ import annotations

from collections.abc import Iterator

from trainlint.analysis.effects.reads import implicit_read
from trainlint.analysis.site import Site
from trainlint.analysis.types.values import Kind
from trainlint.finding import Finding, Severity
from trainlint.rule import IN_STEP, Rule, Triggers


class TensorHandedToReader(Rule):
    """Device tensor handed, in each training step, to a function that reads it on the host

    ## Why
    Meters and loggers often take numbers and tensors alike, and call `.item()` on what is a tensor. The read is out of
    sight, but it makes the host wait for all kernels before it all the same: once for each value, in each step. The
    function is not to blame, since for numbers it costs nothing; its caller is.

    ## Example
    ```python
    import torch


    class Meter:
        def __init__(self):
            self.total = 0.0

        def update(self, value):
            if isinstance(value, torch.Tensor):
                value = value.item()
            self.total += value


    def train(model, criterion, optimizer, loader):
        meter = Meter()
        for inputs, targets in loader:
            inputs, targets = inputs.to("cuda", non_blocking=True), targets.to("cuda", non_blocking=True)
            loss = criterion(model(inputs), targets)
            optimizer.zero_grad()
            loss.backward()
            optimizer.step()
            meter.update(loss)
    ```

    ## Use instead
    ```python
    import torch


    class Meter:
        def __init__(self):
            self.total = 0.0

        def update(self, value):
            if isinstance(value, torch.Tensor):
                value = value.item()
            self.total += value


    def train(model, criterion, optimizer, loader):
        meter = Meter()
        total = torch.zeros((), device="cuda")
        for step, (inputs, targets) in enumerate(loader):
            inputs, targets = inputs.to("cuda", non_blocking=True), targets.to("cuda", non_blocking=True)
            loss = criterion(model(inputs), targets)
            optimizer.zero_grad()
            loss.backward()
            optimizer.step()
            total += loss.detach()
            if step % 50 == 49:
                meter.update(total / 50)
                total.zero_()
    ```

    Several values are best stacked into one tensor first, and read together.

    ## Stays silent
    For numbers and host tensors; behind an interval, in evaluation and after the loop. Where a function reads a tensor
    without asking what it is, TRN201, TRN202 or TRN203 speak at the read itself.

    ## Confirmed by
    `aten::_local_scalar_dense` with a stream synchronisation below this line in each step of a profile.

    ## Gain
    What one wait costs is the host's lead over the device: the kernels that it had queued. That is much where a step
    is short or made of many small kernels, and nothing where the device is busy for hundreds of milliseconds anyway,
    or where the step waits for something else in any case. Not measured here: the probe is to say it for a run.

    ## References
    - PyTorch performance tuning guide, "Avoid unnecessary CPU-GPU synchronization":
      https://docs.pytorch.org/tutorials/recipes/recipes/tuning_guide.html
    """

    code = "TRN218"
    name = "tensor-handed-to-reader"
    severity = Severity.WARNING
    triggers = Triggers(calls_of_readers=True, heats=IN_STEP)

    def check(self, site: Site) -> Iterator[Finding]:
        """Find calls in each step that hand a device tensor to a function which reads it."""
        reader = site.file.reader_called(site.call)
        if reader is None or not site.heat.heat.in_step:
            return
        sure = 0.0
        for given in reader.given_to_read(site.call):
            value = site.value(given)
            held = value.element if value.kind is Kind.CONTAINER and value.element is not None else value
            sure = max(sure, implicit_read(held, given, site.block))
        if sure:
            message = (
                f"`{reader.title}` reads this tensor on the host ({reader.where}) in each training step; "
                "hand it over every n-th step, or sum on the device first"
            )
            yield self.finding(site, message, confidence=sure)
