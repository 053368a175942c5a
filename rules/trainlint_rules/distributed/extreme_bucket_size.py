"""TRN511."""

from __future__ import annotations

from trainlint.analysis.site import Site
from trainlint.analysis.syntax.names import argument, constant
from trainlint.contract.bases import CallRule
from trainlint.contract.declared_rule import Match
from trainlint.finding import Confidence, Severity
from trainlint_rules.distributed.idioms.wrapping.ddp_options import TAKING_DDP_OPTIONS

_SMALLEST, _LARGEST = 5, 500
"""MiB. PyTorch's developers speak of 25 as too small and of 100 to 250 for large models, in the issue below."""


class ExtremeBucketSize(CallRule):
    """A `bucket_cap_mb` so small or large that DDP reduces gradients in crumbs, or all at the end

    ## Why
    DistributedDataParallel collects gradients in buckets and reduces each while the backward goes on. Buckets of a few
    MiB mean many collectives that are all latency; one bucket for the whole model is full only when the backward ends,
    so that nothing overlaps. The authors of DDP measured both ends to be slower than sizes in between (paper below).
    Literal sizes below 5 and above 500 MiB are reported.

    ## Example
    ```python
    from torch.nn.parallel import DistributedDataParallel


    def wrap(model, device):
        return DistributedDataParallel(model, device_ids=[device], bucket_cap_mb=1)
    ```

    ## Use instead
    ```python
    from torch.nn.parallel import DistributedDataParallel


    def wrap(model, device):
        return DistributedDataParallel(model, device_ids=[device])
    ```

    The default is 25 MiB. For a model of more than a billion parameters try 100 and 250, too, and measure.

    ## Confirmed by
    Many all-reduces of a few MiB in one backward, or one that starts when the backward has ended. The logging data of
    DDP (`avg_backward_compute_comm_overlap_time`) show how much overlaps.

    ## Gain
    Depends on model and network, as the measurements of the paper below show; not measured here. Nothing where the
    backward is much longer than its communication.

    ## References
    - PyTorch Distributed: Experiences on Accelerating Data Parallel Training: https://arxiv.org/abs/2006.15704
    - On the default: https://github.com/pytorch/pytorch/issues/118421
    """

    code = "TRN511"
    name = "extreme-bucket-size"
    severity = Severity.ADVICE
    preview = True
    on = TAKING_DDP_OPTIONS
    sure = Confidence.LIKELY
    message = "buckets of {size} MiB {effect}"
    help = "leave the default of 25, or measure 100 and 250"

    def found(self, site: Site) -> Match | None:
        """A literal bucket size far from those that anyone measured as good."""
        size = constant(argument(site.call, "bucket_cap_mb"))
        if isinstance(size, bool) or not isinstance(size, int | float) or _SMALLEST <= size <= _LARGEST:
            return None
        few = "delay the reduction of gradients until most of the backward is over"
        many = "make many collectives that are all latency"
        return Match(site, fields={"size": size, "effect": many if size < _SMALLEST else few})
