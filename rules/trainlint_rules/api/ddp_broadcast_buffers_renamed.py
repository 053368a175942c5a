"""TRN813."""

from __future__ import annotations

from collections.abc import Iterable

from trainlint.analysis.site import Site
from trainlint.analysis.syntax.names import argument
from trainlint.analysis.tables.parallel import DDP_ORIGINS
from trainlint.contract.bases import CallRule
from trainlint.contract.declared_rule import Match
from trainlint.contract.guards.files import supports_older_than
from trainlint.finding import Confidence, Edit, Safety
from trainlint.symptoms import Symptom

_SINCE = (2, 13)


class DdpBroadcastBuffersRenamed(CallRule):
    """`DistributedDataParallel(broadcast_buffers=...)`, called `forward_sync_buffers` since PyTorch 2.13

    ## Why
    Since PyTorch 2.13 each wrap with `broadcast_buffers` raises a FutureWarning. The new argument is not quite the old
    one: `broadcast_buffers=False` also left the buffers as they were when the model was wrapped, so that processes
    started with running means of their own; `forward_sync_buffers=False` equals them once, at the start. A project that
    names no versions is taken to run a new one: its findings are likely, not certain.

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
    editor_tag = "deprecated"
    preview = True
    confirmed_by = frozenset({Symptom.WARNING})
    warned_as = "forward_sync_buffers"
    on = DDP_ORIGINS
    in_tests = True
    unless = (supports_older_than(_SINCE),)
    message = "`broadcast_buffers` is deprecated since PyTorch 2.13, which warns of it"
    help = "write `forward_sync_buffers`"
    fix_title = "Use forward_sync_buffers"
    fix_safety = Safety.UNSAFE
    fix_needs = _SINCE

    def found(self, site: Site) -> Match | None:
        """The old argument, written out and alone."""
        old, new = (argument(site.call, name) for name in ("broadcast_buffers", "forward_sync_buffers"))
        if old is None or new is not None:
            return None
        return Match(site, Confidence.CERTAIN if site.has(_SINCE) else Confidence.LIKELY)

    def edits(self, site: Site, match: Match) -> Iterable[Edit]:
        """The new name, with the same value."""
        from trainlint.fixing.keywords import rename_argument

        index = len(site.call.args) + [keyword.arg for keyword in site.call.keywords].index("broadcast_buffers")
        yield rename_argument(site.source, site.call, index, "forward_sync_buffers")
