"""TRN218."""

from __future__ import annotations

from trainlint.analysis.effects.effect import EffectKind
from trainlint.analysis.effects.reads import implicit_read
from trainlint.analysis.site import Site
from trainlint.analysis.types.values import Kind
from trainlint.contract.confidence import level
from trainlint.contract.declared_rule import EACH_STEP, DeclaredRule, Match
from trainlint.rule import Triggers


class TensorHandedToReader(DeclaredRule):
    """Device tensor handed, in each training step, to a function that reads it on the host

    ## Why
    Meters and loggers often take numbers and tensors alike, and call `.item()` on what is a tensor. The read is out of
    sight, but it makes the host wait for all kernels before it all the same: once for each value, in each step. The
    function is not to blame, since for numbers it costs nothing; its caller is.
    Where a function does not ask what it is given, TRN201, TRN202 or TRN203 report the read itself.

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
    happenings = frozenset()
    also = Triggers(effects=frozenset({EffectKind.READS.value}))
    when = EACH_STEP
    message = "`{reader}` reads this tensor on the CPU ({where}) and forces a GPU sync{often}"
    help = "call it every N steps, or sum on the GPU first"

    def found(self, site: Site) -> Match | None:
        """A call that hands a device tensor to a function which reads it."""
        sure, at = 0.0, None
        for called in site.file.effects.called(site.call):
            for effect, given in called.effects_on(site.call, EffectKind.READS):
                value = site.value(given)
                held = value.element if value.kind is Kind.CONTAINER and value.element is not None else value
                found = implicit_read(held, given, site.block)
                if found > sure:
                    sure, at = found, {"reader": called.title, "where": effect.where(site.path)}
        return Match(site, level(sure), at) if at is not None else None
