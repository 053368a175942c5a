"""TRN813."""

from __future__ import annotations

from collections.abc import Iterator
from functools import partial

from trainlint.analysis.site import Site
from trainlint.analysis.syntax.names import argument
from trainlint.analysis.tables.parallel import DDP_ORIGINS, Wrapper, called_as
from trainlint.finding import Finding, Fix, Safety, Severity
from trainlint.rule import Rule, Triggers
from trainlint.symptoms import Symptom

_SINCE = (2, 13)


class DdpBroadcastBuffersRenamed(Rule):
    """`DistributedDataParallel(broadcast_buffers=...)`, called `forward_sync_buffers` since PyTorch 2.13

    ## Why
    Since PyTorch 2.13 each wrap with `broadcast_buffers` raises a FutureWarning. The new argument is not quite the old
    one: `broadcast_buffers=False` also left the buffers as they were when the model was wrapped, so that processes
    started with running means of their own; `forward_sync_buffers=False` equals them once, at the start.

    ## Example
    ```python
    from torch.nn.parallel import DistributedDataParallel


    def wrap(model, rank):
        return DistributedDataParallel(model, device_ids=[rank], broadcast_buffers=False)
    ```

    ## Use instead
    ```python
    from torch.nn.parallel import DistributedDataParallel


    def wrap(model, rank):
        return DistributedDataParallel(model, device_ids=[rank], forward_sync_buffers=False)
    ```

    ## Stays silent
    Where the project's oldest PyTorch is older than 2.13, which lacks the new name, and where arguments are unpacked. A
    project that names no versions is taken to run a new one, with less confidence.

    ## Fix safety
    Buffers are sent from the first process to all others when the model is wrapped. PyTorch older than 2.13 refuses the
    argument.

    ## Confirmed by
    `trainlint probe` notes PyTorch's FutureWarning at this line, which names `forward_sync_buffers`.

    ## Gain
    A line less in the log of every process; none in speed.

    ## References
    - `DistributedDataParallel`:
      https://docs.pytorch.org/docs/stable/generated/torch.nn.parallel.DistributedDataParallel.html
    """

    code = "TRN813"
    name = "ddp-broadcast-buffers-renamed"
    severity = Severity.WARNING
    fix_safety = Safety.UNSAFE
    heat_matters = False
    preview = True
    confirmed_by = frozenset({Symptom.WARNING})
    warned_as = "forward_sync_buffers"
    triggers = Triggers(calls=called_as(Wrapper.DDP))

    def check(self, site: Site) -> Iterator[Finding]:
        """Find the old argument, written out."""
        target = site.file.config.target_torch
        if target is not None and target.lacks(_SINCE):
            return
        if site.origin(site.call.func) not in DDP_ORIGINS:
            return
        given = argument(site.call, "broadcast_buffers")
        if given is None or argument(site.call, "forward_sync_buffers") is not None:
            return
        message = "`broadcast_buffers` is called `forward_sync_buffers` since PyTorch 2.13, which warns of it"
        sure = 0.95 if target is not None and target.has(_SINCE) else 0.7
        yield self.finding(site, message, confidence=sure, fix=partial(_fix, site), fix_needs=_SINCE)


def _fix(site: Site) -> Fix | None:
    from trainlint.fixing.keywords import rename_argument
    from trainlint.fixing.rewrite import attempt

    index = len(site.call.args) + [keyword.arg for keyword in site.call.keywords].index("broadcast_buffers")
    return attempt(
        lambda: Fix(
            "Use forward_sync_buffers",
            (rename_argument(site.source, site.call, index, "forward_sync_buffers"),),
            Safety.UNSAFE,
        )
    )
