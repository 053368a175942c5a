"""TRN507."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator

from trainlint.analysis.programs.test_files import is_test_path
from trainlint.analysis.site import Site
from trainlint.analysis.syntax.blocks import BlockKind
from trainlint.analysis.syntax.names import last_name, nodes_in
from trainlint.analysis.syntax.uses import call_of
from trainlint.analysis.tables.parallel import DATA_PARALLEL_ORIGINS
from trainlint.finding import Finding, Severity
from trainlint.patterns import lazy
from trainlint.rule import Rule, Triggers

_NO_TRAINING = lazy(
    r"(^|_|/)(eval|evaluate|evaluation|infer|inference|test|predict|demo|sample|sampling|generate|validate|metrics?|"
    r"fid|extract|export|embed|score|inception|vgg|lpips|perceptual)",
    re.IGNORECASE,
)
"""Words of files and functions that run a model without training it, and of models that are never trained."""
_PLUMBING = lazy(r"parallel|strategy|(^|_)dp(_|$)", re.IGNORECASE)


class DataParallel(Rule):
    """`nn.DataParallel`, which drives all GPUs from one Python process

    ## Why
    In each forward one process copies the whole model to every GPU, splits the batch, runs a thread for each GPU under
    one interpreter lock, gathers all outputs on the first GPU, and adds up all gradients there. The first GPU needs
    more memory than the others, and none of this hides behind computation. DistributedDataParallel runs one process for
    each GPU, keeps the copies, and reduces gradients while the backward still runs; PyTorch recommends it even on a
    single machine.

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

    ## Stays silent
    Where the model is only evaluated; in tests, benchmarks, and the plumbing of frameworks that offer both wrappers.

    ## Confirmed by
    One process with several busy devices, `Broadcast` and `Gather` in each forward, and one CPU core at its limit.

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
    severity = Severity.WARNING
    heat_matters = False
    triggers = Triggers(references=DATA_PARALLEL_ORIGINS)

    def check(self, site: Site) -> Iterator[Finding]:
        """Find models in training that are wrapped for one process."""
        place = call_of(site.file, site.node)
        if place is None or not isinstance(place.node, ast.Call) or is_test_path(site.path):
            return
        call = place.node
        trains = bool(site.file.loops.evidence())
        if _is_plumbing(site, place.statement) or _is_evaluated(site, call, place.statement, trains=trains):
            return
        yield self.finding(
            site.at(call),
            "`DataParallel` drives all GPUs from one process: it copies the model to each in every forward and gathers "
            "everything on the first; use `DistributedDataParallel`, with a process for each GPU",
            confidence=0.9 if trains else 0.8,
        )


def _is_plumbing(site: Site, statement: ast.stmt) -> bool:
    """Whether a method of a framework hands the wrapped model on, for one of several strategies."""
    function = site.function
    if function is None or not isinstance(statement, ast.Return):
        return False
    owner = function.owner.name if function.owner is not None else ""
    return bool(_PLUMBING.search(owner) or _PLUMBING.search(function.name))


def _is_evaluated(site: Site, call: ast.Call, statement: ast.stmt, *, trains: bool) -> bool:
    """Whether the wrapped model is one that is not trained: by `.eval()`, by names."""
    if any(
        isinstance(part, ast.Attribute) and part.attr in ("eval", "requires_grad_") and call in nodes_in(part.value)
        for part in nodes_in(statement)
    ):
        return True
    function = site.function
    words = [function.name] if function is not None else []
    targets = statement.targets if isinstance(statement, ast.Assign) else []
    words += [last_name(target) for target in targets]
    if not trains:
        words += [site.path]
    return any(_NO_TRAINING.search(word) for word in words) or (not trains and _sets_evaluation(site, targets))


def _sets_evaluation(site: Site, targets: list[ast.expr]) -> bool:
    """Whether the file puts the model into evaluation mode and never into training mode."""
    names = {last_name(target) for target in targets}

    def told(method: str) -> bool:
        return any(
            isinstance(place.node, ast.Call)
            and isinstance(place.node.func, ast.Attribute)
            and last_name(place.node.func.value) in names
            and place.block.kind is not BlockKind.CLASS
            for place in site.file.outline.calls.get(method, ())
        )

    return told("eval") and not told("train")
