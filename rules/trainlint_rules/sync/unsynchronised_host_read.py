"""TRN206."""

from __future__ import annotations

from collections.abc import Iterator

from trainlint.analysis.site import Site
from trainlint.finding import Finding, Severity
from trainlint.rule import Rule, Triggers
from trainlint_rules.sync.idioms.host_copies import first_read_before_wait, queued_copy


class UnsynchronisedHostRead(Rule):
    """A non-blocking copy to the host read before it has arrived

    ## Why
    `tensor.to("cpu", non_blocking=True)` returns at once, with memory into which the device will write later: PyTorch
    pins it for such a copy, so the copy really runs in the background. Whoever reads the memory before the device was
    waited for finds what was there before. No error is raised, and the values are right whenever the device happens to
    be fast enough.

    ## Example
    ```python
    import torch


    def average(outputs):
        total = torch.stack(outputs).cuda().sum(0)
        on_host = total.to("cpu", non_blocking=True)
        return on_host.numpy() / len(outputs)
    ```

    ## Use instead
    ```python
    import torch


    def average(outputs):
        total = torch.stack(outputs).cuda().sum(0)
        on_host = total.to("cpu", non_blocking=True)
        torch.cuda.synchronize()
        return on_host.numpy() / len(outputs)
    ```

    Where nothing else is done meanwhile, `total.cpu()` waits by itself.

    ## Stays silent
    Where anything between the copy and the read may wait for the device; where the copy is handed on, stored or moved
    back, which orders itself on the stream; for arrays over the copy in functions that work with streams by hand, whose
    callers wait; for modules.

    ## Confirmed by
    Not by a profile: the values differ from those of a run with `CUDA_LAUNCH_BLOCKING=1`.

    ## Gain
    Correctness. PyTorch's own tutorial shows a wrong mean that comes of it.

    ## References
    - A guide on good usage of `non_blocking` and `pin_memory()`:
      https://docs.pytorch.org/tutorials/intermediate/pinmem_nonblock.html
    - `torch.Tensor.to`: https://docs.pytorch.org/docs/stable/generated/torch.Tensor.to.html
    """

    code = "TRN206"
    name = "unsynchronised-host-read"
    severity = Severity.ERROR
    heat_matters = False
    preview = True
    triggers = Triggers(calls=frozenset({"to", "copy_"}))

    def check(self, site: Site) -> Iterator[Finding]:
        """Find reads of what a non-blocking copy brings to the host, with no wait before them."""
        if not any(keyword.arg == "non_blocking" for keyword in site.call.keywords):
            return
        copy = queued_copy(site.file, site.call, site.place)
        read = first_read_before_wait(site.file, copy, site.place) if copy is not None else None
        if copy is None or read is None:
            return
        message = (
            f"this copy to the host may not have arrived when line {getattr(read, 'lineno', 0)} reads it, so wrong "
            "values are read; wait for the device first (`torch.cuda.synchronize()`, an event), or copy with `.cpu()`"
        )
        yield self.finding(site, message, confidence=copy.confidence)
