"""TRN535."""

from __future__ import annotations

from collections.abc import Iterator

from trainlint.analysis.programs.test_files import is_test_path
from trainlint.analysis.site import Site
from trainlint.analysis.tables.fact_kinds import FactKind
from trainlint.finding import Finding, Severity
from trainlint.rule import Rule, Triggers
from trainlint_rules.distributed.idioms.process_groups import group_start, owned_by_framework

_SHUTS_DOWN = ("destroy_process_group", "cleanup", "shutdown", "teardown")
"""Words of a shutdown that stands where the way does not lead."""


class ProcessGroupLeaked(Rule):
    """A process group over NCCL that the program starts and never destroys

    ## Why
    At the end of a program NCCL's threads still run, and may wait for ranks that are gone already: the processes print
    a warning, and some hang in their exit, where a scheduler goes on counting their GPUs until its time limit.
    `destroy_process_group()` at the end, on every rank, ends the communicators in order.

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

    ## Stays silent
    Where a group is destroyed anywhere around the start, or the file speaks of a shutdown; where the way does not start
    in sight, as in libraries, or a framework owns it; for other backends, which leave quietly; for a group of one
    process; in tests.

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
    heat_matters = False
    triggers = Triggers(calls=frozenset({"init_process_group"}))

    def check(self, site: Site) -> Iterator[Finding]:
        """Find groups over NCCL that nothing around their start destroys."""
        start = group_start(site.file, site.place)
        if start is None or start.alone or "nccl" not in (start.backend or "") or is_test_path(site.path):
            return
        if any(word in site.source.text for word in _SHUTS_DOWN):
            return
        kinds = {item.fact.kind for item in site.file.used_around(site.block, beside=True)}
        if FactKind.GROUP_DESTROYED in kinds or owned_by_framework(site.file, site.block):
            return
        if FactKind.ENTERED in kinds:
            yield self.finding(
                site,
                "nothing destroys this process group, so NCCL warns at exit and may hang there; call "
                "`destroy_process_group()` at the end, on every rank",
                confidence=0.8,
            )
