"""TRN511."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from trainlint.analysis.programs.test_files import is_test_path
from trainlint.analysis.site import Site
from trainlint.analysis.syntax.names import argument, constant
from trainlint.analysis.syntax.uses import call_of
from trainlint.analysis.tables.parallel import DDP_ORIGINS
from trainlint.finding import Finding, Severity
from trainlint.rule import Rule, Triggers

_OPTIONS = ("accelerate.DistributedDataParallelKwargs", "accelerate.utils.DistributedDataParallelKwargs")
_STRATEGIES = (
    "lightning.pytorch.strategies.DDPStrategy",
    "pytorch_lightning.strategies.DDPStrategy",
    "lightning.fabric.strategies.DDPStrategy",
)
_SMALLEST, _LARGEST = 5, 500
"""MiB. PyTorch's developers speak of 25 as too small and of 100 to 250 for large models, in the issue below."""


class ExtremeBucketSize(Rule):
    """A `bucket_cap_mb` so small or large that DDP reduces gradients in crumbs, or all at the end

    ## Why
    DistributedDataParallel collects gradients in buckets and reduces each while the backward goes on. Buckets of a few
    MiB mean many collectives that are all latency; one bucket for the whole model is full only when the backward ends,
    so that nothing overlaps. The authors of DDP measured both ends to be slower than sizes in between (paper below).

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

    ## Stays silent
    Between 5 and 500 MiB, and where the value is no literal; in tests and benchmarks, which try sizes.

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
    heat_matters = False
    preview = True
    triggers = Triggers(references=(*DDP_ORIGINS, *_OPTIONS, *_STRATEGIES))

    def check(self, site: Site) -> Iterator[Finding]:
        """Find literal bucket sizes far from those that anyone measured as good."""
        place = call_of(site.file, site.node)
        if place is None or not isinstance(place.node, ast.Call) or is_test_path(site.path):
            return
        size = constant(argument(place.node, "bucket_cap_mb"))
        if isinstance(size, bool) or not isinstance(size, int | float) or _SMALLEST <= size <= _LARGEST:
            return
        effect = (
            "many collectives that are all latency"
            if size < _SMALLEST
            else "a reduction that starts when most of the backward is over"
        )
        yield self.finding(
            site.at(place.node),
            f"buckets of {size} MiB mean {effect}; leave the default of 25, or measure 100 and 250",
            confidence=0.8,
        )
