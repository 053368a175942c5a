"""TRN507."""

from __future__ import annotations

import ast

from trainlint.analysis.site import Site
from trainlint.analysis.syntax.roles import Role, role
from trainlint.analysis.tables.parallel import DATA_PARALLEL_ORIGINS
from trainlint.contract.bases import CallRule
from trainlint.contract.declared_rule import Match
from trainlint.finding import Confidence
from trainlint.rule import Triggers
from trainlint_rules.distributed.idioms.wrapping.evaluated_models import (
    beside_ddp,
    evaluated_by_name,
    file_evaluates,
    frozen_at_once,
    trains,
)


class DataParallel(CallRule):
    """`nn.DataParallel`, which drives all GPUs from one Python process

    ## Why
    In each forward one process copies the whole model to every GPU, splits the batch, runs a thread for each GPU under
    one interpreter lock, gathers all outputs on the first GPU, and adds up all gradients there. The first GPU needs
    more memory than the others, and none of this hides behind computation. DistributedDataParallel runs one process for
    each GPU, keeps the copies, and reduces gradients while the backward still runs; PyTorch recommends it even on a
    single machine. Where the same function wraps the model in DDP for other runs, a finding is possible, not likely.

    ## Example
    ```python
    import torch


    def train(model, criterion, optimizer, loader):
        model = torch.nn.DataParallel(model.cuda())
        for inputs, targets in loader:
            loss = criterion(model(inputs), targets.cuda(non_blocking=True))
            optimizer.zero_grad()
            loss.backward()
            optimizer.step()
    ```

    ## Use instead
    ```python
    import torch


    def train(model, criterion, optimizer, loader, local_rank):
        model = torch.nn.parallel.DistributedDataParallel(model.cuda(local_rank), device_ids=[local_rank])
        for inputs, targets in loader:
            loss = criterion(model(inputs), targets.cuda(non_blocking=True))
            optimizer.zero_grad()
            loss.backward()
            optimizer.step()
    ```

    Start one process for each GPU with `torchrun --nproc-per-node=gpu train.py`, call
    `torch.distributed.init_process_group("nccl")` and `torch.cuda.set_device(local_rank)` first, divide the batch size
    by the number of processes, and give the training loader a `DistributedSampler`.

    ## Confirmed by
    One process with several busy GPUs, `Broadcast` and `Gather` in each forward, and one CPU core at its limit.

    ## Gain
    Hugging Face measured GPT-2 on two GPUs (page below): 8% less time over NVLink (110 → 101 s); without NVLink it was
    slower (131 s), so measure on such machines. The more GPUs, the more it gains. Nothing with a single GPU.

    ## References
    - Use DistributedDataParallel instead of DataParallel:
      https://docs.pytorch.org/docs/stable/notes/cuda.html#cuda-nn-ddp-instead
    - Multiple GPUs and parallelism, with the benchmark:
      https://huggingface.co/docs/transformers/v4.40.0/en/perf_train_gpu_many
    """

    code = "TRN507"
    name = "data-parallel"
    on = DATA_PARALLEL_ORIGINS
    also = Triggers(references=DATA_PARALLEL_ORIGINS)
    unless = (frozen_at_once, evaluated_by_name, file_evaluates)
    message = (
        "`DataParallel` drives all GPUs from one process: each forward pass copies the model and gathers all outputs "
        "on the first GPU"
    )
    help = (
        "use `DistributedDataParallel`, with one process per GPU; a loss over the whole batch must gather the "
        "outputs first"
    )

    def found(self, site: Site) -> Match | None:
        """A model that is wrapped for one process, or a class that derives from the wrapper."""
        if isinstance(site.node, ast.Call):
            sure = Confidence.CERTAIN if trains(site) else Confidence.LIKELY
            return Match(site, Confidence.POSSIBLE if beside_ddp(site) else sure)
        if not isinstance(site.statement, ast.ClassDef) or role(site.file, site.place) is not Role.BASE:
            return None
        is_used = bool(site.file.outline.calls.get(site.statement.name))
        return Match(site, Confidence.LIKELY if is_used else Confidence.POSSIBLE)  # a library's class has other users
