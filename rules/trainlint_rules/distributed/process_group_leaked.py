"""TRN535."""

from __future__ import annotations

from trainlint.analysis.site import Site
from trainlint.analysis.tables.fact_kinds import FactKind
from trainlint.contract.bases import CallRule
from trainlint.contract.declared_rule import Match
from trainlint.contract.guard import Guard, early_guard
from trainlint.contract.guards.programs import out_of_sight, uses
from trainlint.finding import Confidence, Severity
from trainlint_rules.distributed.idioms.process_groups import (
    INIT_PROCESS_GROUP,
    group_start,
    started_by_framework,
)


@early_guard
def _shuts_down(site: Site) -> bool:
    """The file names a shutdown (`destroy_process_group`, `cleanup`, `shutdown`, `teardown`)."""
    outline = site.file.outline
    used = (outline.origin(place.node) or "" for place in outline.references)
    names = {*outline.calls, *outline.imports, *used, *(function.name for function in outline.function_of.values())}
    words = ("destroy_process_group", "cleanup", "shutdown", "teardown")
    return any(word in name for name in names for word in words)


class ProcessGroupLeaked(CallRule):
    """A process group over NCCL that the program starts and never destroys

    ## Why
    At the end of a program NCCL's threads still run, and may wait for ranks that are gone already: the processes print
    a warning, and some hang in their exit, where a scheduler goes on counting their GPUs until its time limit.
    `destroy_process_group()` at the end, on every rank, ends the communicators in order. Other backends leave quietly.

    ## Example
    ```python
    import os

    import torch
    import torch.distributed as dist


    def main():
        torch.cuda.set_device(int(os.environ["LOCAL_RANK"]))
        dist.init_process_group("nccl")
        value = torch.ones(1, device="cuda")
        dist.all_reduce(value)


    if __name__ == "__main__":
        main()
    ```

    ## Use instead
    ```python
    import os

    import torch
    import torch.distributed as dist


    def main():
        torch.cuda.set_device(int(os.environ["LOCAL_RANK"]))
        dist.init_process_group("nccl")
        value = torch.ones(1, device="cuda")
        dist.all_reduce(value)
        dist.destroy_process_group()


    if __name__ == "__main__":
        main()
    ```

    ## Confirmed by
    The warning of ProcessGroupNCCL at exit that `destroy_process_group()` was not called.

    ## Gain
    Exits that do not hang, and a warning less for each process. No speed. Nothing where the launcher kills the
    processes anyway.

    ## References
    - Shutdown of process groups: https://docs.pytorch.org/docs/stable/distributed.html#shutdown
    """

    code = "TRN535"
    name = "process-group-leaked"
    severity = Severity.ADVICE
    on = INIT_PROCESS_GROUP
    sure = Confidence.LIKELY
    unless = (
        _shuts_down,
        uses("a process group is destroyed on the way", FactKind.GROUP_DESTROYED),
        started_by_framework,
        Guard("trainlint does not see the program's start, as in a library", out_of_sight.holds),
    )
    message = "nothing destroys this process group: NCCL warns at exit and may hang"
    help = "call `destroy_process_group()` at the end, on every rank"

    def found(self, site: Site) -> Match | None:
        """A process group over NCCL."""
        start = group_start(site.file, site.place)
        return Match(site) if start is not None and "nccl" in (start.backend or "") else None
