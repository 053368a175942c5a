"""TRN105."""

from __future__ import annotations

from trainlint.analysis.site import Site
from trainlint.contract.declared_rule import Match
from trainlint.finding import Confidence, Severity
from trainlint.symptoms import Symptom
from trainlint_rules.data import LoaderRule
from trainlint_rules.data.idioms.passes import SEVERAL_PROCESSES, one_process, used_around_passes
from trainlint_rules.data.idioms.workers import takes_all_cores


class WorkerThreadOversubscription(LoaderRule):
    """A loader in multi-process training that starts as many workers as the machine has cores

    ## Why
    Each training process starts its own workers: eight processes with `os.cpu_count()` workers each are eight busy
    processes for every core, and the training processes themselves, which launch the kernels, wait for a core, too.
    Libraries make it worse. A worker limits the threads of PyTorch to one, but OpenCV, OpenMP and BLAS still start as
    many threads as there are cores, in each worker.
    A number of workers that is divided or capped in any way is not reported.

    ## Example
    ```python
    import os
    import torch
    import torch.distributed as dist
    from torch.nn.parallel import DistributedDataParallel
    from torch.utils.data import DataLoader, DistributedSampler


    def main(model, optimizer, dataset):
        dist.init_process_group("nccl")
        model = DistributedDataParallel(model.cuda())
        sampler = DistributedSampler(dataset)
        loader = DataLoader(dataset, 64, sampler=sampler, num_workers=os.cpu_count(), pin_memory=True)
        for inputs in loader:
            loss = model(inputs.cuda(non_blocking=True))
            optimizer.zero_grad()
            loss.backward()
            optimizer.step()
    ```

    ## Use instead
    ```python
    import os
    import torch
    import torch.distributed as dist
    from torch.nn.parallel import DistributedDataParallel
    from torch.utils.data import DataLoader, DistributedSampler


    def main(model, optimizer, dataset):
        dist.init_process_group("nccl")
        model = DistributedDataParallel(model.cuda())
        sampler = DistributedSampler(dataset)
        workers = max(1, os.cpu_count() // torch.cuda.device_count() - 1)
        loader = DataLoader(dataset, 64, sampler=sampler, num_workers=workers, pin_memory=True)
        for inputs in loader:
            loss = model(inputs.cuda(non_blocking=True))
            optimizer.zero_grad()
            loss.backward()
            optimizer.step()
    ```

    And in a `worker_init_fn`, or before the workers start: `cv2.setNumThreads(0)`, `OMP_NUM_THREADS=1`. The rule does
    not look for these: whether a library of the dataset starts threads is nothing that its code shows.

    ## Gain
    Not measured here. It grows with the processes of one machine, and is nothing where each has a machine or a set of
    cores of its own: `len(os.sched_getaffinity(0))` counts those only, `os.cpu_count()` all.

    ## Confirmed by
    `trainlint probe` compares the workers of all training processes on this machine with its cores. Else a load
    average above the number of cores, and gaps between kernel launches in the timeline of the GPU.

    ## References
    - What workers do and do not limit: https://docs.pytorch.org/docs/stable/data.html#multi-process-data-loading
    - Oversubscribed cores:
      https://docs.pytorch.org/tutorials/recipes/recipes/tuning_guide.html#cpu-specific-optimizations
    """

    code = "TRN105"
    name = "worker-thread-oversubscription"
    severity = Severity.ADVICE
    preview = True
    in_tests = True
    confirmed_by = frozenset({Symptom.TOO_MANY_WORKERS})
    unless = (one_process,)
    message = "each training process starts a worker for every CPU core of the machine"
    help = "divide the number of cores by the training processes on the machine"

    def found(self, site: Site) -> Match | None:
        """A loader that takes all cores, undivided."""
        if not takes_all_cores(site.file, self.loader(site)):
            return None
        return Match(site, Confidence.LIKELY if used_around_passes(site) & SEVERAL_PROCESSES else Confidence.POSSIBLE)
