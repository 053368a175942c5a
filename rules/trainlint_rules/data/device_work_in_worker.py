"""TRN110."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from trainlint.analysis.semantic_model import SemanticModel
from trainlint.analysis.site import Site
from trainlint.analysis.syntax.blocks import Block, How
from trainlint.analysis.syntax.names import argument, constant
from trainlint.analysis.types.vocabulary import FACTORIES
from trainlint.finding import Finding, Heat, Severity
from trainlint.rule import Rule, Triggers
from trainlint_rules.data.idioms.workers import Workers, workers

_SURE = 0.9
_WHO_LOADS_IS_UNSEEN = 0.65
_NO_WORKERS = 0.5
"""The file's loaders have no workers: then the copy works, and only keeps the device waiting."""
_DEEPEST = 4


class DeviceWorkInWorker(Rule):
    """CUDA in code that loader workers run: a dataset's `__getitem__` or a collate function

    ## Why
    A forked worker cannot use CUDA once the training process does: `Cannot re-initialize CUDA in forked subprocess`.
    A spawned one makes a context of its own, some hundred MiB of device memory for each worker, copies its rows one by
    one, and shares them by handles that must stay open. Without workers it works, and the device waits for each row.

    ## Example
    ```python
    from torch.utils.data import DataLoader, Dataset


    class Scans(Dataset):
        def __init__(self, paths, read):
            self.paths, self.read = paths, read

        def __len__(self):
            return len(self.paths)

        def __getitem__(self, index):
            return self.read(self.paths[index]).cuda()


    def make_loader(paths, read):
        return DataLoader(Scans(paths, read), batch_size=16, shuffle=True, num_workers=4)
    ```

    ## Use instead
    ```python
    from torch.utils.data import DataLoader, Dataset


    class Scans(Dataset):
        def __init__(self, paths, read):
            self.paths, self.read = paths, read

        def __len__(self):
            return len(self.paths)

        def __getitem__(self, index):
            return self.read(self.paths[index])


    def make_loader(paths, read):
        return DataLoader(Scans(paths, read), batch_size=16, shuffle=True, num_workers=4, pin_memory=True)
    ```

    The loop over the loader then moves whole batches: `batch = batch.cuda(non_blocking=True)`. There is no fix, since
    the copy must appear somewhere else.

    ## Stays silent
    For devices that the data brings along (`device=x.device`), that come from elsewhere, or that are the host; for
    classes and functions that no loader runs in its workers. Quietly, below the default confidence, where the file's
    loaders have no workers, or where it builds none.

    ## Gain
    A run that does not crash; without workers, one copy for each batch instead of each row, beside the computation.
    Not measured here.

    ## Confirmed by
    `RuntimeError: Cannot re-initialize CUDA in forked subprocess`, or a CUDA context for each worker in `nvidia-smi`.

    ## References
    - CUDA in multiprocessing: https://docs.pytorch.org/docs/stable/notes/multiprocessing.html#cuda-in-multiprocessing
    - Loading data with several workers, and why not to return CUDA tensors:
      https://docs.pytorch.org/docs/stable/data.html#multi-process-data-loading
    """

    code = "TRN110"
    name = "device-work-in-worker"
    severity = Severity.ERROR
    heat_matters = False
    preview = True
    triggers = Triggers(calls=frozenset({"cuda", "to", *FACTORIES}), heats=frozenset({Heat.WORKER}))

    def check(self, site: Site) -> Iterator[Finding]:
        """Find copies to CUDA, and tensors made there, in code that workers run."""
        if not _uses_cuda(site) or site.heat.heat is not Heat.WORKER:
            return
        kinds = {workers(site.file, loader) for loader in site.file.loaders.built.values()}
        if kinds and kinds <= {Workers.NONE, Workers.OPTIONAL}:
            confidence = _NO_WORKERS
        else:
            confidence = _SURE if kinds & {Workers.SOME, Workers.LIKELY} else _WHO_LOADS_IS_UNSEEN
        yield self.finding(
            site,
            "this runs in the loader's worker processes, which cannot use CUDA when they are forked; return host "
            "tensors, and move whole batches in the training loop",
            confidence=min(confidence, site.heat.confidence),
        )


def _uses_cuda(site: Site) -> bool:
    call = site.call
    if isinstance(call.func, ast.Attribute) and call.func.attr == "cuda":
        return site.origin(call.func) is None
    given = argument(call, "device")
    if isinstance(call.func, ast.Attribute) and call.func.attr == "to" and given is None and call.args:
        given = call.args[0]
    return given is not None and _is_cuda(site.file, given, site.block, _DEEPEST)


def _is_cuda(file: SemanticModel, node: ast.expr, block: Block, depth: int) -> bool:
    """Whether an expression names a CUDA device in plain sight, at least on a machine that has one."""
    value = constant(node)
    if isinstance(value, str):
        return value.startswith("cuda")
    if depth <= 0:
        return False
    if isinstance(node, ast.IfExp):
        return _is_cuda(file, node.body, block, depth - 1) or _is_cuda(file, node.orelse, block, depth - 1)
    if isinstance(node, ast.Call) and file.kinds.imported(node.func, block) == "torch.device":
        return bool(node.args) and _is_cuda(file, node.args[0], block, depth - 1)
    bindings = file.outline.bindings(node, block)
    return bool(bindings) and all(
        item.how is How.ASSIGN and item.value is not None and _is_cuda(file, item.value, item.block, depth - 1)
        for item in bindings
    )
