"""TRN110."""

from __future__ import annotations

from trainlint.analysis.site import Site
from trainlint.analysis.types.vocabulary import FACTORIES
from trainlint.contract.bases import CallRule
from trainlint.contract.declared_rule import Match
from trainlint.finding import Confidence, Heat, Severity
from trainlint_rules.data.idioms.cuda_devices import goes_to_named_cuda
from trainlint_rules.data.idioms.workers import Workers, workers

_WORKING = (Workers.SOME, Workers.LIKELY)
_IN_WORKERS = {Heat.WORKER: Confidence.CERTAIN}


class DeviceWorkInWorker(CallRule):
    """CUDA in code that loader workers run: a dataset's `__getitem__` or a collate function

    ## Why
    A forked worker cannot use CUDA once the training process does: `Cannot re-initialize CUDA in forked subprocess`.
    A spawned one makes a context of its own, some hundred MiB of device memory for each worker, copies its rows one by
    one, and shares them by handles that must stay open. Without workers it works, and the device waits for each row.
    Only devices that the file names count: a device that the data brings along (`device=x.device`) may be the host.

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
    preview = True
    in_tests = True
    on = (".cuda", "to", *sorted(FACTORIES))
    when = _IN_WORKERS
    message = "`{text}` uses CUDA in DataLoader workers, which fails in forked processes"
    help = "return CPU tensors, and move whole batches in the training loop"

    def found(self, site: Site) -> Match | None:
        """A copy to CUDA, or a tensor made there; without workers it works, and only keeps the device waiting."""
        if not goes_to_named_cuda(site):
            return None
        parallel = any(workers(site.file, loader) in _WORKING for loader in site.file.loaders.built.values())
        return Match(site, Confidence.CERTAIN if parallel else Confidence.POSSIBLE)
