"""TRN517."""

from __future__ import annotations

from trainlint.analysis.site import Site
from trainlint.analysis.tables.fact_kinds import FactKind
from trainlint.contract.bases import CallRule
from trainlint.contract.declared_rule import Match
from trainlint.contract.guards.programs import uses
from trainlint.finding import Confidence
from trainlint_rules.distributed.idioms.current_device import (
    chosen_anywhere,
    device_id_given,
    takes_current_device,
)
from trainlint_rules.distributed.idioms.path_guards import way_out_of_sight
from trainlint_rules.distributed.idioms.process_groups import (
    INIT_PROCESS_GROUP,
    group_start,
    is_single_process,
    started_by_framework,
)


class DeviceNotSet(CallRule):
    """A process group over NCCL in processes that never choose their GPU

    ## Why
    NCCL wants one GPU for each process. What has no tensor to tell by, as `barrier()` and the collectives of objects,
    takes the current device, and so does `.cuda()`: GPU 0 in every process, until one calls `set_device`. Then all
    ranks meet on GPU 0, which fails with `Duplicate GPU detected`, hangs, or costs the first GPU a context of some
    hundred MB for each of the others. PyTorch warns that it guesses the device, and that a wrong guess hangs.

    ## Example
    ```python
    import os

    import torch
    import torch.distributed as dist


    def main():
        local_rank = int(os.environ["LOCAL_RANK"])
        dist.init_process_group("nccl")
        model = torch.nn.Linear(512, 512).to(f"cuda:{local_rank}")
        dist.barrier()
        dist.destroy_process_group()
        return model


    if __name__ == "__main__":
        main()
    ```

    ## Use instead
    ```python
    import os

    import torch
    import torch.distributed as dist


    def main():
        local_rank = int(os.environ["LOCAL_RANK"])
        torch.cuda.set_device(local_rank)
        dist.init_process_group("nccl", device_id=torch.device("cuda", local_rank))
        model = torch.nn.Linear(512, 512).to(f"cuda:{local_rank}")
        dist.barrier()
        dist.destroy_process_group()
        return model


    if __name__ == "__main__":
        main()
    ```

    Either of the two lines is enough; `device_id` exists since PyTorch 2.3 and starts NCCL at once. Where nothing in
    the file takes the current device, the group is reported as a possible defect only, which is hidden by default.

    ## Confirmed by
    A warning of ProcessGroupNCCL about a guessed device, and several processes on GPU 0 in `nvidia-smi`.

    ## Gain
    Runs that do not hang or fail at the first collective; memory of a CUDA context for each process on the first GPU.
    Not measured here. Nothing where a launcher shows each process one GPU.

    ## References
    - `init_process_group` and its `device_id`:
      https://docs.pytorch.org/docs/stable/distributed.html#torch.distributed.init_process_group
    """

    code = "TRN517"
    name = "device-not-set"
    on = INIT_PROCESS_GROUP
    sure = Confidence.LIKELY
    unless = (
        chosen_anywhere,
        is_single_process,
        device_id_given,
        way_out_of_sight,
        uses("the code around it chooses a device", FactKind.DEVICE_CHOSEN),
        started_by_framework,
    )
    message = "no process chooses its GPU, so `{taker}` in line {line} takes GPU 0 on every rank, or a guessed one"
    help = "call `torch.cuda.set_device` with the local rank first"

    def found(self, site: Site) -> Match | None:
        """A group over NCCL; not sure where nothing in the file takes the current device."""
        start = group_start(site.file, site.place)
        if start is None or not start.in_sight or "nccl" not in (start.backend or ""):
            return None
        taken = takes_current_device(site.file)
        if taken is None:
            return Match(
                site,
                Confidence.POSSIBLE,
                message="no process chooses its GPU: every rank uses GPU 0",
            )
        return Match(site, fields={"taker": taken[0], "line": taken[1]})
