"""TRN217."""

from __future__ import annotations

from trainlint.analysis.effects.forward import computes
from trainlint.analysis.site import Site
from trainlint.contract.bases import CallRule
from trainlint.contract.declared_rule import EACH_STEP, Match
from trainlint.contract.guard import early_guard
from trainlint.contract.guards.conditions import made_where_missing
from trainlint.finding import Confidence, Heat
from trainlint.symptoms import Symptom
from trainlint_rules.sync.idioms.drawn_numbers import MAKERS, drawn_for_device, draws_permutation

_PERMUTED = "draw them on the GPU: `torch.randperm` with `device=...`, cut to the number that is needed"


@early_guard
def _may_not_train(site: Site) -> bool:
    """Trainlint sees no training step that runs it, nor a forward pass or a loss."""
    return site.heat.heat is Heat.UNKNOWN and not computes(site.file, site.block)


class HostRandomFedToDevice(CallRule):
    """Random numbers drawn by NumPy on the host in each training step, then copied to the device

    ## Why
    NumPy draws on one core of the host, and the copy from memory that is not pinned makes the host wait. The device
    draws the same count in one small kernel that is only queued. NumPy's generator also needs a seed of its own.
    Where the host uses the numbers itself, or torch draws them on the host, TRN207 reports the copy.

    ## Example
    ```python
    import numpy as np
    import torch


    def train(generator, optimizer, train_loader, device):
        for images in train_loader:
            images = images.to(device, non_blocking=True)
            noise = torch.from_numpy(np.random.normal(0, 1, (len(images), 100))).float().to(device)
            loss = (generator(noise) - images).abs().mean()
            optimizer.zero_grad()
            loss.backward()
            optimizer.step()
    ```

    ## Use instead
    ```python
    import numpy as np
    import torch


    def train(generator, optimizer, train_loader, device):
        for images in train_loader:
            images = images.to(device, non_blocking=True)
            noise = torch.randn(len(images), 100, device=device)
            loss = (generator(noise) - images).abs().mean()
            optimizer.zero_grad()
            loss.backward()
            optimizer.step()
    ```

    ## Confirmed by
    `trainlint probe` times the copy at this line, and tells from a trace of a GPU what a step gains without the wait. A
    `Memcpy HtoD (Pageable -> Device)` with a stream synchronisation at this line in each step of a profile.

    ## Gain
    One copy and one wait in each step, and the time that NumPy needs to draw. Not measured here; little where few
    numbers are drawn and the step is long.

    ## References
    - PyTorch performance tuning guide, "Create tensors directly on the target device":
      https://docs.pytorch.org/tutorials/recipes/recipes/tuning_guide.html
    - `torch.randn`: https://docs.pytorch.org/docs/stable/generated/torch.randn.html
    """

    code = "TRN217"
    name = "host-random-fed-to-device"
    happenings = frozenset()
    confirmed_by = frozenset({Symptom.HOST_TO_DEVICE})
    on = tuple(sorted(MAKERS))
    when = EACH_STEP | {Heat.UNKNOWN: Confidence.CERTAIN}
    unless = (_may_not_train, made_where_missing)
    message = "NumPy draws these random numbers on the CPU, and PyTorch copies them to the GPU{often}"
    help = "draw them on the GPU: `torch.randn` or `torch.rand` with `device=...`"

    def found(self, site: Site) -> Match | None:
        """A tensor of numbers that NumPy has just drawn, on its way to the device."""
        if not drawn_for_device(site.file, site.call, site.place):
            return None
        return Match(site, help=_PERMUTED if draws_permutation(site) else None)
