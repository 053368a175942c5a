"""TRN516."""

from __future__ import annotations

from trainlint.analysis.site import Site
from trainlint.analysis.syntax.names import argument
from trainlint.analysis.tables.fact_kinds import FactKind
from trainlint.contract.bases import CallRule
from trainlint.contract.declared_rule import Match
from trainlint.contract.guards.programs import uses
from trainlint.finding import Confidence, Severity
from trainlint.symptoms import Symptom
from trainlint_rules.distributed.idioms.path_guards import framework_in_charge, way_out_of_sight
from trainlint_rules.distributed.idioms.same_files import other_file_on_each_rank, some_ranks_only
from trainlint_rules.distributed.idioms.wrapping.gradient_reduction import wrapped_in_ddp


class SaveOnEveryRank(CallRule):
    """`torch.save` by all ranks of a distributed run into the same file

    ## Why
    Each process runs the line, and all of them write the same bytes to the same path at the same time: writes mix, and
    a checkpoint of a run that took days does not load. Where it goes well, the file system still takes each byte as
    often as there are processes, and all devices wait for the slowest writer. One rank should save; the others go on,
    or wait at a barrier if they need the file.

    ## Example
    ```python
    import sys

    import torch
    import torch.distributed as dist
    from torch.nn.parallel import DistributedDataParallel


    def main(network, criterion, loader, local_rank):
        torch.cuda.set_device(local_rank)
        dist.init_process_group("nccl")
        model = DistributedDataParallel(network.to(local_rank), device_ids=[local_rank])
        optimizer = torch.optim.AdamW(model.parameters(), lr=1e-4)
        for epoch in range(10):
            for inputs, targets in loader:
                loss = criterion(model(inputs), targets)
                optimizer.zero_grad()
                loss.backward()
                optimizer.step()
            torch.save(model.module.state_dict(), f"checkpoint_{epoch}.pt")
        dist.destroy_process_group()


    if __name__ == "__main__":
        main(*sys.argv)
    ```

    ## Use instead
    ```python
    import sys

    import torch
    import torch.distributed as dist
    from torch.nn.parallel import DistributedDataParallel


    def main(network, criterion, loader, local_rank):
        torch.cuda.set_device(local_rank)
        dist.init_process_group("nccl")
        model = DistributedDataParallel(network.to(local_rank), device_ids=[local_rank])
        optimizer = torch.optim.AdamW(model.parameters(), lr=1e-4)
        for epoch in range(10):
            for inputs, targets in loader:
                loss = criterion(model(inputs), targets)
                optimizer.zero_grad()
                loss.backward()
                optimizer.step()
            if dist.get_rank() == 0:
                torch.save(model.module.state_dict(), f"checkpoint_{epoch}.pt")
        dist.destroy_process_group()


    if __name__ == "__main__":
        main(*sys.argv)
    ```

    ## Confirmed by
    `trainlint probe` lays the ranks of a run side by side and names those that save to the same file at this line,
    where the measured steps hold a save.

    ## Gain
    A checkpoint that loads. The time of the save where processes shared its bandwidth: not measured here.

    ## References
    - DDP tutorial, "Save and Load Checkpoints": https://docs.pytorch.org/tutorials/intermediate/ddp_tutorial.html
    """

    code = "TRN516"
    name = "save-on-every-rank"
    severity = Severity.ERROR
    preview = True
    confirmed_by = frozenset({Symptom.SAME_FILE})
    on = ("torch.save",)
    sure = Confidence.LIKELY
    unless = (
        way_out_of_sight,
        framework_in_charge,
        uses("weights are sharded, so each rank saves its own part", FactKind.FSDP),
        some_ranks_only,
        other_file_on_each_rank,
    )
    message = "all ranks write the same file at the same time"
    help = "let one rank save: `if dist.get_rank() == 0:`"

    def found(self, site: Site) -> Match | None:
        """A save in a run of several processes."""
        return Match(site) if argument(site.call, "f", 1) is not None and wrapped_in_ddp(site) else None
