"""TRN217."""

from __future__ import annotations

from collections.abc import Iterator

from trainlint.analysis.conditions.questions import runs_where_missing
from trainlint.analysis.effects.forward import computes
from trainlint.analysis.site import Site
from trainlint.finding import Finding, Heat, Severity
from trainlint.rule import IN_STEP, Rule, Triggers
from trainlint.symptoms import Symptom
from trainlint_rules.sync.idioms.drawn_numbers import MAKERS, drawn_for_device


class HostRandomFedToDevice(Rule):
    """Random numbers drawn by NumPy on the host in each training step, then copied to the device

    ## Why
    NumPy draws on one core of the host, and the copy from memory that is not pinned makes the host wait. The device
    draws the same count in one small kernel that is only queued. NumPy's generator also needs a seed of its own.

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

    ## Stays silent
    Outside of training steps; in datasets and collate functions, where workers draw ahead of time; behind an interval
    or a first call. For numbers that the host uses itself, or that torch draws on the host, TRN207 speaks.

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
    severity = Severity.WARNING
    confirmed_by = frozenset({Symptom.HOST_TO_DEVICE})
    triggers = Triggers(calls=MAKERS, heats=IN_STEP | {Heat.UNKNOWN})

    def check(self, site: Site) -> Iterator[Finding]:
        """Find tensors of numbers that NumPy has just drawn, on their way to the device in each step."""
        heat = site.heat.heat
        if not (heat.in_step or (heat is Heat.UNKNOWN and computes(site.file, site.block))) or runs_where_missing(
            site.conditions
        ):
            return
        if drawn_for_device(site.file, site.call, site.place):
            message = (
                "NumPy draws these numbers on the host in each training step and the host waits for the copy; "
                "draw them on the device (`torch.randn` or `torch.rand` with `device=...`)"
            )
            yield self.finding(site, message, confidence=0.9)
