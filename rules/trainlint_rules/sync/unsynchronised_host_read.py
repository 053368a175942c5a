"""TRN206."""

from __future__ import annotations

from trainlint.analysis.site import Site
from trainlint.contract.bases import CallRule
from trainlint.contract.confidence import level
from trainlint.contract.declared_rule import Match
from trainlint.finding import Severity
from trainlint_rules.sync.idioms.early_reads import copy_and_read, left_to_callers, waits_in_between


class UnsynchronisedHostRead(CallRule):
    """A non-blocking copy to the host read before it has arrived

    ## Why
    `tensor.to("cpu", non_blocking=True)` returns at once, with memory into which the device will write later: PyTorch
    pins it for such a copy, so the copy really runs in the background. Whoever reads the memory before the device was
    waited for finds what was there before. No error is raised, and the values are right whenever the device happens to
    be fast enough.
    What is handed on, stored or moved back is no read: a move back to the device orders itself on the stream.

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
    preview = True
    in_tests = True
    on = (".to", ".copy_")
    unless = (waits_in_between, left_to_callers)
    message = "line {line} may read this copy before it has arrived on the CPU, and get wrong values"
    help = "call `torch.cuda.synchronize()` or wait for an event first, or copy with `.cpu()`"

    def found(self, site: Site) -> Match | None:
        """A copy to the host that is only queued, and is read in the same function."""
        found = copy_and_read(site)
        if found is None:
            return None
        copy, read = found
        return Match(site, level(copy.confidence), {"line": getattr(read.node, "lineno", 0)})
