"""TRN518."""

from __future__ import annotations

from trainlint.analysis.site import Site
from trainlint.analysis.tables.signs import MPS, NCCL, OTHER_CHIPS, OWN_GROUPS, PLATFORMS, WINDOWS
from trainlint.contract.bases import CallRule
from trainlint.contract.declared_rule import Match
from trainlint.contract.guards.names import shows
from trainlint.finding import Confidence
from trainlint_rules.distributed.idioms.process_groups import (
    INIT_PROCESS_GROUP,
    group_start,
    wraps_nothing_for_gpu,
)


class GlooOnGpu(CallRule):
    """A process group over gloo for a model that trains on CUDA

    ## Why
    gloo works on the CPU. Each gradient bucket is copied from the GPU, sent over TCP, reduced by the CPU and copied
    back, while NCCL sends from GPU to GPU over NVLink, PCIe or InfiniBand and reduces there. The larger the model, the
    longer all GPUs wait for that in each step. PyTorch's documentation says to use NCCL for training on GPUs.

    ## Example
    ```python
    import torch
    import torch.distributed as dist
    from torch.nn.parallel import DistributedDataParallel


    def build(network, local_rank):
        torch.cuda.set_device(local_rank)
        dist.init_process_group("gloo")
        return DistributedDataParallel(network.cuda(), device_ids=[local_rank])
    ```

    ## Use instead
    ```python
    import torch
    import torch.distributed as dist
    from torch.nn.parallel import DistributedDataParallel


    def build(network, local_rank):
        torch.cuda.set_device(local_rank)
        dist.init_process_group("nccl")
        return DistributedDataParallel(network.cuda(), device_ids=[local_rank])
    ```

    Collectives over tensors on the CPU need gloo: `init_process_group("cpu:gloo,cuda:nccl")` takes both.

    ## Confirmed by
    `Memcpy DtoH` and `Memcpy HtoD` of gradient buckets in each step of a profile, and no kernel of NCCL.

    ## Gain
    Most of the time of each gradient reduction; not measured here. Nothing on Windows, where PyTorch has no NCCL.

    ## References
    - "Which backend to use?": https://docs.pytorch.org/docs/stable/distributed.html#which-backend-to-use
    """

    code = "TRN518"
    name = "gloo-on-gpu"
    preview = True
    on = INIT_PROCESS_GROUP
    sure = Confidence.LIKELY
    unless = (
        shows("the code names NCCL or makes groups of its own", NCCL, OWN_GROUPS),
        shows("the code names another platform or other chips", WINDOWS, PLATFORMS, MPS, OTHER_CHIPS),
        wraps_nothing_for_gpu,
    )
    message = "gloo copies each gradient bucket to the CPU and sends it over TCP, while this file trains on CUDA"
    help = 'set `backend="nccl"`'

    def found(self, site: Site) -> Match | None:
        """A group over gloo."""
        start = group_start(site.file, site.place)
        return Match(site) if start is not None and start.backend == "gloo" else None
