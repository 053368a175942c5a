"""TRN518."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator

from trainlint.analysis.programs.test_files import is_test_path
from trainlint.analysis.programs.wraps import wraps
from trainlint.analysis.site import Site
from trainlint.analysis.syntax.names import argument, last_name
from trainlint.analysis.tables.parallel import Wrapper
from trainlint.finding import Finding, Severity
from trainlint.patterns import lazy
from trainlint.rule import Rule, Triggers
from trainlint_rules.distributed.idioms.process_groups import group_start

_OTHER_WAYS = lazy(r"nccl|win32|windows|\bnt\b|platform|darwin|\bmps\b|new_group|xpu|npu|hccl", re.IGNORECASE)
"""Signs of another backend elsewhere in the file, or of machines that lack it."""


class GlooOnGpu(Rule):
    """A process group over gloo for a model that trains on CUDA

    ## Why
    gloo works on the host. Each gradient bucket is copied from the GPU, sent over TCP, reduced by the CPU and copied
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

    Collectives over tensors on the host need gloo: `init_process_group("cpu:gloo,cuda:nccl")` takes both.

    ## Stays silent
    Where a branch chooses the backend, where the file speaks of NCCL, of another platform or of groups of its own;
    where nothing in the file is surely wrapped for a GPU; for a group of one process. Quietly, below the default
    confidence, in tests.

    ## Confirmed by
    `Memcpy DtoH` and `Memcpy HtoD` of gradient buckets in each step of a profile, and no kernel of NCCL.

    ## Gain
    Most of the time of each gradient reduction; not measured here. Nothing on Windows, where PyTorch has no NCCL.

    ## References
    - "Which backend to use?": https://docs.pytorch.org/docs/stable/distributed.html#which-backend-to-use
    """

    code = "TRN518"
    name = "gloo-on-gpu"
    severity = Severity.WARNING
    preview = True
    heat_matters = False
    triggers = Triggers(calls=frozenset({"init_process_group"}))

    def check(self, site: Site) -> Iterator[Finding]:
        """Find groups over gloo in files that wrap a model for a GPU."""
        start = group_start(site.file, site.place)
        if start is None or start.alone or start.backend != "gloo" or site.file.says(_OTHER_WAYS):
            return
        if _is_one_of_several(site) or not _wraps_for_gpu(site):
            return
        yield self.finding(
            site,
            "gloo takes each gradient bucket through the host and over TCP, while this file trains on CUDA; use the "
            "backend nccl",
            confidence=0.6 if is_test_path(site.path) else 0.8,
        )


def _is_one_of_several(site: Site) -> bool:
    """Whether a test decides that the group is started so."""
    return bool(site.conditions)


def _wraps_for_gpu(site: Site) -> bool:
    """Whether a model is wrapped on the GPU of the rank: with `device_ids`, or as the result of `.cuda()`."""
    for found in wraps(site.file):
        devices = argument(found.call, "device_ids", 1) if found.wrapper is Wrapper.DDP else None
        written = isinstance(devices, ast.List) and bool(devices.elts)
        if written or (isinstance(found.module, ast.Call) and last_name(found.module.func) == "cuda"):
            return True
    return False
