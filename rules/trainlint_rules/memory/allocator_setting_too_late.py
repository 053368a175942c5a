"""TRN310."""

from __future__ import annotations

from trainlint.analysis.site import Site
from trainlint.analysis.syntax.names import constant
from trainlint.contract.bases import CallRule
from trainlint.contract.declared_rule import Match
from trainlint.finding import Confidence
from trainlint.rule import Triggers
from trainlint_rules.memory.idioms.allocator_settings import VARIABLES, problem
from trainlint_rules.memory.idioms.first_device_use import allocator_value, first_use


class AllocatorSettingTooLate(CallRule):
    """A setting of the allocator that comes after the first use of the device, or is misspelt

    ## Why
    PyTorch reads `PYTORCH_CUDA_ALLOC_CONF` once, when the allocator is first used. A value that is set after the first
    tensor went to the device changes nothing, and no warning says so: the run fragments its memory as before. Builds of
    PyTorch with CUDA refuse a key that they do not know, and a number out of range raises at the first use of the
    device. Only literal text is checked, and a key that resembles no known one is left alone: it may be newer than the
    list. A setting is too late where an earlier line of the same function or module surely uses the device.

    ## Example
    ```python
    import os

    import torch

    os.environ["PYTORCH_CUDA_ALLOC_CONF"] = "expandable_segment:True"
    ```

    ## Use instead
    ```python
    import os

    import torch

    os.environ["PYTORCH_CUDA_ALLOC_CONF"] = "expandable_segments:True"
    ```

    Set it before `import torch`, or better in the environment of the job: then no import can come first.

    ## Confirmed by
    `torch.cuda.memory._snapshot()["allocator_settings"]` shows other settings than the code means.

    ## Gain
    What the setting was meant to bring: `expandable_segments:True` lets batches of changing size reuse memory that is
    fragmented otherwise. Not measured here. Nothing, where memory is not short.

    ## References
    - Memory management, with all settings:
      https://docs.pytorch.org/docs/stable/notes/cuda.html#optimizing-memory-usage-with-pytorch-cuda-alloc-conf
    """

    code = "TRN310"
    name = "allocator-setting-too-late"
    preview = True
    in_tests = True
    on = ("os.environ.setdefault", "os.putenv")
    also = Triggers(assignments=VARIABLES)
    message = "the allocator reads this setting at the first use of the GPU, which is in line {line} already"
    help = "set it before `import torch`"

    def found(self, site: Site) -> Match | None:
        """A setting that is wrong, or that comes after the first use of the device."""
        value = allocator_value(site)
        if value is None:
            return None
        settings = constant(value)
        wrong = problem(settings) if isinstance(settings, str) else None
        if wrong is not None:
            return Match(site, fields=wrong._asdict(), message="{fact}", help="{help}")
        first = first_use(site)
        return Match(site, Confidence.LIKELY, {"line": first.lineno}) if first is not None else None
